// The typed loops of group_by: what touches keys, values and reducers.
//
// cpu_ops/group*.cpp decide where states are and in which order rows reach them; they know keys as
// bits and values as bytes. Here, in the user's translation unit, a block of rows becomes keys and
// values (extract), which may go straight to partitions (partition), values are accumulated through
// pointers to states (accumulate) or by their keys in a table (add_to_table for a known domain,
// add_to_hash), or everything happens in one fused loop (direct, direct_hash). Tables are merged
// (merge), and at the end keys and states become records (emit).
//
// A value is what the reducer is given: the projected field where there is a projection, else the
// record. If values are the rows of the stage's input they stay where they are, and only their keys
// are extracted.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <string>

#include "pappus/detail/base/hash.h"
#include "pappus/detail/base/keep.h"
#include "pappus/detail/base/partition.h"
#include "pappus/detail/base/request.h"
#include "pappus/detail/fuse/expression.h"
#include "pappus/detail/loops/fold.h"
#include "pappus/detail/loops/group_keys.h"
#include "pappus/detail/loops/group_routes.h"
#include "pappus/detail/loops/grouping.h"
#include "pappus/detail/loops/met_keys.h"
#include "pappus/function.h"

namespace pappus::detail {

/// Takes the keys and values that extract() makes of rows.
struct group_batch {
  /// Whether a key is in `text`.
  bool goes(std::string_view key) const noexcept {
    return !std::less<>()(key.data(), text) && std::less<>()(key.data(), text + text_bytes);
  }

  std::byte* keys = nullptr;     ///< room for `capacity` keys
  std::byte* payload = nullptr;  ///< room for as many values; null if they aren't copied
  std::size_t capacity = 0;      ///< at most group_batch_rows
  const char* text = nullptr;    ///< of keys, until flush() returns
  std::size_t text_bytes = 0;
  /// Takes n rows: their keys are in `keys`, their values at `values`.
  void (*flush)(group_batch& self, const std::byte* values, std::size_t n) = nullptr;
};

/// What is kept of a row until it is the turn of its group, which has no room in memory. The value
/// lies behind both others, where its alignment allows.
template <typename Value>
struct late_row {
  std::string_view key;
  std::int64_t leaf;  ///< that the row is in
  Value value;
};
template <>
struct late_row<nothing> {
  std::string_view key;
  std::int64_t leaf;
};

/// What cpu_ops/group.cpp knows of a grouped reduction.
struct group_params : op_params {
  std::size_t key_bytes = 0;      ///< 4, 8 or 16; for strings those of a std::string_view
  bool strings = false;           ///< keys are std::string_view; tables have codes of them
  bool keys_in_records = false;   ///< and may be views of characters in records themselves
  std::int64_t domain = -1;       ///< keys are 0, ..., domain - 1; -1: no domain is known
  std::int64_t expected = -1;     ///< number of groups, by expect(); -1: not known
  std::size_t payload_bytes = 0;  ///< of a value; 0 if the reducer doesn't look at values
  bool in_place = false;          ///< values are the rows of the stage's input
  std::size_t state_bytes = 0, state_align = 1;
  bool values_may_point = true, states_may_point = true;  ///< to text of records
  bool exact = false;  ///< the reducer: where leaves are cut changes no state's bits
  record_type late;    ///< late_row, where keys are strings
  std::size_t value_align = 1;
  std::shared_ptr<const std::byte> initial;  ///< the state of a group without rows

