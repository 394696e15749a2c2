// The names of a record's fields, as its struct spells them.
//
// C++20 doesn't tell them, but compilers spell a template's arguments: the address of a field of an
// object, which needn't exist, ends with the field's name. (As Boost.PFR does.)
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <utility>

#include "pappus/detail/base/fields.h"

namespace pappus::detail {

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#pragma clang diagnostic ignored "-Wundefined-internal"
#endif

template <typename Record>
struct record_to_name {
  Record value;
};
/// Declared only: its fields have addresses all the same.
template <typename Record>
extern const record_to_name<Record> named_record;

/// Clang takes addresses of fields as template arguments only inside of a class.
template <typename Field>
struct field_address {
  const Field* at;
};
template <typename Field>
field_address(const Field*) -> field_address<Field>;

template <typename Record, std::size_t I>
constexpr auto address_of_field() {
  auto pick = [](const auto&... fields) { return std::get<I>(std::tuple(&fields...)); };
  return field_address{
      field_visitor<field_count<Record>()>::call(named_record<Record>.value, pick)};
}

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

template <field_address Field>
consteval std::string_view spelling_of_address() {
  // "... {&named_record.value.NAME}]" or "... {(& named_record<T>....::NAME)}; ...]"
  std::string_view text = __PRETTY_FUNCTION__;
  text = text.substr(0, text.rfind('}'));
  while (!text.empty() && text.back() == ')') text.remove_suffix(1);
  return text.substr(text.find_last_of(".:") + 1);
}

/// Empty in records with bit-fields, which have no address.
template <typename Record, std::size_t I>
constexpr std::string_view name_of_field() {
  if constexpr (requires { spelling_of_address<address_of_field<Record, I>()>(); })
    return spelling_of_address<address_of_field<Record, I>()>();
  else
    return {};
}

/// "0" to "99".
template <std::size_t I>
inline constexpr std::array<char, 2> digits_of{I < 10 ? '0' + I : '0' + I / 10, '0' + I % 10};
template <std::size_t I>
constexpr std::string_view text_of_digits() {
  static_assert(I < 100);
  return {digits_of<I>.data(), I < 10 ? std::size_t{1} : std::size_t{2}};
}

/// First to last; empty where they aren't known; of results their numbers. Record has fields
/// (fields.h).
template <typename Record>
constexpr auto names_of_fields() {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    if constexpr (fields_by_get<Record> > 0)
      return std::array{text_of_digits<I>()...};
    else
      return std::array{name_of_field<Record, I>()...};
  }(std::make_index_sequence<field_count<Record>()>());
}

}  // namespace pappus::detail
