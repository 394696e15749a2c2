// Which index of a launch reads and which writes each element, where nothing proves that no two
// meet: of launches of which nothing is known but that their arrays count as a whole, and that are
// run as if their indices were independent.
//
// An element of a `writes` view is written by whoever it is handed out to. Of one of `updates`
// nobody knows, so its bytes are compared when the call has returned: writing what was there
// already is not seen. All threads of a launch share the notes. Who notes a use looks for others
// after that, so of two indices that meet at least one sees the other.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "arrays/launch.h"
#include "pappus/detail/base/memory.h"

namespace pappus::arrays {

/// From many threads. Indices and elements are numbered in row-major order.
class element_users {
 public:
  static bool are_noted(const launch& of);
  /// Throws memory_error: it takes up to 16 bytes for each element that may be written.
  explicit element_users(const launch& of);

  bool notes(std::size_t argument) const { return arguments_[argument].writers.data() != nullptr; }
  // They return an index that is in the way: another one, or the same where it is one of several.
  std::optional<std::int64_t> write(std::size_t argument, std::size_t element, std::int64_t index);
  std::optional<std::int64_t> read(std::size_t argument, std::size_t element, std::int64_t index);

 private:
  /// Numbers of indices, from 1 on; 0: none so far.
  struct notes_of_argument {
    detail::buffer writers;
    detail::buffer readers;  ///< of `updates`; negative: the first of several
  };
  std::vector<notes_of_argument> arguments_;
};

}  // namespace pappus::arrays
