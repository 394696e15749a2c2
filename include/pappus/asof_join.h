// asof_join: each record with the other side's latest one as of its time.
//
//     trades.asof_join(quotes, &trade::share, &quote::share, &trade::at, &quote::at,
//                      [](const trade& t, const quote* q) { return ...; });
//
// It is made of other operators. Right's records are sorted by key and time, so that those of a key
// lie side by side: a run. A left_join finds the run of a left record's key, a binary search among
// the run's times, which lie side by side as well, the record. To sort the left side, too, and
// merge both would need it in memory, and its order back afterwards.
//
//   Order    left's records in order, each once.
//   Equals   of right's records with equal times `backward` and `before` take the last, in right's
//            order, `forward` and `after` the first. `nearest` takes the earlier of equally near
//            times; of records at the very time the last.
//   Keys     those of group_by(): joins' are found in an index, others, with text among several
//            fields, by a binary search among the runs. What is missing, and NaN as a time, matches
//            nothing.
//   Memory   right's records, their keys and times; left isn't stored.
//   Time     of right's sort; and for each left record a look-up and the binary search.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "pappus/aggregate.h"
#include "pappus/detail/base/fields.h"
#include "pappus/detail/base/keys.h"
#include "pappus/detail/fuse/composed_joins.h"
#include "pappus/detail/fuse/match_key.h"
#include "pappus/detail/fuse/moments.h"
#include "pappus/function.h"
#include "pappus/group.h"
#include "pappus/join.h"
#include "pappus/query.h"
#include "pappus/sort.h"

