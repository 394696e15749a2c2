// The ready-made reducers in device C: states laid out as in reducers.h, accumulating in the same
// order with the same arithmetic. Merging and finishing stay on the host.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <type_traits>

#include "pappus/detail/fuse/describe.h"
#include "pappus/reducers.h"

namespace pappus::detail {

/// R in device C, if it is known. value: the type of the values it is given, void for any; fields:
/// the state's; accumulate: C that adds value `x` to the state `*s`.
template <typename R>
struct device_reducer {};

template <>
struct device_reducer<reducers::count> {
  using value = void;
  static constexpr device_field fields[] = {{"n", 0, &device_type_of<std::int64_t>}};
  static constexpr std::string_view accumulate = "s->n += 1;";
};

template <device_number T>
struct device_reducer<reducers::sum<T>> {
  using value = T;
  static constexpr device_field fields[] = {{"total", 0, &device_type_of<reducers::sum_type<T>>}};
  static constexpr std::string_view accumulate =
      std::is_integral_v<T> ? "s->total = (ulong)s->total + (ulong)x;" : "s->total += x;";
};

template <device_number T>
struct device_reducer<reducers::mean<T>> {
  using value = T;
  static constexpr device_field fields[] = {{"total", 0, &device_type_of<reducers::sum_type<T>>},
                                            {"n", 8, &device_type_of<std::int64_t>}};
  static constexpr std::string_view accumulate = "s->total += x;\ns->n += 1;";
};

/// Pieces of text joined at compile time.
template <const std::string_view&... Pieces>
struct joined_text {
  static constexpr auto characters = [] {
    std::array<char, (Pieces.size() + ...)> all{};
    auto at = all.begin();
    ((at = std::ranges::copy(Pieces, at).out), ...);
    return all;
  }();
  static constexpr std::string_view value{characters.data(), characters.size()};
};

/// The arithmetic of exact.h as device code, on words without a sign: for a signed x; for an
/// unsigned x; adding x to a sum, of up to 32 bits or more; adding its square to a sum of squares.
inline constexpr std::string_view with_sign =
    "const long negative = x < 0 ? 1 : 0;\n"
    "const ulong word = (ulong)x, size = negative ? 0 - word : word;\n";
inline constexpr std::string_view without_sign =
    "const long negative = 0;\n"
    "const ulong word = (ulong)x, size = word;\n";
inline constexpr std::string_view add_narrow_exactly =
    "const ulong low = s->low, sum = low + word;\n"
    "const long wraps = (long)(((low ^ sum) & (word ^ sum)) >> 63);\n"
    "s->low = sum;\n"
    "s->high += negative ? -wraps : wraps;\n"
    "s->n += 1;";
inline constexpr std::string_view add_wide_exactly =
    "s->low += word;\n"
    "s->high += (long)(s->low < word) - negative;\n"
    "s->n += 1;";
inline constexpr std::string_view add_square_exactly =
    "\nconst ulong a = size >> 32, b = size & 0xFFFFFFFF, both = a * b;\n"
    "const ulong square = b * b + (both << 33);\n"
    "s->squares_low += square;\n"
    "const ulong high = a * a + (both >> 31) + (ulong)(square < both << 33) +\n"
    "                   (ulong)(s->squares_low < square);\n"
    "s->squares_middle += high;\n"
    "s->squares_high += (ulong)(s->squares_middle < high);";
template <typename T>
inline constexpr const std::string_view& sign_text = std::is_signed_v<T> ? with_sign : without_sign;
template <typename T>
inline constexpr const std::string_view& add_exactly =
    sizeof(T) <= 4 ? add_narrow_exactly : add_wide_exactly;

template <device_number T>
  requires exactly_summed<T>
struct device_reducer<reducers::mean<T>> {
  using value = T;
  static constexpr device_field fields[] = {{"low", 0, &device_type_of<std::uint64_t>},
                                            {"high", 8, &device_type_of<std::int64_t>},
                                            {"n", 16, &device_type_of<std::int64_t>}};
  static constexpr std::string_view accumulate = joined_text<sign_text<T>, add_exactly<T>>::value;
};

template <device_number T>
struct device_reducer<reducers::variance<T>> {
  using value = T;
  static constexpr device_field fields[] = {{"shift", 0, &device_type_of<double>},
                                            {"average", 8, &device_type_of<double>},
                                            {"squares", 16, &device_type_of<double>},
                                            {"n", 24, &device_type_of<std::int64_t>}};
  static constexpr std::string_view accumulate =
      "if (s->n == 0) s->shift = (double)x;\n"
      "s->n += 1;\n"
      "const double difference = (double)x - s->shift;\n"
      "const double delta = difference - s->average;\n"
      "s->average += delta / (double)s->n;\n"
      "s->squares += delta * (difference - s->average);";
};

/// The state is laid out as an exact_sum_of<T>, exact_squares and n.
template <device_number T>
  requires exactly_summed<T>
struct device_reducer<reducers::variance<T>> {
  using value = T;
  static constexpr device_field fields[] = {{"low", 0, &device_type_of<std::uint64_t>},
                                            {"high", 8, &device_type_of<std::int64_t>},
                                            {"squares_low", 16, &device_type_of<std::uint64_t>},
                                            {"squares_middle", 24, &device_type_of<std::uint64_t>},
                                            {"squares_high", 32, &device_type_of<std::uint64_t>},
                                            {"n", 40, &device_type_of<std::int64_t>}};
  static constexpr std::string_view accumulate =
      joined_text<sign_text<T>, add_exactly<T>, add_square_exactly>::value;
};

/// The state of min, max and first.
template <typename T>
struct device_choice {
  using value = T;
  static constexpr device_field fields[] = {{"best", 0, &device_type_of<T>},
                                            {"any", sizeof(T), &device_type_of<bool>}};
};
template <device_number T>
struct device_reducer<reducers::min<T>> : device_choice<T> {
  static constexpr std::string_view accumulate =
      std::is_floating_point_v<T>
          ? "if (!s->any || x < s->best || (s->best != s->best && x == x)) s->best = x;\n"
            "s->any = 1;"
          : "if (!s->any || x < s->best) s->best = x;\ns->any = 1;";
};
template <device_number T>
struct device_reducer<reducers::max<T>> : device_choice<T> {
  static constexpr std::string_view accumulate =
      std::is_floating_point_v<T>
          ? "if (!s->any || s->best < x || (x != x && s->best == s->best)) s->best = x;\n"
            "s->any = 1;"
          : "if (!s->any || s->best < x) s->best = x;\ns->any = 1;";
};
template <typename T>
struct device_reducer<reducers::first<T>> : device_choice<T> {
  static constexpr std::string_view accumulate = "if (!s->any) s->best = x;\ns->any = 1;";
};

template <>
struct device_reducer<reducers::any> {
  using value = bool;
  static constexpr device_field fields[] = {{"found", 0, &device_type_of<bool>}};
  static constexpr std::string_view accumulate = "s->found |= x;";
};
template <>
struct device_reducer<reducers::all> {
  using value = bool;
  static constexpr device_field fields[] = {{"holds", 0, &device_type_of<bool>}};
  static constexpr std::string_view accumulate = "s->holds &= x;";
};

template <typename T, typename Op>
  requires known_operator<Op, T>
struct device_reducer<reducers::folding<T, Op>> {
  using value = T;
  static constexpr device_field fields[] = {{"value", 0, &device_type_of<T>}};
  static constexpr std::string_view expression =
      std::is_integral_v<T> ? device_operator<Op>::text.integers : device_operator<Op>::text.floats;
};

/// op(total, x) on numbers has the total's type: x is converted to it.
template <typename Total, typename X>
concept widens_to = std::is_arithmetic_v<Total> && std::is_arithmetic_v<X> &&
                    std::is_same_v<std::common_type_t<Total, X>, Total>;

/// Whether a reducer is a fold by a known operator, which is described by an expression.
template <typename Known>
inline constexpr bool folds = requires { Known::expression; };

/// R is known in device C, and values of type T are, or convert to, what it is given.
template <typename R, typename T, typename Known = device_reducer<R>>
concept known_reducer =
    requires { Known::fields; } &&
    (std::is_void_v<typename Known::value> || std::is_same_v<typename Known::value, T> ||
     (std::is_arithmetic_v<typename Known::value> && std::is_arithmetic_v<T> &&
      (!folds<Known> || widens_to<typename Known::value, T>)));

/// Describes how reducer R accumulates a value. \tparam T  the value's type.
template <typename R, typename T>
void describe_reducer(device_writer& to, device_variable value) {
  using known = device_reducer<R>;
  if constexpr (requires { R::on_device(); }) {
    const device_code code = R::on_device();
    to.reduce(value, device_type_of<R>, "$f(s, x);", &code);
  } else if constexpr (known_reducer<R, T>) {
    static constexpr device_type state = device_fields<R>(known::fields);
    auto own = value;
    if constexpr (std::is_void_v<typename known::value>)
      own = value == device_writer::no_variable ? value : device_writer::no_value;
    else if constexpr (!std::is_same_v<typename known::value, T>)
      own = to.compute("$0", {&value, 1}, device_type_of<typename known::value>);
    if constexpr (folds<known>)
      to.fold(own, state, known::expression);
    else
      to.reduce(own, state, known::accumulate, nullptr);
  } else {
    const char* descriptor = nullptr;
#ifdef __clang__
    descriptor = slot_of<accumulate_thunk<R, T>, R>::slot.compiled;
#endif
    to.reduce(value, device_type_of<R>, descriptor);
  }
}

}  // namespace pappus::detail