  void (*direct)(const void* element, const block_args& args, std::byte* table) = nullptr;
  void (*extract)(const void* element, const block_args& args, group_batch& batch) = nullptr;
  /// As `direct`, with a hash table, in which it looks keys up in line. Null for domains.
  void (*direct_hash)(const void* element, const block_args& args, group_slots& table) = nullptr;
  /// Puts the keys and values of a block's rows into partitions: of a known domain by the key's top
  /// bits, else by those of spread_hash::product().
  void (*partition)(const void* element, const block_args& args, partition_buffers& to) = nullptr;
  void (*add_to_hash)(const std::byte* keys, const std::byte* values, std::size_t n,
                      group_slots& table) = nullptr;
  void (*accumulate)(const std::byte* values, std::byte* const* states, std::size_t n) = nullptr;
  void (*add_to_table)(const std::byte* keys, const std::byte* values, std::size_t n,
                       std::byte* table) = nullptr;
  routing_loops routing;
  group_merging merge;
  /// Writes n records.
  void (*emit)(const std::byte* keys, const std::byte* const* states, std::size_t n,
               std::byte* out) = nullptr;
};
const graph::operator_entry& group_operator();

[[noreturn]] void throw_empty_group(const char* reducer, const std::string& key);

/// Adds what a projection makes of a record to a state. A reducer of several parts gets them one by
/// one (accumulate.h).
template <typename R, typename Project, typename Record>
PAPPUS_INLINE_BY_CLANG inline void accumulate_projected(R& state, const Project& project,
                                                        const Record& record) {
  if constexpr (requires { state.accumulate_each(project.get(), record); })
    state.accumulate_each(project.get(), record);
  else
    state.accumulate(project(record));
}

template <typename G, typename R>
void group_direct(const void* element, const block_args& args, std::byte* table) {
  const auto bound = static_cast<const G*>(element)->bind(args);
  auto* states = reinterpret_cast<R*>(table);
  bound.each(args.rows, [&](const auto& key, const auto& record) {
    accumulate_projected(states[bound.keys.encode(key)], bound.project, record);
  });
}

template <typename G, typename R>
void group_direct_hash(const void* element, const block_args& args, group_slots& table) {
  const auto bound = static_cast<const G*>(element)->bind(args);
  group_finder<R, typename G::stored_key> state_of(table);
  const auto add = [&](const auto& key, const auto& record) {
    accumulate_projected(state_of(bound.keys.encode(key)), bound.project, record);
  };
  if constexpr (G::row_by_row) {
    // With a small state a row takes a dozen instructions, to which a loop adds four.
    constexpr std::int64_t step = sizeof(R) <= 64 ? 8 : 1;
    const auto add_row = [&](std::int64_t, const auto& key, const auto& record) {
      add(key, record);
    };
    std::int64_t at = 0;
    for (; at + step <= args.rows; at += step) {
#pragma GCC unroll 8
      for (std::int64_t i = 0; i < step; ++i) bound.at_each(at + i, 1, add_row);
    }
    bound.at_each(at, args.rows - at, add_row);
  } else {
    bound.each(args.rows, add);
  }
}

/// Adds a row whose key is text to its group.
template <typename G, typename R>
struct text_adder {
  const typename G::bound& bound;
  group_finder<R, bits128> state_of;
  text_coder& texts;