namespace pappus::detail {

/// A key or time of records that have one.
template <typename F>
struct present_of {
  F function;
  template <typename T>
  auto operator()(const T& record) const {
    const auto value = std::invoke(function, record);
    if constexpr (may_be_missing<std::remove_cvref_t<decltype(value)>>)
      return *value;
    else
      return value;
  }
};

/// Whether there is a value, and it isn't NaN.
template <typename V>
bool has_time(const V& value) {
  if constexpr (may_be_missing<V>)
    return value && has_time(*value);
  else
    return value == value;
}
/// Right's records that may match.
template <typename Key, typename TimeOf>
struct may_match {
  Key key;
  TimeOf time;
  template <typename R>
  bool operator()(const R& row) const {
    return is_there(std::invoke(key, row)) && has_time(std::invoke(time, row));
  }
};
struct no_key {
  template <typename R>
  bool operator()(const R&) const {
    return true;
  }
};

/// Right records of one key: where they lie among all.
template <typename K>
struct run_of_key {
  K key;
  std::int64_t begin, n;
};
/// Sorted by both.
template <typename K, typename Right, typename Key, typename TimeOf>
auto rows_by_key_and_time(const query<Right>& right, const Key& key_of, const TimeOf& time_of) {
  if constexpr (key<K>) {
    return right.sort_by(key_of, time_of);
  } else {
    using row = typename Right::value_type;
    return right.sort_by(time_of).group_by(key_of).flat_map_groups(
        [](const K&, std::span<const row> rows) { return rows; });
  }
}

/// Whether a join takes the keys of both sides.
template <typename LeftKey, typename L, typename RightKey, typename R>
inline constexpr bool has_index_key = [] {
  using own = present_by<RightKey, R>;
  if constexpr (may_be_missing<key_yielded<LeftKey, L>>)
    return bits_key<pair<lacking, own>> || coded_key<pair<lacking, own>>;
  else
    return join_key<own>;
}();

template <typename L>
struct with_run {
  L record;
  std::int64_t begin, n;
};

template <typename L>
const L& record_of(const with_run<L>& left) {
  return left.record;
}
template <typename L>
const L& record_of(const L& left) {
  return left;
}
/// The part of all rows that is its run, or all.
template <typename L, typename R>
std::span<const R> run_of(const with_run<L>& left, std::span<const R> rows) {
  return rows.subspan(static_cast<std::size_t>(left.begin), static_cast<std::size_t>(left.n));
}
template <typename L, typename R>
std::span<const R> run_of(const L&, std::span<const R> rows) {
  return rows;
}

struct to_run {
  template <typename L, typename K>
  with_run<L> operator()(const L& record, const run_of_key<K>* run) const {
    return run == nullptr ? with_run<L>{record, 0, 0} : with_run<L>{record, run->begin, run->n};
  }
};

/// In the order of groups.
template <typename K>
int compare_keys(const K& a, const K& b) {
  if constexpr (bits_key<K>) {
    const auto one = encode_key(a), other = encode_key(b);
    return one < other ? -1 : other < one ? 1 : 0;
  } else if constexpr (string_key<K>) {
    return a.compare(b);
  } else if constexpr (is_category<K>) {
    return a.text().compare(b.text());
  } else if constexpr (may_be_missing<K>) {
    if (!a || !b) return static_cast<int>(!a) - static_cast<int>(!b);
    return compare_keys(*a, *b);
  } else if constexpr (is_std_array<K>) {
    int order = 0;
    for (std::size_t i = 0; i < a.size() && order == 0; ++i) order = compare_keys(a[i], b[i]);
    return order;
  } else {
    int order = 0;
    visit_fields<field_count<K>()>(a, [&](const auto&... ones) {
      visit_fields<field_count<K>()>(b, [&](const auto&... others) {
        ((order = order != 0 ? order : compare_keys(ones, others)), ...);
      });
    });
    return order;
  }
}

/// Finds the run of a record's key among all, which are in ascending order.
template <typename Key, typename K>
struct find_run {
  Key key;
  template <typename L>
  with_run<L> operator()(const L& record, std::span<const run_of_key<K>> runs) const {
    const auto own = std::invoke(key, record);
    if (!is_there(own)) return {record, 0, 0};
    const K& wanted = present_of<std::identity>{}(own);
    const auto run = std::ranges::lower_bound(
        runs, wanted, [](const K& a, const K& b) { return compare_keys(a, b) < 0; },
        &run_of_key<K>::key);
    const bool found = run != runs.end() && compare_keys(run->key, wanted) == 0;
    return found ? with_run<L>{record, run->begin, run->n} : with_run<L>{record, 0, 0};
  }
};

/// then(left's records, right's times, its records): the latter in the order of times.
template <typename Left, typename Right, typename RightTime, typename Then>
auto beside_times(const query<Left>& left, const query<Right>& right, const RightTime& right_time,
                  const Then& then) {
  const present_of<RightTime> time_of{right_time};
  const auto sorted = right.filter(may_match<no_key, RightTime>{{}, right_time}).sort_by(time_of);
  return then(left, sorted.map(time_of).shared(), sorted.shared());
}
/// then(left's records with the runs of their keys, right's times, its records).
template <typename Left, typename Right, typename LeftKey, typename RightKey, typename RightTime,
          typename Then>
auto beside_runs(const query<Left>& left, const query<Right>& right, const LeftKey& left_key,
                 const RightKey& right_key, const RightTime& right_time, const Then& then) {
  using row = typename Right::value_type;
  using key = present_by<RightKey, row>;
  const present_of<RightKey> key_of{right_key};
  const present_of<RightTime> time_of{right_time};
  const auto sorted = rows_by_key_and_time<key>(
      right.filter(may_match<RightKey, RightTime>{right_key, right_time}), key_of, time_of);
  const auto runs = sorted.enumerate()
                        .group_by([key_of](const indexed<row>& of) { return key_of(of.value); })
                        .aggregate(pappus::first(&indexed<row>::index), pappus::count())
                        .map([](const auto& of) {
                          return run_of_key<key>{of.key, get<0>(of.value), get<1>(of.value)};
                        });
  const auto times = sorted.map(time_of).shared();
  if constexpr (has_index_key<LeftKey, value_of<Left>, RightKey, row>)
    return then(left.left_join(runs, left_key, &run_of_key<key>::key, to_run{}), times,
                sorted.shared());
  else
    return then(left.map(find_run<LeftKey, key>{left_key}, runs.shared()), times, sorted.shared());
}

/// Finds the matches of records among rows in the order of their times, and combines both.
///
/// Some records are looked up together, a step each in turn, without branches: what one waits for
/// from memory others needn't wait for.
template <typename Time, typename LeftTime, typename Combine>
struct match_as_of {
  static constexpr std::size_t together = 32;

  LeftTime left_time;
  Combine combine;
  asof which;
  distance<Time> most;

  template <typename In, typename R, typename Out>
  void operator()(std::span<const In> block, std::span<const Time> times, std::span<const R> rows,
                  std::span<Out> out) const {
    search found[together];
    for (std::size_t at = 0; at < block.size(); at += together) {
      const auto some = block.subspan(at, (std::min)(together, block.size() - at));
      find(some, times, found);
      for (std::size_t i = 0; i < some.size(); ++i) {
        const auto row = match(found[i]);
        std::construct_at(
            &out[at + i],
            std::invoke(combine, record_of(some[i]),
                        row == nullptr ? nullptr : rows.data() + (row - times.data())));
      }
    }
  }

