// The typed loops of top and bottom: each worker gathers candidates.
//
// A worker appends every record that could still be among its n best and, when its buffer is full,
// keeps the best n; the worst of these is from then on the bar. Candidates carry their row number,
// so their order is total and what is chosen can't depend on who saw which rows.
//
// A candidate has its key's bits. A string may be a view of characters in the record, which moves:
// it is taken of the candidate's record whenever two are compared.
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
  void (*keep_best)(const void* element, top_buffer& buffer) = nullptr;
  /// Sorts candidates and writes the records of the first n of them.
  void (*finish)(const void* element, std::byte* candidates, std::int64_t count, std::int64_t n,
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

/// Of a key: the best has the least, or where the greatest are wanted the greatest. What is missing
/// comes last in both.
template <typename K, bool Greatest>
auto order_of(const K& key) {
  if constexpr (string_key<K>) {
    return key;
  } else {
    using codec = key_codec<K>;
    constexpr wide all = codec::width < 128 ? (wide{1} << codec::width) - 1 : ~wide{0};
    constexpr wide flip = Greatest ? all & ~reversed_bits<codec>() : wide{0};
    if constexpr (codec::width > 64)
      return from_wide(codec::encode(key) ^ flip);
    else
      return static_cast<key_bits<K>>(encode_key(key) ^ static_cast<key_bits<K>>(flip));
  }
}

template <typename Order, typename T>
struct candidate {
  Order key;
  std::int64_t row;
  T record;
};
template <typename T>
struct candidate<std::string_view, T> {
  std::int64_t row;
  T record;
};

/// How an element's candidates are ordered.
template <typename Element>
struct candidate_order {
  using key_type = typename Element::key_type;
  using order = decltype(order_of<key_type, Element::greatest>(std::declval<const key_type&>()));
  using entry = candidate<order, typename Element::value_type>;

  bound_function<decltype(Element::key)> key;
  explicit candidate_order(const Element& of) : key(of.key) {}

  order of_record(const typename Element::value_type& record) const {
    return order_of<key_type, Element::greatest>(key(record));
  }
  order of(const entry& one) const {
    if constexpr (string_key<key_type>)
      return of_record(one.record);
    else
      return one.key;
  }
  static entry made(const order& own, std::int64_t row,
                    const typename Element::value_type& record) {
    if constexpr (string_key<key_type>)
      return {row, record};
    else
      return {own, row, record};
  }
  /// Whether key a is better than key b.
  static bool wins(const order& a, const order& b) { return Element::greatest ? b < a : a < b; }
  bool operator()(const entry& a, const entry& b) const {
    const order of_a = of(a), of_b = of(b);
    if (wins(of_a, of_b)) return true;
    return !wins(of_b, of_a) && a.row < b.row;
  }
};

template <typename Element>
void keep_best(const void* element, top_buffer& buffer) {
  using ordered = candidate_order<Element>;
  auto* const all = reinterpret_cast<typename ordered::entry*>(buffer.candidates);
  if (buffer.count <= buffer.limit) return;
  std::nth_element(all, all + buffer.limit - 1, all + buffer.count,
                   ordered(*static_cast<const Element*>(element)));
  buffer.count = buffer.limit;
  buffer.has_bar = true;
}

template <typename Element>
void consider_rows(const void* element, const block_args& args, top_buffer& buffer) {
  using ordered = candidate_order<Element>;
  using entry = typename ordered::entry;
  const auto& self = *static_cast<const Element*>(element);
  const auto bound = self.expression.bind(args);
  const ordered best(self);
  auto* const all = reinterpret_cast<entry*>(buffer.candidates);
  if (buffer.count + args.rows > buffer.capacity) keep_best<Element>(element, buffer);
  const bool has_bar = buffer.has_bar;
  using order = typename ordered::order;
  const order bar = has_bar ? best.of(all[buffer.limit - 1]) : order{};
  // Workers meet rows in ascending order, mostly: then an equal one can't replace the bar.
  const bool ties_win = has_bar && args.row < all[buffer.limit - 1].row;

  if constexpr (Element::yields == cardinality::one && std::is_unsigned_v<order>) {
    // Not bool, so that the loop vectorises.
    std::uint32_t found = has_bar && !ties_win ? 0 : 1;
    if (found == 0)
      for (std::int64_t i = 0; i < args.rows; ++i)
        bound.at(i, [&](const auto& value) {
          found |= best.wins(best.of_record(value), bar) ? 1u : 0u;
        });
    if (found == 0) return;
  }
  entry* next = all + buffer.count;
  for (std::int64_t i = 0; i < args.rows; ++i) {
    bound.at(i, [&](const auto& value) {
      const order own = best.of_record(value);
      if (!has_bar || best.wins(own, bar) || (ties_win && !best.wins(bar, own)))
        ::new (static_cast<void*>(next++)) entry(ordered::made(own, args.row + i, value));
    });
  }
  buffer.count = next - all;
}

template <typename Element>
void finish_top(const void* element, std::byte* candidates, std::int64_t count, std::int64_t n,
                std::byte* records) {
  using ordered = candidate_order<Element>;
  auto* const all = reinterpret_cast<typename ordered::entry*>(candidates);
  using T = typename Element::value_type;
  std::partial_sort(all, all + n, all + count, ordered(*static_cast<const Element*>(element)));
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
  params->candidate = record_type_of<typename candidate_order<Element>::entry>();
  if constexpr (!string_key<typename Element::key_type>)
    params->key_bytes = sizeof(typename candidate_order<Element>::order);
  params->greatest = Element::greatest;
  params->consider = consider_rows<Element>;
  params->keep_best = keep_best<Element>;
  params->finish = finish_top<Element>;
  return params;
}

}  // namespace pappus::detail
