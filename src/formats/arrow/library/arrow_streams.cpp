#include "formats/arrow/library/arrow_streams.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <span>

namespace pappus::formats {
namespace {

// Arrow is called so that it does all in the calling thread.
thread_local std::exception_ptr kept_exception;
thread_local bool passed_on = false;  // it is thrown again

template <typename F>
arrow::Status kept(F&& f) {
  try {
    f();
    return arrow::Status::OK();
  } catch (...) {
    if (!kept_exception) kept_exception = std::current_exception();
    return arrow::Status::IOError("Pappus has thrown");
  }
}

std::uint8_t* no_bytes() {
  alignas(64) static std::uint8_t none[64];
  return none;
}

}  // namespace

void raise(const arrow::Status& status) {
  if (auto thrown = std::exchange(kept_exception, nullptr)) {
    passed_on = true;
    std::rethrow_exception(thrown);
  }
  throw arrow_problem(status.message());
}

void calling_arrow(void (*f)(void*), void* context) {
  kept_exception = nullptr;
  passed_on = false;
  try {
    f(context);
  } catch (const arrow_problem&) {
    throw;
  } catch (const std::exception& problem) {
    if (passed_on) throw;
    if (auto thrown = std::exchange(kept_exception, nullptr)) std::rethrow_exception(thrown);
    throw arrow_problem(problem.what());
  }
}

arrow::Status charged_pool::Allocate(std::int64_t size, std::int64_t alignment,
                                     std::uint8_t** out) {
  if (size < 0 || alignment > 64) return arrow::Status::Invalid("no such memory");
  if (size == 0) {
    *out = no_bytes();
    return arrow::Status::OK();
  }
  return kept([&] {
    *out = reinterpret_cast<std::uint8_t*>(
        memory_.acquire(std::max<std::size_t>(static_cast<std::size_t>(size), 64), owner_));
    in_use_ += size;
    total_ += size;
    ++calls_;
  });
}

arrow::Status charged_pool::Reallocate(std::int64_t old_size, std::int64_t new_size,
                                       std::int64_t alignment, std::uint8_t** data) {
  if (old_size == new_size) return arrow::Status::OK();
  std::uint8_t* moved = nullptr;
  ARROW_RETURN_NOT_OK(Allocate(new_size, alignment, &moved));
  std::memcpy(moved, *data, static_cast<std::size_t>(std::min(old_size, new_size)));
  Free(*data, old_size, alignment);
  *data = moved;
  return arrow::Status::OK();
}

void charged_pool::Free(std::uint8_t* data, std::int64_t size, std::int64_t) {
  if (data == no_bytes()) return;
  memory_.release(reinterpret_cast<std::byte*>(data),
                  std::max<std::size_t>(static_cast<std::size_t>(size), 64));
  in_use_ -= size;
}

arrow::Status source_file::Close() {
  closed_ = true;
  return arrow::Status::OK();
}

arrow::Status source_file::Seek(std::int64_t position) {
  if (position < 0) return arrow::Status::Invalid("a place before the file");
  at_ = position;
  return arrow::Status::OK();
}

/// Of n bytes as many as the file has.
arrow::Result<std::int64_t> source_file::there(std::int64_t position, std::int64_t n) const {
  if (position < 0 || n < 0) return arrow::Status::Invalid("a place before the file");
  return std::min(n, std::max<std::int64_t>(source_.bytes() - position, 0));
}

arrow::Result<std::int64_t> source_file::ReadAt(std::int64_t position, std::int64_t n, void* out) {
  ARROW_ASSIGN_OR_RAISE(n, there(position, n));
  ARROW_RETURN_NOT_OK(kept([&] {
    if (n > 0) source_.read(position, {static_cast<std::byte*>(out), static_cast<std::size_t>(n)});
  }));
  return n;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> source_file::ReadAt(std::int64_t position,
                                                                  std::int64_t n) {
  ARROW_ASSIGN_OR_RAISE(n, there(position, n));
  ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateResizableBuffer(n, &pool_));
  ARROW_RETURN_NOT_OK(ReadAt(position, n, buffer->mutable_data()).status());
  return std::shared_ptr<arrow::Buffer>(std::move(buffer));
}

arrow::Result<std::int64_t> source_file::Read(std::int64_t n, void* out) {
  ARROW_ASSIGN_OR_RAISE(n, ReadAt(at_, n, out));
  at_ += n;
  return n;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> source_file::Read(std::int64_t n) {
  ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(at_, n));
  at_ += buffer->size();
  return buffer;
}

arrow::Status sink_file::Close() {
  closed_ = true;
  return arrow::Status::OK();
}

arrow::Status sink_file::Write(const void* bytes, std::int64_t n) {
  return kept([&] {
    sink_.append(bytes, static_cast<std::size_t>(n));
    at_ += n;
  });
}

}  // namespace pappus::formats
