// Conditions of fields (detail/base/conditions.h): how comparisons become some, and what they tell
// of values of which only the least and the most are known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pappus/detail/base/columns.h"
#include "pappus/detail/base/conditions.h"

namespace pappus::base {

__extension__ using wide_integer = __int128;

enum class relation : std::uint8_t { less, at_most, at_least, greater, equal, unequal };

/// A field, and what it is compared as: a number of `bits` bits to which `addend` is added, where
/// what doesn't fit is dropped, as compilers make `x - 10u < 5u` of `x >= 10 && x < 15`.
struct compared_integer {
  std::size_t offset = 0, bytes = 0;
  unsigned bits = 64;
  bool sign_extended = false;
  std::uint64_t addend = 0;
  bool signed_order = true;  ///< in which it is compared
};

/// That the integer is less than `value`, or whatever the relation says. None: it always is.
std::optional<detail::condition> condition_of(const compared_integer& field, relation is,
                                              std::uint64_t value);

/// That the float is. None: nothing that can be told.
std::optional<detail::condition> condition_of(std::size_t offset, std::size_t bytes, relation is,
                                              double value);

/// That the text, a field of so many bytes, begins with another, which isn't empty, or is it.
detail::condition condition_of(std::size_t offset, std::size_t bytes, std::string_view text,
                               bool whole);

struct integer_range {
  wide_integer first = 0, last = 0;  ///< both included
  bool operator==(const integer_range&) const = default;
};
/// The values of the field of which an integer's condition is true, ascending.
std::vector<integer_range> allowed(const detail::condition& of, bool is_signed);

/// Whether the condition may be true of an integer that is no less than `least` and no more than
/// `most`; of a float that is, and is no NaN.
bool may_hold(const detail::condition& of, bool is_signed, wide_integer least, wide_integer most);
bool may_hold(const detail::condition& of, double least, double most);
/// Of a text between two others, by their bytes.
bool may_hold(const detail::condition& of, std::string_view least, std::string_view most);

/// "day >= 2024-03-01" of a field of this type.
std::string text(const detail::condition& of, std::string_view name, detail::cell type);

}  // namespace pappus::base
