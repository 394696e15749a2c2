// An array's elements, read as a file's records are: window by window, for queries over arrays that
// memory may have no room for as a whole.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "arrays/image.h"
#include "formats/format.h"
#include "regions/box.h"

namespace pappus::detail {

class element_reader final : public formats::reader {
 public:
  /// The elements of a part, row after row.
  /// \param elements  in which nobody writes while it exists
  element_reader(arrays::image_ptr of, arrays::storage_ptr elements, const regions::box& where);

  std::size_t record_bytes() const noexcept override { return of_->element.size; }
  std::optional<std::int64_t> rows() const noexcept override { return where_.volume(); }
  std::int64_t count(workers&) override { return where_.volume(); }
  /// Throws memory_error and spill_error.
  std::int64_t read(workers& team, std::byte* out, std::int64_t capacity) override;
  std::int64_t bytes_read() const noexcept override {
    return done_.load(std::memory_order_relaxed) * static_cast<std::int64_t>(record_bytes());
  }
  void rewind() override { done_ = 0; }
  std::size_t scratch_bytes() const noexcept override;

 private:
  void copy(workers& team, std::size_t begin, std::byte* out, std::size_t bytes);

  const arrays::image_ptr of_;
  const arrays::storage_ptr elements_;
  const regions::box where_;
  std::int64_t together_;  ///< elements that lie one after another
  std::atomic<std::int64_t> done_{0};
};

}  // namespace pappus::detail