 private:
  struct search {
    std::span<const Time> times;  // of records with the same key
    Time time;
    const Time* from;
    std::size_t n;  // the first later time is among n from `from`, or behind them
  };

  /// Whether the first time that is looked for comes behind this one.
  bool is_behind(const Time& at, const Time& time) const {
    return which == asof::forward || which == asof::before ? at < time : at <= time;
  }

  template <typename In>
  void find(std::span<const In> block, std::span<const Time> times, search* found) const {
    std::size_t longest = 0;
    for (std::size_t i = 0; i < block.size(); ++i) {
      const auto given = std::invoke(left_time, record_of(block[i]));
      search& one = found[i];
      one.times = has_time(given) ? run_of(block[i], times) : std::span<const Time>();
      one.time = has_time(given) ? present_of<std::identity>{}(given) : Time{};
      one.from = one.times.empty() ? &one.time : one.times.data();
      one.n = (std::max)(one.times.size(), std::size_t{1});
      longest = (std::max)(longest, one.n);
    }
    for (std::size_t left = longest; left > 1; left -= left / 2)
      for (std::size_t i = 0; i < block.size(); ++i) {
        search& one = found[i];
        const std::size_t half = one.n / 2;
        one.from += is_behind(one.from[half - (half > 0 ? 1 : 0)], one.time) ? half : 0;
        one.n -= half;
      }
  }

  /// The time that matches, or null.
  const Time* match(const search& found) const {
    if (found.times.empty()) return nullptr;
    const Time* const begin = found.times.data();
    const Time* const end = begin + found.times.size();
    const Time* const next = found.from + (is_behind(*found.from, found.time) ? 1 : 0);
    const Time* at = next;
    if (which == asof::backward || which == asof::before)
      at = next == begin ? end : next - 1;
    else if (which == asof::nearest && next != begin)
      at = next == end ||
                   distance_between(next[-1], found.time) <= distance_between(found.time, *next)
               ? next - 1
               : next;
    if (at == end) return nullptr;
    const auto apart =
        *at < found.time ? distance_between(*at, found.time) : distance_between(found.time, *at);
    return apart <= most ? at : nullptr;
  }
};

template <typename L, typename R, typename LeftTime, typename Combine, typename... Within>
auto matching(const LeftTime& left_time, const Combine& combine, asof which,
              const Within&... within) {
  using time = present_by<LeftTime, L>;
  using combined = std::remove_cvref_t<std::invoke_result_t<const Combine&, const L&, const R*>>;
  const match_as_of<time, LeftTime, Combine> match{left_time, combine, which,
                                                   farthest<time>("asof_join", within...)};
  return [match](const auto& left, const auto& times, const auto& rows) {
    return left.map(batched<combined>(match), times, rows);
  };
}

template <typename Of, typename T>
template <typename Right, typename LeftTime, typename RightTime, typename Combine,
          typename... Within>
  requires(mistake_in_times<T, Right, LeftTime, RightTime, Combine, Within...>() ==
           asof_mistake::none)
auto composed_joins<Of, T>::asof_join(const query<Right>& right, LeftTime left_time,
                                      RightTime right_time, Combine combine, asof which,
                                      const Within&... within) const {
  return beside_times(
      static_cast<const Of&>(*this), right, right_time,
      matching<T, typename Right::value_type>(left_time, combine, which, within...));
}

template <typename Of, typename T>
template <typename Right, typename LeftKey, typename RightKey, typename LeftTime,
          typename RightTime, typename Combine, typename... Within>
  requires(
      mistake_in_keys<T, Right, LeftKey, RightKey, LeftTime, RightTime, Combine, Within...>() ==
      asof_mistake::none)
auto composed_joins<Of, T>::asof_join(const query<Right>& right, LeftKey left_key,
                                      RightKey right_key, LeftTime left_time, RightTime right_time,
                                      Combine combine, asof which, const Within&... within) const {
  return beside_runs(static_cast<const Of&>(*this), right, left_key, right_key, right_time,
                     matching<T, typename Right::value_type>(left_time, combine, which, within...));
}

}  // namespace pappus::detail
