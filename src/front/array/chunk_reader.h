// The elements of an array in a file, read in row-major order by all workers, a chunk each at a
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "front/array/part_reader.h"

namespace pappus::detail {

class chunk_reader final : public part_reader {
 public:
  /// \param elements  that lie in a file
  chunk_reader(arrays::image_ptr of, arrays::storage_ptr elements, const regions::box& where)
      : part_reader(std::move(of), std::move(elements), where) {}

  std::size_t scratch_bytes() const noexcept override;

 private:
  /// Throws format_error and memory_error.
  void read_numbers(workers& team, std::int64_t first, std::int64_t end, std::byte* out) override;
  void copy(const regions::box& elements, std::int64_t first, std::int64_t end,
            std::byte* out) const;
};

}  // namespace pappus::detail