  template <typename Key, typename Record>
  PAPPUS_INLINE_BY_CLANG void operator()(const Key& key, const Record& record) {
    accumulate_projected(state_of(decltype(G::keys)::code(key, texts)), bound.project, record);
  }
  template <typename Key, typename Record>
  PAPPUS_INLINE_BY_CLANG void operator()(std::int64_t, const Key& key, const Record& record) {
    (*this)(key, record);
  }
};

/// Whether records are rows of the stage's input, whose texts lie still while its blocks are taken.
template <typename E>
inline constexpr bool yields_rows = is_source<E>;
template <typename Prev, typename Call>
inline constexpr bool yields_rows<filtered<Prev, Call>> = yields_rows<Prev>;

/// Whether keys may be told by where their texts lie.
template <typename G>
inline constexpr bool may_be_met =
    yields_rows<decltype(G::rows)> && !is_batched_call<decltype(G::key)> &&
    shows_texts<typename G::record> && placed_key<typename decltype(G::keys)::key>;

/// Whether keys are fields of records. Which, compilers don't see: pointers to members are values.
template <typename Key>
inline constexpr bool takes_fields = false;
template <typename Record, typename T>
inline constexpr bool takes_fields<call<T Record::*>> = !std::is_function_v<T>;
template <typename Record, typename... Ts>
inline constexpr bool takes_fields<call<projections<Ts Record::*...>>> =
    (!std::is_function_v<Ts> && ...);

/// Adds a block's rows to groups whose keys are texts, most of which were met before. Returns
/// whether most were.
template <typename G, typename R>
[[gnu::always_inline]] inline bool add_met_texts(const typename G::bound& bound, std::int64_t n,
                                                 group_slots& table) {
  using keys = met_keys<R, decltype(G::keys)>;
  auto& met = table.texts->met;
  if (!met) met = std::make_shared<keys>(table);
  typename keys::finder state_of(*static_cast<keys*>(met.get()), table, *table.texts);
  std::int64_t rows = 0;
  bound.each(n, [&](const auto& key, const auto& record) PAPPUS_LAMBDA_INLINE_BY_CLANG {
    ++rows;
    accumulate_projected(state_of.template find<takes_fields<decltype(G::key)>>(key, record),
                         bound.project, record);
  });
  return state_of.missed() <= rows / 8;
}

/// The same for keys that are texts.
template <typename G, typename R>
[[gnu::flatten]] void group_direct_texts(const void* element, const block_args& args,
                                         group_slots& table) {
  const auto bound = static_cast<const G*>(element)->bind(args);
  if constexpr (may_be_met<G>) {
    constexpr int blocks_between = 31;  // such that tell nothing new
    if (int& apart = table.texts->blocks_apart; apart > 0) {
      --apart;
    } else {
      apart = add_met_texts<G, R>(bound, args.rows, table) ? 0 : blocks_between;
      return;
    }
  }
  text_adder<G, R> add{bound, group_finder<R, bits128>(table), *table.texts};
  if constexpr (G::row_by_row)
    bound.at_each(0, args.rows, add);
  else
    bound.each(args.rows, add);
}

template <typename G>
[[gnu::flatten]] void group_extract(const void* element, const block_args& args,
                                    group_batch& batch) {
  using value = typename G::value;
  const auto bound = static_cast<const G*>(element)->bind(args);
  auto* keys = reinterpret_cast<typename G::stored_key*>(batch.keys);
  auto* values = reinterpret_cast<value*>(batch.payload);
  const auto put = [&](std::size_t i, const auto& key, const auto& record) {
    ::new (static_cast<void*>(keys + i)) typename G::stored_key(bound.keys.encode(key));
    if constexpr (G::has_value && !G::in_place)
      ::new (static_cast<void*>(values + i)) value(bound.project(record));
  };
  if constexpr (G::row_by_row && !G::keys_may_go) {
    const auto capacity = static_cast<std::int64_t>(batch.capacity);
    for (std::int64_t at = 0; at < args.rows; at += capacity) {
      const std::int64_t n = (std::min)(capacity, args.rows - at);
      bound.at_each(at, n, [&](std::int64_t i, const auto& key, const auto& record) {
        put(static_cast<std::size_t>(i), key, record);
      });
      if constexpr (G::in_place)
        batch.flush(batch, reinterpret_cast<const std::byte*>(bound.rows.rows + at),
                    static_cast<std::size_t>(n));
      else
        batch.flush(batch, batch.payload, static_cast<std::size_t>(n));
    }
  } else {
    const std::byte* at = batch.payload;
    std::size_t n = 0;
    key_text_of<G> text;
    const auto hand_on = [&] {
      batch.text = text.data();
      batch.text_bytes = text.size();
      batch.flush(batch, at, n);
      text.clear();
      n = 0;
    };
    const auto take = [&](const auto& key, const auto& record) {
      if constexpr (G::in_place)
        if (n == 0) at = reinterpret_cast<const std::byte*>(std::addressof(record));
      put(n, key, record);
      if (++n == batch.capacity) with_gathered_rows(hand_on);
    };
    bound.each(args.rows, take, text.keeper([&] { with_gathered_rows(hand_on); }));
    if (n > 0) hand_on();
  }
}

template <typename G>
[[gnu::flatten]] void group_partition(const void* element, const block_args& args,
                                      partition_buffers& to) {
  using stored = key_of_slots<decltype(G::keys)>;
  const auto bound = static_cast<const G*>(element)->bind(args);
  const partition_writer<stored, typename G::value, G::has_value> writer(to);
  const unsigned shift = to.shift;
  text_coder* const texts = to.texts;
  bound.each(args.rows, [&](const auto& key, const auto& record) {
    const stored bits = key_for_slots(bound.keys, key, texts);
    const auto value = [&] { return bound.project(record); };
    if constexpr (decltype(G::keys)::dense)
      writer.put(static_cast<std::uint32_t>(bits >> shift), bits, value);
    else
      writer.put(static_cast<std::uint32_t>(spread_hash::product(bits) >> shift), bits, value);
  });
}

/// Accumulates value i of those that lie at `values`.
template <typename G, typename R>
[[gnu::always_inline]] inline void accumulate_value(R& state, const typename G::value* values,
                                                    std::size_t i) {
  if constexpr (G::has_value)
    state.accumulate(values[i]);
  else
    state.accumulate(typename G::value{});
}

template <typename G, typename R>
void group_accumulate(const std::byte* values, std::byte* const* states, std::size_t n) {
  const auto* const given = reinterpret_cast<const typename G::value*>(values);
  for (std::size_t i = 0; i < n; ++i)
    accumulate_value<G>(*reinterpret_cast<R*>(states[i]), given, i);
}

/// Rows whose keys and values are fetched to the caches at once, before they are added.
inline constexpr std::size_t group_fetch_batch = 64;

/// Fetches a batch. Nobody knows which lines of large values are read.
template <typename T>
[[gnu::always_inline]] inline void fetch_batch(const T* array, std::size_t first) {
  if constexpr (!std::is_empty_v<T> && sizeof(T) <= 64)  // of an empty type there may be no array
    for (std::size_t at = 0; at < group_fetch_batch * sizeof(T); at += 64)
      __builtin_prefetch(reinterpret_cast<const std::byte*>(array + first) + at);
}

/// Calls use(i) for each of n rows, and has what arrays hold further on fetched: blocks of
/// partitions are read from two places at once and end soon, which processors don't foresee.
template <typename Use, typename... T>
inline void for_each_fetched(std::size_t n, Use&& use, const T*... arrays) {
  constexpr std::size_t ahead = 2 * group_fetch_batch;
  for (std::size_t at = 0; at < n; at += group_fetch_batch) {
    const std::size_t end = (std::min)(at + group_fetch_batch, n);
    if (end + ahead <= n) (fetch_batch(arrays, at + ahead), ...);
    for (std::size_t i = at; i < end; ++i) use(i);
  }
}

template <typename G, typename R>
void group_add_to_hash(const std::byte* keys, const std::byte* values, std::size_t n,
                       group_slots& table) {
  using bits = key_of_slots<decltype(G::keys)>;
  const auto* const stored = reinterpret_cast<const bits*>(keys);
  const auto* const given = reinterpret_cast<const typename G::value*>(values);
  group_finder<R, bits> state_of(table);
  for_each_fetched(
      n, [&](std::size_t i) { accumulate_value<G>(state_of(stored[i]), given, i); }, stored, given);
}

template <typename G, typename R>
void group_add_to_table(const std::byte* keys, const std::byte* values, std::size_t n,
                        std::byte* table) {
  const auto* const stored = reinterpret_cast<const typename G::stored_key*>(keys);
  const auto* const given = reinterpret_cast<const typename G::value*>(values);
  auto* const states = reinterpret_cast<R*>(table);
  for_each_fetched(
      n, [&](std::size_t i) { accumulate_value<G>(states[stored[i]], given, i); }, stored, given);
}

/// Writes Make{}(key, state), the output record, for n groups.
template <typename Keys, typename R, typename Make>
void group_emit(const std::byte* keys, const std::byte* const* states, std::size_t n,
                std::byte* out) {
  using output = decltype(Make{}(std::declval<typename Keys::key>(), std::declval<const R&>()));
  constexpr std::size_t ahead = 16;  // states lie anywhere
  for (std::size_t i = 0; i < n; ++i) {
    if (i + ahead < n) __builtin_prefetch(states[i + ahead]);
    ::new (static_cast<void*>(reinterpret_cast<output*>(out) + i))
        output(Make{}(Keys::decode(reinterpret_cast<const typename Keys::stored*>(keys)[i]),
                      *reinterpret_cast<const R*>(states[i])));
  }
}

/// Sets what parameters say of keys and values, and the loop that extracts these.
template <typename G>
void describe_extraction(group_params& params) {
  params.key_bytes = sizeof(typename G::stored_key);
  params.strings = codes_texts<decltype(G::keys)>;
  params.keys_in_records = G::keys_in_records;
  params.payload_bytes = G::has_value ? sizeof(typename G::value) : 0;
  params.in_place = G::in_place;
  params.values_may_point = G::has_value && text_of<typename G::value>() != text_in::none;
  if constexpr (codes_texts<decltype(G::keys)>) {
    using value = std::conditional_t<G::has_value, typename G::value, nothing>;
    params.late = record_type_of<late_row<value>>();
    params.value_align = alignof(value);
  }
  params.extract = group_extract<G>;
}

/// The parameters, with all loops, for one grouping, reducer and kind of output record.
template <typename G, typename R, typename Make>
PAPPUS_GLUE std::shared_ptr<group_params> group_params_of(const R& prototype) {
  static_assert(std::is_trivially_copyable_v<R>,
                "a reducer's state is moved as bytes: it must be trivially copyable");
  using keys = decltype(G::keys);
  auto params = std::make_shared<group_params>();
  describe_extraction<G>(*params);
  params->state_bytes = sizeof(R);
  params->state_align = alignof(R);
  params->states_may_point = text_of<R>() != text_in::none;
  params->exact = is_exact<R>;
  params->initial = std::static_pointer_cast<const std::byte>(keep(prototype));
  params->accumulate = group_accumulate<G, R>;
  params->add_to_hash = group_add_to_hash<G, R>;
  if constexpr (codes_texts<keys>)
    params->direct_hash = group_direct_texts<G, R>;
  else if constexpr (!keys::dense)
    params->direct_hash = group_direct_hash<G, R>;
  params->partition = group_partition<G>;
  if constexpr (keys::dense) {
    params->direct = group_direct<G, R>;
    params->add_to_table = group_add_to_table<G, R>;
    if constexpr (is_routable<decltype(G::rows), decltype(G::key)>)
      params->routing = {find_pairs<G>, add_pairs<G, R>};
  }
  params->merge = {merge_states<R>, merge_group_slots<R, key_of_slots<keys>>};
  params->emit = group_emit<keys, R, Make>;
  return params;
}

}  // namespace pappus::detail
