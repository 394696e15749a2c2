// What is true of fields of all records that a query doesn't drop. A reader of a file needn't read
// rows of which it knows that it isn't.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace pappus::detail {

/// Of a field that is one number, or a text, by its place in the record.
struct condition {
  std::size_t offset = 0, bytes = 0;  ///< of a number 1, 2, 4 or 8
  bool floating = false;
  bool never = false;  ///< it is true of no value

  /// An integer: its bits, extended to so many by copies of the first one or by zeros, are among
  /// those from `first` to `last`, both included; where first > last that passes by zero.
  unsigned bits = 0;
  bool sign_extended = false;
  std::uint64_t first = 0, last = 0;

  /// A float: it lies between these, perhaps is one of them, and is no NaN.
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool with_low = true, with_high = true;

  /// A text, if this isn't empty: it is this one, or begins with it.
  std::string text{};
  bool whole_text = false;

  bool operator==(const condition&) const = default;
};

/// All of them are true.
using conditions = std::vector<condition>;

}  // namespace pappus::detail
