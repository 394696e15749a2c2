// A join's probe as an expression: it fuses with what comes before and after.
//
// Looking up one key at a time would wait for memory at every row. So the probe is block-wise: a
// few hundred records and their keys are put into local arrays (rows that are in memory already
// are used where they lie), looked up together, and the pairs that match are gathered and pushed
// on. The look-up is untyped; only keys, gathering and the combining function are compiled here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "pappus/detail/base/join.h"
#include "pappus/detail/base/parallel.h"
#include "pappus/detail/fuse/expression.h"
#include "pappus/detail/fuse/stored_key.h"

namespace pappus::detail {

/// \tparam Key      a call: the key function of left records.
/// \tparam Combine  a combination, of (left record, right record) or, for outer joins, of (left
///                  record, pointer to right record or null); no_combination for semi, anti joins.
template <typename Prev, record Right, typename Key, typename Combine, join_kind Kind>
struct joined {
  using left_type = value_of<Prev>;
  using key_type = probed_key_type<typename Key::template result<left_type>>;
  using value_type = typename Combine::template result<left_type, Right>;
  static constexpr bool gathers = Kind == join_kind::inner || Kind == join_kind::outer;
  static constexpr cardinality own = gathers ? cardinality::any : cardinality::at_most_one;
  static constexpr cardinality yields = cardinality::any;
  static constexpr const char* name = [] {
    if constexpr (gathers) return Combine::name;
    return Kind == join_kind::semi ? "semi_join" : "anti_join";
  }();
  static constexpr bool in_place = std::is_same_v<Prev, source<left_type>>;
  /// Records of the buffer; fewer of large ones, so that it fits the cache (and the stack).
  static constexpr std::size_t buffer_rows =
      std::clamp<std::size_t>(32768 / sizeof(left_type), 1, join_batch::rows_max);
  /// Right rows of more bytes than this are prefetched before they are gathered.
  static constexpr std::size_t prefetch_beyond_bytes = std::size_t{512} << 10;

  Prev prev;
  Key key;
  Combine combine;
  int side = 0;  ///< number of the index's side; if rows are gathered, the next side is theirs

  struct bound {
    typename Prev::bound prev;
    typename Key::bound key;
    typename Combine::bound combine;
    const join_side* index;
    const Right* rows;
    bool prefetch;
    const workers* team;

    template <typename Sink, typename Counts>
    void for_each(std::int64_t n, Sink&& sink, Counts counts) const {
      if constexpr (std::is_same_v<std::remove_cvref_t<Sink>, no_sink>) {
        for_each_batch(n, [](const left_type*, const join_batch&, std::size_t) {}, counts);
      } else {
        const auto push_on = [&](const left_type* left, const join_batch& batch,
                                 std::size_t pairs) {
          push(left, batch, pairs, [&](std::size_t, const auto& value) { sink(value); });
        };
        for_each_batch(n, push_on, counts);
      }
    }

    /// Calls sink(left record, combined record) for all pairs.
    template <typename Sink>
    void for_each_pair(std::int64_t n, Sink&& sink) const {
      const auto push_on = [&](const left_type* left, const join_batch& batch, std::size_t pairs) {
        push(left, batch, pairs,
             [&](std::size_t k, const auto& value) { sink(left[batch.left[k]], value); });
      };
      for_each_batch(n, push_on, uncounted());
    }

    /// Of a left record and a match's row in `right`, or none.
    template <typename Row>
    static value_type combined(const typename Combine::bound& combine, const left_type& left,
                               const Right* right, Row row) {
      if constexpr (Kind == join_kind::inner)
        return combine(left, right[row]);
      else
        return combine(left, row == static_cast<Row>(join_batch::no_row) ? nullptr : right + row);
    }

    /// Calls use(left records, batch, n) for all n pairs of each batch. Left records lie where the
    /// block does if they are rows in memory.
    template <typename Use, typename Counts>
    void for_each_batch(std::int64_t n, Use&& use, Counts counts) const {
      const auto all = static_cast<std::size_t>(n);
      if constexpr (in_place) {
        probe(prev.rows, all, use, counts);
      } else {
        alignas(left_type) std::byte storage[buffer_rows * sizeof(left_type)];
        auto* const buffer = reinterpret_cast<left_type*>(storage);
        if constexpr (Prev::yields == cardinality::one) {
          for (std::size_t at = 0; at < all; at += buffer_rows) {
            const std::size_t filled = (std::min)(buffer_rows, all - at);
            for (std::size_t i = 0; i < filled; ++i)
              prev.at(static_cast<std::int64_t>(at + i), [&](const auto& value) {
                ::new (static_cast<void*>(buffer + i)) left_type(value);
              });
            if (!probe(buffer, filled, use, counts)) return;
          }
        } else {
          std::size_t filled = 0;
          bool going = true;
          const auto gather = [&](const auto& value) {
            if (!going) return;
            ::new (static_cast<void*>(buffer + filled)) left_type(value);
            if (++filled < buffer_rows) return;
            with_gathered_rows([&] { going = probe(buffer, filled, use, counts); });
            filled = 0;
          };
          each_row<Prev::yields>(prev, n, gather, counts.before());
          if (going) probe(buffer, filled, use, counts);
        }
      }
    }

