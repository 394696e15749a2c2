// Arrays for random programs: each beside its shadow, a vector with what its elements must be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "pappus/pappus.h"
#include "regions/box.h"
#include "regions/parts.h"

namespace pappus::testing {

/// Of elements. Its arithmetic wraps.
using number = std::uint32_t;

// What is known of an element beside its value, as bits.
inline constexpr std::uint8_t unwritten = 1;
inline constexpr std::uint8_t failed = 2;     // looking at it must throw launch_error
inline constexpr std::uint8_t cancelled = 4;  // looking at it may throw cancelled
inline constexpr std::uint8_t pending = 8;    // a launch that may still wait writes it

struct shadow {
  regions::box all;
  std::vector<number> values;
  std::vector<std::uint8_t> marks;
  bool in_file = false;  ///< it can't be written to

  explicit shadow(const regions::box& extents, std::uint8_t mark = 0, number value = 0)
      : all(extents),
        values(static_cast<std::size_t>(extents.volume()), value),
        marks(values.size(), mark) {}

  std::int64_t stride(std::size_t dimension) const {
    std::int64_t result = 1;
    for (std::size_t d = dimension + 1; d < all.rank; ++d) result *= all.high[d];
    return result;
  }
  std::size_t offset(const regions::point& at) const {
    std::int64_t result = 0;
    for (std::size_t d = 0; d < all.rank; ++d) result += at[d] * stride(d);
    return static_cast<std::size_t>(result);
  }
};

/// A part of an array and of its shadow.
struct handle {
  std::string name;
  std::shared_ptr<shadow> image;
  regions::box part;  ///< of the whole array
  std::variant<array<number, 1>, array<number, 2>, array<number, 3>> real;

  std::size_t rank() const { return part.rank; }
  /// From 0 to the numbers of elements.
  regions::box extents() const {
    regions::box result(part.rank);
    for (std::size_t d = 0; d < part.rank; ++d)
      result.high[d] = std::max<std::int64_t>(part.high[d] - part.low[d], 0);
    return result;
  }
  /// In the whole array's numbers.
  regions::box absolute(regions::box relative) const {
    for (std::size_t d = 0; d < part.rank; ++d) {
      relative.low[d] += part.low[d];
      relative.high[d] += part.low[d];
    }
    return relative;
  }
  std::string text() const { return name + regions::text(part); }
};

template <std::size_t N>
box<N> typed(const regions::box& from) {
  box<N> result;
  for (std::size_t d = 0; d < N; ++d) {
    result.low[d] = from.low[d];
    result.high[d] = from.high[d];
  }
  return result;
}

inline handle slice(const handle& of, const regions::box& relative) {
  return {of.name, of.image, of.absolute(relative),
          std::visit(
              [&](const auto& real) -> decltype(of.real) {
                return real[typed<std::remove_cvref_t<decltype(real)>::rank>(relative)];
              },
              of.real)};
}

/// Marks of all elements of a box, together.
inline std::uint8_t any_marks(const shadow& of, const regions::box& where) {
  std::uint8_t found = 0;
  each_place(where, [&](const auto& at) { found |= of.marks[of.offset(at)]; });
  return found;
}

inline bool all_marked(const shadow& of, const regions::box& where, std::uint8_t mark) {
  bool all = true;
  each_place(where, [&](const auto& at) { all &= (of.marks[of.offset(at)] & mark) != 0; });
  return all;
}

inline void mark(shadow& of, const regions::box& where, std::uint8_t marks) {
  each_place(where, [&](const auto& at) { of.marks[of.offset(at)] = marks; });
}

}  // namespace pappus::testing
