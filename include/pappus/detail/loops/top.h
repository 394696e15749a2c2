// The typed loops of top and bottom: each worker gathers candidates.
//
// A worker appends every record that could still be among its n best and, when its buffer is full,
// keeps the best n; the worst of these is from then on the bar. Candidates carry their row number,
// so their order is total and what is chosen can't depend on who saw which rows.
//
// Blocks are tested as a whole first: once the bar is high, most have no candidate, and the loop
// that finds out vectorises.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>

#include "pappus/detail/base/keys.h"
#include "pappus/detail/base/request.h"
#include "pappus/detail/fuse/expression.h"
#include "pappus/detail/loops/sort.h"

namespace pappus::detail {

/// A worker's candidates; room for `capacity`, at least one block more than `limit`.
struct top_buffer {
  std::byte* candidates = nullptr;
  std::int64_t count = 0, limit = 0, capacity = 0;
  bool has_bar = false;  ///< the bar is candidates[limit - 1]
};

struct top_params : op_params {
  std::int64_t limit = 0;
  record_type candidate;      ///< with its key and row
  std::size_t key_bytes = 0;  ///< of the key's bits, with which a candidate begins; 0: a string
  bool greatest = false;
  /// Appends the rows of a block that may be among the best.
  void (*consider)(const void* element, const block_args& args, top_buffer& buffer) = nullptr;
  /// Leaves no more candidates than the limit: the best.
  void (*keep_best)(top_buffer& buffer) = nullptr;
  /// Sorts candidates and writes the records of the first n of them.
  void (*finish)(std::byte* candidates, std::int64_t count, std::int64_t n,
                 std::byte* records) = nullptr;
};
const graph::operator_entry& top_operator();

template <typename E, typename Key, bool Greatest>
struct top_element {
  using value_type = value_of<E>;
  using key_type = sort_key_of<Key, value_type>;
  static constexpr bool greatest = Greatest;
  static constexpr cardinality yields = E::yields;
  E expression;
  Key key;
};

template <typename K>
auto order_of(const K& key) {
  if constexpr (string_key<K>)
    return key;
  else
    return encode_key(key);
}

template <typename Element>
struct candidate {
  using order = decltype(order_of(std::declval<const typename Element::key_type&>()));
  order key;
  std::int64_t row;
  typename Element::value_type record;

  /// Whether key a is better than key b.
  static bool wins(const order& a, const order& b) { return Element::greatest ? b < a : a < b; }
  static bool before(const candidate& a, const candidate& b) {
    if (wins(a.key, b.key)) return true;
    return !wins(b.key, a.key) && a.row < b.row;
  }
};

template <typename Element>
void keep_best(top_buffer& buffer) {
  auto* const all = reinterpret_cast<candidate<Element>*>(buffer.candidates);
  if (buffer.count <= buffer.limit) return;
  std::nth_element(all, all + buffer.limit - 1, all + buffer.count, candidate<Element>::before);
  buffer.count = buffer.limit;
  buffer.has_bar = true;
}

template <typename Element>
void consider_rows(const void* element, const block_args& args, top_buffer& buffer) {
  using entry = candidate<Element>;
  const auto& self = *static_cast<const Element*>(element);
  const auto bound = self.expression.bind(args);
  const bound_function key(self.key);
  auto* const all = reinterpret_cast<entry*>(buffer.candidates);
  if (buffer.count + args.rows > buffer.capacity) keep_best<Element>(buffer);
  const bool has_bar = buffer.has_bar;
  using order = typename entry::order;
  const order bar = has_bar ? all[buffer.limit - 1].key : order{};
  // Workers meet rows in ascending order, mostly: then an equal one can't replace the bar.
  const bool ties_win = has_bar && args.row < all[buffer.limit - 1].row;

  if constexpr (Element::yields == cardinality::one && std::is_unsigned_v<order>) {
    // Not bool, so that the loop vectorises.
    std::uint32_t found = has_bar && !ties_win ? 0 : 1;
    if (found == 0)
      for (std::int64_t i = 0; i < args.rows; ++i)
        bound.at(i, [&](const auto& value) {
          found |= entry::wins(order_of<typename Element::key_type>(key(value)), bar) ? 1u : 0u;
        });
    if (found == 0) return;
  }
  entry* next = all + buffer.count;
  for (std::int64_t i = 0; i < args.rows; ++i) {
    bound.at(i, [&](const auto& value) {
      const order own = order_of<typename Element::key_type>(key(value));
      if (!has_bar || entry::wins(own, bar) || (ties_win && !entry::wins(bar, own)))
        ::new (static_cast<void*>(next++)) entry{own, args.row + i, value};
    });
  }
  buffer.count = next - all;
}

template <typename Element>
void finish_top(std::byte* candidates, std::int64_t count, std::int64_t n, std::byte* records) {
  auto* const all = reinterpret_cast<candidate<Element>*>(candidates);
  using T = typename Element::value_type;
  std::partial_sort(all, all + n, all + count, candidate<Element>::before);
  for (std::int64_t i = 0; i < n; ++i)
    ::new (static_cast<void*>(records + static_cast<std::size_t>(i) * sizeof(T))) T(all[i].record);
}

/// Describes it to devices as a sort by the key, since top is the first rows of that.
template <typename Element>
void describe_top(const void* element, device_writer& to) {
  const auto& self = *static_cast<const Element*>(element);
  describe_records<decltype(Element::expression)>(&self.expression, to);
  describe_sort_key<typename Element::value_type>(self.key, Element::greatest, to);
}

template <typename Element>
std::shared_ptr<top_params> make_top_params(std::int64_t limit) {
  auto params = std::make_shared<top_params>();
  params->limit = limit;
  params->candidate = record_type_of<candidate<Element>>();
  if constexpr (!string_key<typename Element::key_type>)
    params->key_bytes = sizeof(typename candidate<Element>::order);
  params->greatest = Element::greatest;
  params->consider = consider_rows<Element>;
  params->keep_best = keep_best<Element>;
  params->finish = finish_top<Element>;
  return params;
}

}  // namespace pappus::detail