   private:
    /// Returns false when the query is to stop, which is checked here because one record may match
    /// millions.
    template <typename Use, typename Counts>
    bool probe(const left_type* left, std::size_t n, Use& use, Counts counts) const {
      key_type keys[join_batch::rows_max];
      join_batch batch;
      for (std::size_t at = 0; at < n; at += join_batch::rows_max, left += join_batch::rows_max) {
        const std::size_t rows_here = (std::min)(join_batch::rows_max, n - at);
        for (std::size_t i = 0; i < rows_here; ++i) keys[i] = probed_key(key(left[i]));
        join_probe(*index, Kind, keys, rows_here, batch);
        while (const std::size_t pairs = join_next(batch)) {
          counts.add(pairs);
          use(left, batch, pairs);
          if (team != nullptr && team->stopping()) return false;
        }
      }
      return true;
    }

    /// Gathers pairs and calls sink(k, combined record) for each. Gathering is a loop of its own,
    /// over local copies: for all the compiler knows sink() may write anywhere, and would keep it
    /// from working on several pairs at once.
    template <typename Sink>
    void push(const left_type* left, const join_batch& batch, std::size_t pairs,
              Sink&& sink) const {
      const std::uint32_t* const left_of = batch.left;
      if constexpr (!gathers) {
        for (std::size_t k = 0; k < pairs; ++k) sink(k, left[left_of[k]]);
      } else {
        const std::uint64_t* const row_of = batch.right;
        if (prefetch)
          for (std::size_t k = 0; k < pairs; ++k)
            if (Kind == join_kind::inner || row_of[k] != join_batch::no_row)
              __builtin_prefetch(rows + row_of[k]);
        const auto pair_of = [combine = this->combine, left, rows = this->rows, left_of,
                              row_of](std::size_t k) -> value_type {
          return combined(combine, left[left_of[k]], rows, row_of[k]);
        };
        if constexpr (sizeof(value_type) > 64) {
          for (std::size_t k = 0; k < pairs; ++k)
            sink(k, call_noting_failure<decltype(Combine::function)>(name, pair_of, k));
        } else {
          alignas(value_type) std::byte storage[join_batch::rows_max * sizeof(value_type)];
          auto* __restrict const values = reinterpret_cast<value_type*>(storage);
          call_noting_failure<decltype(Combine::function)>(name, [&] {
            for (std::size_t k = 0; k < pairs; ++k)
              ::new (static_cast<void*>(values + k)) value_type(pair_of(k));
          });
          for (std::size_t k = 0; k < pairs; ++k) sink(k, std::as_const(values[k]));
        }
      }
    }
  };

  bound bind(const block_args& args) const {
    const detail::side right = gathers ? args.sides[side + 1] : detail::side{};
    return {prev.bind(args),
            key.bind(args, name),
            combine.bind(args),
            static_cast<const join_side*>(args.sides[side].data),
            static_cast<const Right*>(right.data),
            static_cast<std::size_t>(right.count) * sizeof(Right) > prefetch_beyond_bytes,
            args.team};
  }
  void shift_slots(int inputs, int sides) {
    prev.shift_slots(inputs, sides);
    side += sides;
  }
  device_variable describe(device_writer& to) const { return describe_pair(to).combined; }

  struct described_pair {
    device_variable left, combined;
  };
  described_pair describe_pair(device_writer& to) const {
    using user_key = typename Key::template result<left_type>;
    const auto left = prev.describe(to);
    to.begin();
    describe_key<user_key>(to, key.template describe<user_key, left_type>(to, left), false);
    if constexpr (gathers) {
      const device_variable pair[] = {left, to.probe(side, Kind, &device_type_of<Right>)};
      return {left, combine.template describe<value_type, left_type, Right>(to, pair)};
    } else {
      to.probe(side, Kind, nullptr);
      return {left, left};
    }
  }
};

template <typename E>
inline constexpr bool is_joined = false;
template <typename Prev, record Right, typename Key, typename Combine, join_kind Kind>
inline constexpr bool is_joined<joined<Prev, Right, Key, Combine, Kind>> = true;

/// The key function of left records of type Left.
template <typename F, typename Left>
struct left_call : call<F> {
  /// Whatever the combined record is.
  template <typename>
  using result = typename call<F>::template result<Left>;
};
template <typename Call>
inline constexpr bool is_left_call = false;
template <typename F, typename Left>
inline constexpr bool is_left_call<left_call<F, Left>> = true;

/// The combining function of a join or left_join.
template <typename F, join_kind Kind>
struct combination {
  static constexpr const char* name = Kind == join_kind::inner ? "join" : "left_join";
  F function;
  using bound = bound_function<F>;
  bound bind(const block_args&) const { return bound(function); }

  template <typename Left, typename Right>
  using result = std::remove_cvref_t<typename std::conditional_t<
      Kind == join_kind::inner, std::invoke_result<const F&, const Left&, const Right&>,
      std::invoke_result<const F&, const Left&, const Right*>>::type>;

  template <typename Result, typename Left, typename Right>
  device_variable describe(device_writer& to, std::span<const device_variable> pair) const {
    using match = std::conditional_t<Kind == join_kind::inner, Right, const Right*>;
    return describe_function<Result, Left, match>(function, to, pair);
  }
};

/// In place of a combination where left records are passed on as they are.
struct no_combination {
  struct bound {};
  bound bind(const block_args&) const { return {}; }
  template <typename Left, typename>
  using result = Left;
};

}  // namespace pappus::detail
