// The elements of an array in a file, read as a file's records are: in row-major order, by all
// workers, a chunk each at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "arrays/image.h"
#include "formats/format.h"
#include "regions/box.h"

namespace pappus::detail {

class chunk_reader final : public formats::reader {
 public:
  /// The elements of a part, row after row. \param elements  that lie in a file
  chunk_reader(arrays::image_ptr of, arrays::storage_ptr elements, const regions::box& where)
      : of_(std::move(of)), elements_(std::move(elements)), where_(where) {}

  std::size_t record_bytes() const noexcept override { return of_->element.size; }
  std::optional<std::int64_t> rows() const noexcept override { return where_.volume(); }
  std::int64_t count(workers&) override { return where_.volume(); }
  /// Throws format_error and memory_error.
  std::int64_t read(workers& team, std::byte* out, std::int64_t capacity) override;
  std::int64_t bytes_read() const noexcept override {
    return done_.load(std::memory_order_relaxed) * static_cast<std::int64_t>(record_bytes());
  }
  void rewind() override { done_ = 0; }
  std::size_t scratch_bytes() const noexcept override;

 private:
  void copy(const regions::box& elements, std::int64_t first, std::int64_t end,
            std::byte* out) const;

  const arrays::image_ptr of_;
  const arrays::storage_ptr elements_;
  const regions::box where_;
  std::atomic<std::int64_t> done_{0};
};

}  // namespace pappus::detail
