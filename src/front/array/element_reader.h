// An array's elements, read as a file's records are: window by window, for queries over arrays that
// memory may have no room for as a whole.
#pragma once

#include <cstddef>
#include <cstdint>

#include "front/array/part_reader.h"

namespace pappus::detail {

class element_reader final : public part_reader {
 public:
  /// The elements of a part, row after row.
  /// \param elements  in which nobody writes while it exists
  element_reader(arrays::image_ptr of, arrays::storage_ptr elements, const regions::box& where);

  std::size_t scratch_bytes() const noexcept override;

 private:
  /// Throws memory_error and spill_error.
  void read_numbers(workers& team, std::int64_t first, std::int64_t end, std::byte* out) override;
  void copy(workers& team, std::size_t begin, std::byte* out, std::size_t bytes);

  std::int64_t together_;  ///< elements that lie one after another
};

}  // namespace pappus::detail
