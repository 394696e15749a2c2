// Arrow's interfaces of memory and files, as Pappus has them.
//
// Exceptions mustn't pass through Arrow, which isn't written for them: what a source, a sink or the
// memory throws is kept for the thread that called, and thrown again behind Arrow (raise()).
#pragma once

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/memory_pool.h>
#include <arrow/result.h>
#include <arrow/status.h>

#include <atomic>
#include <memory>
#include <utility>

#include "formats/arrow/arrow_library.h"

namespace pappus::formats {

/// Throws what was kept, else arrow_problem.
[[noreturn]] void raise(const arrow::Status& status);

inline void check(const arrow::Status& status) {
  if (!status.ok()) raise(status);
}
template <typename T>
T check(arrow::Result<T> result) {
  if (!result.ok()) raise(result.status());
  return std::move(result).ValueUnsafe();
}

/// Calls f, which calls Arrow; exceptions of Arrow's own become arrow_problem.
void calling_arrow(void (*f)(void*), void* context);
template <typename F>
void calling_arrow(F&& f) {
  calling_arrow([](void* context) { (*static_cast<std::remove_reference_t<F>*>(context))(); },
                static_cast<void*>(std::addressof(f)));
}

/// A memory_source as Arrow asks for memory.
class charged_pool final : public arrow::MemoryPool {
 public:
  charged_pool(detail::memory_source& memory, std::string owner)
      : memory_(memory), owner_(std::move(owner)) {}

  using arrow::MemoryPool::Allocate;
  using arrow::MemoryPool::Free;
  using arrow::MemoryPool::Reallocate;
  arrow::Status Allocate(std::int64_t size, std::int64_t alignment, std::uint8_t** out) override;
  arrow::Status Reallocate(std::int64_t old_size, std::int64_t new_size, std::int64_t alignment,
                           std::uint8_t** data) override;
  void Free(std::uint8_t* data, std::int64_t size, std::int64_t alignment) override;
  std::int64_t bytes_allocated() const override { return in_use_.load(); }
  std::int64_t total_bytes_allocated() const override { return total_.load(); }
  std::int64_t num_allocations() const override { return calls_.load(); }
  std::string backend_name() const override { return "pappus"; }

 private:
  detail::memory_source& memory_;
  const std::string owner_;
  std::atomic<std::int64_t> in_use_{0}, total_{0}, calls_{0};
};

/// A byte_source as Arrow reads files.
class source_file final : public arrow::io::RandomAccessFile {
 public:
  source_file(const byte_source& source, arrow::MemoryPool& pool) : source_(source), pool_(pool) {}

  arrow::MemoryPool* pool() const noexcept { return &pool_; }

  arrow::Status Close() override;
  bool closed() const override { return closed_; }
  arrow::Result<std::int64_t> Tell() const override { return at_; }
  arrow::Status Seek(std::int64_t position) override;
  arrow::Result<std::int64_t> GetSize() override { return source_.bytes(); }
  arrow::Result<std::int64_t> Read(std::int64_t n, void* out) override;
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(std::int64_t n) override;
  arrow::Result<std::int64_t> ReadAt(std::int64_t position, std::int64_t n, void* out) override;
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(std::int64_t position,
                                                       std::int64_t n) override;
  using arrow::io::RandomAccessFile::ReadAt;

 private:
  arrow::Result<std::int64_t> there(std::int64_t position, std::int64_t n) const;

  const byte_source& source_;
  arrow::MemoryPool& pool_;
  std::int64_t at_ = 0;
  bool closed_ = false;
};

/// An arrow_sink as Arrow writes files.
class sink_file final : public arrow::io::OutputStream {
 public:
  explicit sink_file(arrow_sink& sink) : sink_(sink) {}

  arrow::Status Close() override;
  bool closed() const override { return closed_; }
  arrow::Result<std::int64_t> Tell() const override { return at_; }
  arrow::Status Write(const void* bytes, std::int64_t n) override;
  using arrow::io::OutputStream::Write;

 private:
  arrow_sink& sink_;
  std::int64_t at_ = 0;
  bool closed_ = false;
};

}  // namespace pappus::formats
