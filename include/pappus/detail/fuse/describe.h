// How the functions that operators are given are described to a device_writer.
//
// Functions with device code become calls of it; pointers to members and the standard library's
// arithmetic functors are known; for all others the compiler plugin may have made device code
// (thunk.h).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>

#include "pappus/category.h"
#include "pappus/detail/base/fields.h"
#include "pappus/detail/base/keys.h"
#include "pappus/detail/fuse/coded.h"
#include "pappus/detail/fuse/device_type.h"
#include "pappus/detail/fuse/thunk.h"
#include "pappus/function.h"

namespace pappus::detail {

using device_variable = device_writer::variable;

/// A functor as a C expression of $0 and $1. Sums of integers are made of unsigned ones: they wrap.
struct operator_text {
  std::string_view floats, integers;
};
template <template <typename> class>
inline constexpr operator_text text_of_operator{};
template <>
inline constexpr operator_text text_of_operator<std::plus>{"$0 + $1", "(ulong)$0 + (ulong)$1"};
template <>
inline constexpr operator_text text_of_operator<std::minus>{"$0 - $1", "(ulong)$0 - (ulong)$1"};
template <>
inline constexpr operator_text text_of_operator<std::multiplies>{"$0 * $1",
                                                                 "(ulong)$0 * (ulong)$1"};
template <>
inline constexpr operator_text text_of_operator<std::negate>{"-$0", "-(ulong)$0"};
template <>
inline constexpr operator_text text_of_operator<std::bit_and>{{}, "$0 & $1"};
template <>
inline constexpr operator_text text_of_operator<std::bit_or>{{}, "$0 | $1"};
template <>
inline constexpr operator_text text_of_operator<std::bit_xor>{{}, "$0 ^ $1"};
template <>
inline constexpr operator_text text_of_operator<std::logical_and>{"$0 && $1", "$0 && $1"};
template <>
inline constexpr operator_text text_of_operator<std::logical_or>{"$0 || $1", "$0 || $1"};
template <>
inline constexpr operator_text text_of_operator<std::logical_not>{"!$0", "!$0"};

/// For a known functor: its text, and `type`, that of its operands (void: any type of number).
/// Functors of Pappus name the standard one that they act like.
template <typename F>
struct device_operator {};
template <template <typename> class Op, typename X>
  requires(!text_of_operator<Op>.integers.empty())
struct device_operator<Op<X>> {
  using type = X;
  static constexpr operator_text text = text_of_operator<Op>;
};
template <typename F>
  requires requires { typename F::acts_like; }
struct device_operator<F> : device_operator<typename F::acts_like> {};

template <typename F, typename T>
concept known_operator = std::is_arithmetic_v<T> && device_number<T> &&
                         requires { typename device_operator<F>::type; } &&
                         (std::is_void_v<typename device_operator<F>::type> ||
                          std::is_same_v<typename device_operator<F>::type, T>);

template <typename F, typename... In>
struct is_known_operator : std::false_type {};
template <typename F, typename T>
struct is_known_operator<F, T> : std::bool_constant<known_operator<F, T>> {};
template <typename F, typename T>
struct is_known_operator<F, T, T> : std::bool_constant<known_operator<F, T>> {};

template <typename F, typename... In>
constexpr std::string_view operator_text_for() {
  if constexpr (is_known_operator<F, In...>::value) {
    constexpr operator_text text = device_operator<F>::text;
    return (std::is_integral_v<In> && ...) ? text.integers : text.floats;
  } else {
    return {};
  }
}
template <typename F, typename... In>
inline constexpr std::string_view operator_text_of = operator_text_for<F, In...>();
template <typename F, typename... In>
inline constexpr bool has_operator_text = !operator_text_of<F, In...>.empty();

/// The byte of a record at which a member begins.
template <typename Record, typename Member>
std::size_t member_offset(Member member) {
  const auto record = std::bit_cast<Record>(std::array<std::byte, sizeof(Record)>{});
  const auto* const at = reinterpret_cast<const std::byte*>(std::addressof(record.*member));
  return static_cast<std::size_t>(at - reinterpret_cast<const std::byte*>(&record));
}

template <typename F>
inline constexpr bool names_member = std::is_member_object_pointer_v<F>;
template <auto Function>
inline constexpr bool names_member<fn_type<Function>> =
    std::is_member_object_pointer_v<decltype(Function)>;
template <typename Member>
Member member_of(Member member) {
  return member;
}
template <auto Member>
auto member_of(const fn_type<Member>&) {
  return Member;
}

template <typename F>
inline constexpr bool yields_its_argument = requires { F::yields_its_argument; };

/// The type of a function object, as bytes: device code doesn't look into it.
template <typename F>
inline constexpr device_type captures_type{
    .size = std::is_empty_v<F> ? 0 : sizeof(F), .align = alignof(F), .cpp_name = "captures"};

/// A function that calls others with its record and doesn't look at that itself: it says which,
/// as f.calls(), a tuple.
template <typename F>
concept calls_others = requires(const F& f) { f.calls(); };

/// Adds the bytes of a record of type In that f reads; false: that isn't known.
template <typename In, typename F>
bool add_reads(const F& f, byte_ranges& to) {
  if constexpr (calls_others<F>) {
    return std::apply([&](const auto&... part) { return (add_reads<In>(part, to) && ...); },
                      f.calls());
  } else if constexpr (names_member<F> && std::is_class_v<In>) {
    const auto member = member_of(f);
    to.push_back({member_offset<In>(member), sizeof(std::declval<const In&>().*member)});
    return true;
  } else {
    return false;
  }
}

/// A call of f without descriptors.
template <typename Out, typename F, typename... Sides>
compiled_call call_without_code(const F& f, const side_list<Sides...>& sides) {
  static constexpr const device_type* of_sides[] = {&device_type_of<Sides>..., nullptr};
  return {.unit = __BASE_FILE__,  // if several units have this function, the linker keeps one's
          .captures = {&f, &captures_type<F>},
          .first_side = sides.first,
          .sides = {of_sides, sizeof...(Sides)},
          .result = &device_type_of<Out>};
}

/// A call of f by the device code that the compiler plugin made of it, if it did. Only clang makes
/// slots: with other compilers the call has no descriptor.
template <typename Out, typename... In, typename F, typename... Sides>
device_variable describe_compiled(const F& f, device_writer& to,
                                  std::span<const device_variable> arguments,
                                  const side_list<Sides...>& sides, bool range) {
  auto what = call_without_code<Out>(f, sides);
  what.range = range;
#ifdef __clang__
  using inputs = input_list<In...>;
  using all_sides = side_list<Sides...>;
  if constexpr (requires(
                    std::invoke_result_t<const F&, const In&..., std::span<const Sides>...> r) {
                  static_cast<Out>(r);
                }) {
    what.descriptor = slot_of<call_thunk<F, Out, keep_result, inputs, all_sides>, F>::slot.compiled;
  } else {
    using counting = call_thunk<F, std::int64_t, count_results, inputs, all_sides>;
    using picking = call_thunk<F, Out, pick_result, inputs, all_sides, input_list<std::int64_t>>;
    what.descriptor = slot_of<counting, F>::slot.compiled;
    what.pick = slot_of<picking, F>::slot.compiled;
  }
#endif
  if constexpr (calls_others<F> && sizeof...(In) == 1) {
    byte_ranges reads;
    if (add_reads<In...>(f, reads)) what.reads = &reads;
    return to.call(what, arguments);
  } else {
    return to.call(what, arguments);
  }
}

/// The same for a batched function: its results don't depend on how records are cut into blocks, so
/// a device calls it with blocks of one.
template <typename Out, typename In, typename F, typename... Sides>
device_variable describe_compiled_batch(const F& f, device_writer& to, device_variable record,
                                        const side_list<Sides...>& sides) {
  auto what = call_without_code<Out>(f, sides);
#ifdef __clang__
  what.descriptor = slot_of<batch_thunk<F, Out, In, Sides...>, F>::slot.compiled;
#endif
  return to.call(what, {&record, 1});
}

/// Describes a call f(arguments of types In..., sides...), which returns Out or, if `range`, a
/// range of Out.
template <typename Out, typename... In, typename F, typename... Sides>
device_variable describe_function(const F& f, device_writer& to,
                                  std::span<const device_variable> arguments,
                                  const side_list<Sides...>& sides = {}, bool range = false) {
  if constexpr (has_device_code<F>) {
    static constexpr const device_type* of_sides[] = {&device_type_of<Sides>..., nullptr};
    return f.with_device_values([&](std::span<const device_value> values) {
      return to.call(device_call{f.code.get(),
                                 sides.first,
                                 {of_sides, sizeof...(Sides)},
                                 values,
                                 &device_type_of<Out>,
                                 range},
                     arguments);
    });
  } else if constexpr (yields_its_argument<F>) {
    return arguments[0];
  } else if constexpr (requires { f.template describe<Out, In...>(to, arguments); }) {
    return f.template describe<Out, In...>(to, arguments);
  } else if constexpr (names_member<F> && sizeof...(In) == 1 && (std::is_class_v<In> && ...)) {
    return to.field(arguments[0], member_offset<In...>(member_of(f)), device_type_of<Out>);
  } else if constexpr (has_operator_text<F, In...>) {
    return to.compute(operator_text_of<F, In...>, arguments, device_type_of<Out>);
  } else {
    return describe_compiled<Out, In...>(f, to, arguments, sides, range);
  }
}

/// Describes the numbers that a key consists of, the most significant first.
template <typename K>
void describe_key(device_writer& to, device_variable key, bool descending) {
  if constexpr (device_number<K>) {
    to.key(key, descending);
  } else if constexpr (string_key<K>) {
    to.refuse("its key is a string", key);
  } else if constexpr (is_category<K>) {
    to.key(to.field(key, 0, device_type_of<std::uint32_t>), descending);
  } else if constexpr (is_std_array<K>) {
    using part = typename K::value_type;
    for (std::size_t i = 0; i < std::tuple_size_v<K>; ++i)
      describe_key<part>(to, to.field(key, i * sizeof(part), device_type_of<part>), descending);
  } else if constexpr (constexpr auto count = field_count<K>(); count > 0) {
    const auto zero = std::bit_cast<K>(std::array<std::byte, sizeof(K)>{});
    const auto* const begin = reinterpret_cast<const std::byte*>(&zero);
    visit_fields<count>(zero, [&]<typename... Part>(const Part&... part) {
      const auto offset = [&](const void* at) {
        return static_cast<std::size_t>(static_cast<const std::byte*>(at) - begin);
      };
      (describe_key<Part>(to, to.field(key, offset(std::addressof(part)), device_type_of<Part>),
                          descending),
       ...);
    });
  } else {
    to.refuse("its key has no bits on a device", key);
  }
}

}  // namespace pappus::detail
