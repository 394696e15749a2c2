// The fields of a record, found by structured bindings: for files without column names and for
// records that serve as keys.
//
// How many fields an aggregate has is found by trying how many initialisers it takes. Not here:
// records with more than max_fields fields, with bases or with C arrays; they count as having none.
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace pappus::detail {

/// Stands for a value of any type when counting how many initialisers an aggregate takes.
struct anything {
  template <typename T>
  operator T() const;  // NOLINT: implicit by design, never defined
};

/// Converts to base classes of Record only: initialises the first element of an aggregate just if
/// that is a base.
template <typename Record>
struct any_base_of {
  template <typename T>
    requires(std::is_base_of_v<T, Record> && !std::same_as<T, Record>)
  operator T() const;  // NOLINT: implicit by design, never defined
};

template <std::size_t>
using nth_anything = anything;

template <typename Record, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { Record{nth_anything<I>{}...}; };
}

/// Whether initialiser number sizeof...(Before) may stand in braces of its own. It may not if it
/// starts a C array whose braces were left out: then it takes the whole array, and those after it
/// are too many. (A string_view in braces is ambiguous.)
template <typename Record, std::size_t... Before, std::size_t... After>
constexpr bool stands_alone(std::index_sequence<Before...>, std::index_sequence<After...>) {
  return requires { Record{nth_anything<Before>{}..., {anything{}}, nth_anything<After>{}...}; } ||
         requires {
           Record{nth_anything<Before>{}..., {std::string_view{}}, nth_anything<After>{}...};
         };
}

template <typename Record, std::size_t... I>
constexpr bool all_stand_alone(std::index_sequence<I...>) {
  return (stands_alone<Record>(std::make_index_sequence<I>{},
                               std::make_index_sequence<sizeof...(I) - I - 1>{}) &&
          ...);
}

inline constexpr std::size_t max_fields = 8;

/// The number of fields of an aggregate that structured bindings can name; 0 where it has a base, a
/// C array, or too many.
template <typename Record, std::size_t Count = max_fields + 1>
constexpr std::size_t field_count() {
  if constexpr (!std::is_aggregate_v<Record> || Count == 0 ||
                requires { Record{any_base_of<Record>{}}; }) {
    return 0;
  } else if constexpr (takes<Record>(std::make_index_sequence<Count>{})) {
    constexpr bool nameable =
        Count <= max_fields && all_stand_alone<Record>(std::make_index_sequence<Count>{});
    return nameable ? Count : 0;
  } else {
    return field_count<Record, Count - 1>();
  }
}

/// Calls visit(fields...) with references to all fields of `record` and returns what it returns.
template <std::size_t Count, typename Record, typename Visit>
constexpr decltype(auto) visit_fields(const Record& record, Visit&& visit) {
  static_assert(Count >= 1 && Count <= max_fields);
  // clang-format off
  if constexpr (Count == 1) { const auto& [a] = record; return visit(a); }
  if constexpr (Count == 2) { const auto& [a, b] = record; return visit(a, b); }
  if constexpr (Count == 3) { const auto& [a, b, c] = record; return visit(a, b, c); }
  if constexpr (Count == 4) { const auto& [a, b, c, d] = record; return visit(a, b, c, d); }
  if constexpr (Count == 5) { const auto& [a, b, c, d, e] = record; return visit(a, b, c, d, e); }
  if constexpr (Count == 6) {
    const auto& [a, b, c, d, e, f] = record;
    return visit(a, b, c, d, e, f);
  }
  if constexpr (Count == 7) {
    const auto& [a, b, c, d, e, f, g] = record;
    return visit(a, b, c, d, e, f, g);
  }
  if constexpr (Count == 8) {
    const auto& [a, b, c, d, e, f, g, h] = record;
    return visit(a, b, c, d, e, f, g, h);
  }
  // clang-format on
}

}  // namespace pappus::detail
