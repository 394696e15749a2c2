// The elements of an array's part, read as a file's records are: row after row, in windows.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "arrays/image.h"
#include "formats/format.h"
#include "regions/box.h"

namespace pappus::detail {

class part_reader : public formats::reader {
 public:
  std::size_t record_bytes() const noexcept override { return of_->element.size; }
  std::optional<std::int64_t> rows() const noexcept override { return where_.volume(); }
  std::int64_t count(workers&) override { return where_.volume(); }
  /// Throws memory_error, and what the disk or the file does.
  std::int64_t read(workers& team, std::byte* out, std::int64_t capacity) override {
    const auto first = done_.load(std::memory_order_relaxed);
    const auto end = std::min(where_.volume(), first + capacity);
    if (first < end) read_numbers(team, first, end, out);
    done_.store(end, std::memory_order_relaxed);
    return end - first;
  }
  std::int64_t bytes_read() const noexcept override {
    return done_.load(std::memory_order_relaxed) * static_cast<std::int64_t>(record_bytes());
  }
  void rewind() override { done_ = 0; }

 protected:
  part_reader(arrays::image_ptr of, arrays::storage_ptr elements, const regions::box& where)
      : of_(std::move(of)), elements_(std::move(elements)), where_(where) {}

  /// Those with numbers of [first, end) in the part; there are some.
  virtual void read_numbers(workers& team, std::int64_t first, std::int64_t end,
                            std::byte* out) = 0;
  /// While that goes on: it has come to this number.
  void come_to(std::int64_t number) noexcept { done_.store(number, std::memory_order_relaxed); }

  const arrays::image_ptr of_;
  const arrays::storage_ptr elements_;
  const regions::box where_;

 private:
  std::atomic<std::int64_t> done_{0};
};

}  // namespace pappus::detail
