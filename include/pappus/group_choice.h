// Some records of each group: those with the greatest or least keys, or the first.
//
//     flights.group_by(&flight::carrier).top(3, &flight::delay).show();
//
// Up to ten records of a group are kept in the state of a reducer, so that rows are read once and
// files stream. For more of them a group's records are put side by side (map_groups), and one pass
// keeps the best so far in a heap.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "pappus/detail/base/keys.h"
#include "pappus/detail/fuse/statistics.h"
#include "pappus/detail/loops/top.h"
#include "pappus/group.h"

namespace pappus::detail {

/// The most records of a group that are kept while rows are read; of more a group's rows are put
/// side by side.
inline constexpr std::size_t kept_of_group = 10;

/// A record's rank among others: bits, the greatest of which are best; what is missing has the
/// least. One that is constant keeps the first records.
template <typename Key, bool Greatest>
struct rank_by {
  Key key;
  template <typename T>
  auto operator()(const T& record) const {
    const auto& own = std::invoke(key, record);
    using type = std::remove_cvref_t<decltype(own)>;
    using codec = key_codec<type>;
    const auto bits = order_of<type, Greatest>(own);
    if constexpr (Greatest)
      return bits;
    else if constexpr (codec::width > 64)
      return bits128{~bits.lo, ~bits.hi};
    else
      return static_cast<decltype(bits)>(~bits);
  }
};
struct same_rank {
  template <typename T>
  std::uint32_t operator()(const T&) const {
    return 0;
  }
};
template <typename Bits>
bool is_better(const Bits& a, const Bits& b) {
  if constexpr (sizeof(Bits) > 8)
    return to_wide(a) > to_wide(b);
  else
    return a > b;
}

template <typename Rank, typename T>
struct ranked {
  Rank rank;
  T record;
};
template <typename By>
struct to_ranked {
  By by;
  template <typename T>
  auto operator()(const T& record) const {
    return ranked<decltype(by(record)), T>{by(record), record};
  }
};

/// The best of a group, best first, of equals the first.
template <typename T>
struct chosen_records {
  std::array<T, kept_of_group> record;
  std::uint32_t n;
};

template <typename Rank, typename T>
struct choosing {
  static constexpr bool exact = true;
  std::uint32_t most = 0, n = 0;
  std::array<Rank, kept_of_group> rank{};
  std::array<T, kept_of_group> record{};

  void accumulate(const ranked<Rank, T>& one) { add(one.rank, one.record); }
  void merge(const choosing& other) {
    for (std::uint32_t i = 0; i < other.n; ++i) add(other.rank[i], other.record[i]);
  }
  chosen_records<T> finalize() const { return {record, n}; }

 private:
  void add(const Rank& own, const T& value) {
    if (n == most && (n == 0 || !is_better(own, rank[n - 1]))) return;
    std::uint32_t at = n < most ? n++ : n - 1;
    for (; at > 0 && is_better(own, rank[at - 1]); --at) {
      rank[at] = rank[at - 1];
      record[at] = record[at - 1];
    }
    rank[at] = own;
    record[at] = value;
  }
};

/// What map_groups calls for a group, of which more are wanted.
template <typename By>
struct best_of_group {
  std::size_t n;
  By by;

  template <typename K, typename T>
  std::vector<T> operator()(const K&, std::span<const T> records) const {
    struct candidate {
      decltype(by(records[0])) rank;
      std::size_t row;
      /// Whether it comes before another one: a heap's front is the worst.
      bool operator<(const candidate& other) const {
        return is_better(rank, other.rank) || (!is_better(other.rank, rank) && row < other.row);
      }
    };
    std::vector<candidate> best;
    const std::size_t most = (std::min)(n, records.size());
    if (most == 0) return {};
    best.reserve(most);
    for (std::size_t row = 0; row < most; ++row) best.push_back({by(records[row]), row});
    std::ranges::make_heap(best, std::less<>());
    for (std::size_t row = most; row < records.size(); ++row) {
      const auto own = by(records[row]);
      if (!is_better(own, best.front().rank)) continue;
      std::ranges::pop_heap(best, std::less<>());
      best.back() = {own, row};
      std::ranges::push_heap(best, std::less<>());
    }
    std::ranges::sort_heap(best, std::less<>());
    std::vector<T> made;
    made.reserve(most);
    for (const auto& one : best) made.push_back(records[one.row]);
    return made;
  }
};

inline std::size_t wanted_records(std::int64_t n) {
  return n < 0 ? 0 : static_cast<std::size_t>(n);
}

template <typename F>
returns_range<F> ranges_of(F f) {
  return {std::move(f)};
}

/// Records that need no constructor, so that states can have room for them.
template <typename T>
inline constexpr bool can_be_kept =
    std::is_default_constructible_v<T> && std::is_copy_assignable_v<T> && sizeof(T) <= 256;

template <typename Of, typename By>
collection<typename Of::record_type> best_of_groups(const Of& of, const char* name, std::int64_t n,
                                                    By by) {
  using T = typename Of::record_type;
  const std::size_t wanted = wanted_records(n);
  if constexpr (can_be_kept<T>) {
    if (wanted <= kept_of_group) {
      choosing<decltype(by(std::declval<const T&>())), T> prototype;
      prototype.most = static_cast<std::uint32_t>(wanted);
      using chosen = keyed<typename Of::key_type, chosen_records<T>>;
      return access::reduce_groups(of, name, to_ranked<By>{std::move(by)}, prototype)
          .flat_map([](const chosen& group) {
            return std::span<const T>(group.value.record.data(), group.value.n);
          });
    }
  }
  return access::map_groups(of, name, ranges_of(best_of_group<By>{wanted, std::move(by)}),
                            to_itself{});
}

template <typename Of, typename T>
template <typename Key>
auto choice_members<Of, T>::top(std::int64_t n, Key key) const {
  return best_of_groups(static_cast<const Of&>(*this), "top", n,
                        rank_by<Key, true>{std::move(key)});
}
template <typename Of, typename T>
template <typename Key>
auto choice_members<Of, T>::bottom(std::int64_t n, Key key) const {
  return best_of_groups(static_cast<const Of&>(*this), "bottom", n,
                        rank_by<Key, false>{std::move(key)});
}
template <typename Of, typename T>
auto choice_members<Of, T>::take(std::int64_t n) const {
  return best_of_groups(static_cast<const Of&>(*this), "take", n, same_rank{});
}

}  // namespace pappus::detail
