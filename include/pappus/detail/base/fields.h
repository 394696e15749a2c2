// The fields of a record, found by structured bindings: for files without column names and for
// records that serve as keys.
//
// How many fields an aggregate has is found by trying how many initialisers it takes. Not here:
// records with more than fields_max fields, with bases, C arrays, unions or members of structs
// without a name; they count as having none.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include "pappus/detail/base/field_visitors.h"
#include "pappus/detail/base/type_name.h"

namespace pappus::detail {

/// Stands for a value of any type when counting how many initialisers an aggregate takes.
struct anything {
  template <typename T>
  operator T() const;  // NOLINT: implicit by design, never defined
};

/// Converts to base classes of Record only: it initialises the first element of an aggregate if and
/// only if that is a base.
template <typename Record>
struct any_base_of {
  template <typename T>
    requires(std::is_base_of_v<T, Record> && !std::same_as<T, Record>)
  operator T() const;  // NOLINT: implicit by design, never defined
};

/// Converts to unions, and structs without a name, only: where members have none either, structured
/// bindings can't tell what is in them.
struct any_nameless {
  template <typename T>
    requires(std::is_union_v<T> || is_unnamed<T>)
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

/// Whether initialiser number sizeof...(Before) is of a union or of a struct without a name.
template <typename Record, std::size_t... Before>
constexpr bool is_nameless(std::index_sequence<Before...>) {
  return requires { Record{nth_anything<Before>{}..., any_nameless{}}; };
}

template <typename Record, std::size_t... I>
constexpr bool are_fields(std::index_sequence<I...>) {
  return ((stands_alone<Record>(std::make_index_sequence<I>{},
                                std::make_index_sequence<sizeof...(I) - I - 1>{}) &&
           !is_nameless<Record>(std::make_index_sequence<I>{})) &&
          ...);
}

inline constexpr std::size_t fields_max = 64;

template <typename Record, std::size_t Count>
inline constexpr bool takes_initialisers = takes<Record>(std::make_index_sequence<Count>{});

/// The greatest number of initialisers, at most Most, that Record takes; 0 if it takes none.
template <typename Record, std::size_t Most>
constexpr std::size_t initialisers_max() {
  if constexpr (Most == 0 || takes_initialisers<Record, Most>)
    return Most;
  else
    return initialisers_max<Record, Most - 1>();
}

/// The same by bisection: Record takes Taken initialisers and doesn't take Refused.
template <typename Record, std::size_t Taken, std::size_t Refused>
constexpr std::size_t initialisers_between() {
  constexpr std::size_t middle = (Taken + Refused) / 2;
  if constexpr (middle == Taken)
    return Taken;
  else if constexpr (takes_initialisers<Record, middle>)
    return initialisers_between<Record, middle, Refused>();
  else
    return initialisers_between<Record, Taken, middle>();
}

/// The greatest number of initialisers that an aggregate takes; fields_max + 1 where it is more
/// than fields_max.
///
/// If the last member that can't be left out, one without a default constructor, say, is member m,
/// an aggregate refuses fewer than m initialisers and takes any number from m up to the greatest.
/// Most records are small: theirs are tried one by one.
template <typename Record>
constexpr std::size_t initialisers() {
  constexpr std::size_t few = 8;
  if constexpr (!takes_initialisers<Record, few + 1>) {
    constexpr std::size_t count = initialisers_max<Record, few>();
    if constexpr (count > 0 || sizeof(Record) <= few)
      return count;
    else
      return initialisers_max<Record,
                              (sizeof(Record) < fields_max ? sizeof(Record) : fields_max)>();
  } else if constexpr (takes_initialisers<Record, fields_max + 1>) {
    return fields_max + 1;
  } else {
    return initialisers_between<Record, few + 1, fields_max + 1>();
  }
}

/// Fields of a type of ours that structured bindings name by get(); 0: it has none.
template <typename Record>
inline constexpr std::size_t fields_by_get = 0;

/// The number of fields of an aggregate that structured bindings can name; 0 where it has a base, a
/// C array, a union, a struct without a name, or too many.
template <typename Record>
constexpr std::size_t field_count() {
  if constexpr (fields_by_get<Record> > 0) {
    return fields_by_get<Record>;
  } else if constexpr (!std::is_aggregate_v<Record> ||
                       requires { Record{any_base_of<Record>{}}; }) {
    return 0;
  } else {
    constexpr std::size_t count = initialisers<Record>();
    if constexpr (count > fields_max)
      return 0;
    else
      return are_fields<Record>(std::make_index_sequence<count>{}) ? count : 0;
  }
}

/// Calls visit(fields...) with references to all fields of `record` and returns what it returns.
template <std::size_t Count, typename Record, typename Visit>
constexpr decltype(auto) visit_fields(const Record& record, Visit&& visit) {
  static_assert(Count >= 1 && Count <= fields_max);
  return field_visitor<Count>::call(record, visit);
}

/// A record of zero bytes, default constructible or not.
template <typename Record>
Record zero_record() noexcept {
  return std::bit_cast<Record>(std::array<std::byte, sizeof(Record)>{});
}

}  // namespace pappus::detail
