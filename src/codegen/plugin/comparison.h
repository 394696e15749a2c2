// A comparison of a record's field that is true wherever a user's function returns true, as the
// compiler plugin found it in a predicate's code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/conditions.h"

namespace pappus::codegen {

struct comparison {
  std::size_t parameter = 0;     ///< of the thunk, whose record has the field
  base::compared_integer field;  ///< of a float only offset and bytes count
  bool floating = false;
  base::relation is = base::relation::equal;
  /// What it is compared with: these bits, or a captured value.
  std::uint64_t value = 0;
  /// What a captured integer goes through before it is compared: it is extended, something is added
  /// or it is multiplied. It has so many bits then, those above are dropped.
  struct step {
    enum class kind : std::uint8_t { sign, zeros, add, multiply } what = kind::sign;
    std::uint64_t by = 0;
    unsigned bits = 64;
  };
  struct captured_value {
    std::size_t offset = 0, bytes = 0;  ///< in the captures
    std::vector<step> steps{};
  };
  std::optional<captured_value> captured{};
  /// The field is the pointer of a view, or the code of a category, and its text begins with this
  /// one, or is it. Only the field's offset and bytes count then.
  struct text_value {
    bool whole = false;
    std::string bytes{};
    /// In place of the bytes: where they lie, by the captures.
    struct place {
      std::size_t pointer = 0, size = 0;  ///< offsets
    };
    std::optional<place> captured{};
  };
  std::optional<text_value> text{};
};

/// None: it tells nothing.
/// \param captures  of the function; may be null if there are none
std::optional<detail::condition> condition_of(const comparison& one, const std::byte* captures,
                                              std::size_t captured_bytes);

}  // namespace pappus::codegen
