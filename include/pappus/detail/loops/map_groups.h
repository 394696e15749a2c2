// The typed loops of map_groups: those of group_by that extract keys and records, and the call of
// the user's function for a group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>

#include "pappus/detail/loops/group.h"
#include "pappus/detail/loops/put_range.h"

namespace pappus::detail {

/// What cpu_ops/map_groups.cpp knows of map_groups().
struct map_groups_params : group_params {
  /// Calls `function` for one group of n records, which it may put in another order, and writes the
  /// record that it returns to `out`.
  void (*apply)(const void* function, const std::byte* key, std::byte* records, std::size_t n,
                std::byte* out) = nullptr;
  /// In its place where `function` returns a range of records, all of which go to `out`.
  void (*apply_flat)(const void* function, const std::byte* key, std::byte* records, std::size_t n,
                     apply_output& out) = nullptr;
  std::shared_ptr<const void> function;
  bool reorders = false;  ///< whether it does
  record_type value;      ///< of a group's records
  /// A key for messages; empty where its type has no short text.
  std::string (*key_text)(const std::byte* key) = nullptr;
};
const graph::operator_entry& map_groups_operator();

template <typename Keys>
PAPPUS_GLUE std::string group_key_text(const std::byte* key) {
  using type = typename Keys::key;
  const auto stored = *reinterpret_cast<const typename Keys::stored*>(key);
  if constexpr (std::is_floating_point_v<type>)
    return std::to_string(Keys::decode(stored));
  else if constexpr ((std::is_integral_v<type> || std::is_enum_v<type>) && sizeof(type) <= 8)
    return std::to_string(static_cast<std::int64_t>(Keys::decode(stored)));
  else if constexpr (std::is_same_v<type, std::string_view>)
    return '"' + std::string(stored) + '"';
  else
    return {};
}

/// A function whose records are those of the range that it returns.
template <typename F>
struct returns_range {
  F function;
  template <typename Key, typename T>
  decltype(auto) operator()(const Key& key, std::span<T> records) const {
    return std::invoke(function, key, records);
  }
};
template <typename F>
inline constexpr bool is_flat = false;
template <typename F>
inline constexpr bool is_flat<returns_range<F>> = true;

template <typename Returned, bool Flat>
struct record_of_group {
  using type = Returned;
};
template <typename Returned>
struct record_of_group<Returned, true> {
  static_assert(std::ranges::range<Returned>,
                "flat_map_groups: the function must return a range of records");
  using type = std::ranges::range_value_t<Returned>;
};

/// Whether a function of ours wants to put a group's values in another order.
template <typename F>
inline constexpr bool reorders_values = requires { F::reorders_values; };
template <typename F>
inline constexpr bool reorders_values<returns_range<F>> = reorders_values<F>;

/// Whether a function of ours returns keyed<Key, V> of the key that it is given.
template <typename F>
inline constexpr bool makes_keyed = requires { F::makes_keyed; };

template <typename G, typename F>
using group_values =
    std::span<std::conditional_t<reorders_values<F>, typename G::value, const typename G::value>>;
template <typename G, typename F>
using result_of_group = std::remove_cvref_t<
    std::invoke_result_t<const F&, const typename decltype(G::keys)::key&, group_values<G, F>>>;

template <typename G, typename F>
void group_apply_flat(const void* function, const std::byte* key, std::byte* records, std::size_t n,
                      apply_output& out) {
  using keys = decltype(G::keys);
  const typename keys::key group =
      keys::decode(*reinterpret_cast<const typename keys::stored*>(key));
  put_range(std::invoke(*static_cast<const F*>(function), group,
                        group_values<G, F>(reinterpret_cast<typename G::value*>(records), n)),
            out);
}

template <typename G, typename F>
void group_apply(const void* function, const std::byte* key, std::byte* records, std::size_t n,
                 std::byte* out) {
  using keys = decltype(G::keys);
  using output = result_of_group<G, F>;
  const typename keys::key group =
      keys::decode(*reinterpret_cast<const typename keys::stored*>(key));
  ::new (static_cast<void*>(out))
      output(std::invoke(*static_cast<const F*>(function), group,
                         group_values<G, F>(reinterpret_cast<typename G::value*>(records), n)));
}

}  // namespace pappus::detail
