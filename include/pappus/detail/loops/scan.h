// The typed loops of scans. Rows are cut into tiles: first a tile's own running values are
// computed, then these are combined with the total of all rows before the tile.
//
// Element functions run once: their values wait in the tile's buffer, which stays in L2. Running
// sums of integers are computed by an untyped vector loop; rows that are such integers already
// aren't even buffered, but read again from the cache. A tile's length depends on the type alone
// and tiles are counted from the first row, so the order of additions never changes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>

#include "pappus/detail/base/request.h"
#include "pappus/detail/base/stream.h"
#include "pappus/detail/fuse/expression.h"

namespace pappus::detail {

/// Where a block of rows, a part of a tile, is written to.
struct scan_output {
  std::byte* records = nullptr;  ///< the result's record of the block's first row
  std::byte* buffer = nullptr;   ///< in the tile's buffer, the value of the block's first row
  bool first_block = false;      ///< the block is the first of its tile
  bool past_caches = false;      ///< write the records past the caches: the result is large
};

struct scan_params : op_params {
  std::int64_t tile_rows = 0;
  std::size_t value_bytes = 0;     ///< of a running value
  std::size_t buffered_bytes = 0;  ///< of the tile's buffer, per row; may be 0
  /// Puts the values of a block into the tile's buffer and adds them to `total`, which the tile's
  /// first block sets.
  void (*accumulate)(const void* element, const block_args& args, const scan_output& to,
                     std::byte* total) = nullptr;
  /// Writes the records of a block. `before` is the running value of all rows before the tile;
  /// null: there are none. If `carries`, it is that of all rows before the block, and is then
  /// advanced to the block's end.
  void (*write)(const void* element, const block_args& args, const scan_output& to,
                std::byte* before) = nullptr;
  bool carries = false;
  /// Sets to = op(a, b).
  void (*combine)(const void* element, const std::byte* a, const std::byte* b,
                  std::byte* to) = nullptr;
  std::shared_ptr<const void> initial;  ///< of exclusive scans: the value before the first row
};
const graph::operator_entry& scan_operator();

/// Adds running values of type R.
template <typename R>
struct adding {
  using acts_like = std::plus<R>;
  R operator()(R a, const R& b) const {
    a += b;
    return a;
  }
};

/// Converts a record to a running value.
template <typename R>
struct converting {
  template <typename T>
  R operator()(const T& record) const {
    return static_cast<R>(record);
  }
};

/// op is + on integers of type R, so that the additions may be done in any order.
template <typename Op, typename R>
inline constexpr bool adds_integers =
    std::is_integral_v<R> && (sizeof(R) == 4 || sizeof(R) == 8) &&
    (std::is_same_v<Op, std::plus<R>> || std::is_same_v<Op, std::plus<>> ||
     std::is_same_v<Op, adding<R>>);

/// What a scan computes: an expression and the operator. \tparam R  the type of running values.
template <typename E, typename Op, typename R, bool Exclusive>
struct scan_element {
  using value_type = value_of<E>;
  using result = R;
  static constexpr bool exclusive = Exclusive;
  static constexpr bool sums = adds_integers<Op, R>;
  /// The rows are integers in memory: they are read again instead of being buffered.
  static constexpr bool reread =
      sums && std::is_same_v<E, source<value_type>> && std::is_integral_v<value_type>;
  E expression;
  Op op;
};

// Sums of integers, as unsigned numbers: they wrap.

template <typename R>
using sum_word = std::conditional_t<sizeof(R) == 4, std::uint32_t, std::uint64_t>;

template <typename Element>
void accumulate_sum(const void* element, const block_args& args, const scan_output& to,
                    std::byte* total) {
  using R = typename Element::result;
  using word = sum_word<R>;
  const auto bound = static_cast<const Element*>(element)->expression.bind(args);
  auto* const values = reinterpret_cast<word*>(to.buffer);
  word sum = 0;
  for (std::int64_t i = 0; i < args.rows; ++i) {
    bound.at(i, [&](const auto& value) {
      const auto own = static_cast<word>(static_cast<R>(value));
      if constexpr (!Element::reread) values[i] = own;
      sum += own;
    });
  }
  auto& all = *reinterpret_cast<word*>(total);
  all = to.first_block ? sum : all + sum;
}

template <typename Element>
void write_sums_of(const sum_word<typename Element::result>* from, std::int64_t n,
                   const scan_output& to, std::byte* before) {
  using word = sum_word<typename Element::result>;
  auto& carry = *reinterpret_cast<word*>(before);
  auto* const records = reinterpret_cast<word*>(to.records);
  if constexpr (Element::exclusive) {
    records[0] = carry;
    carry = running_sums(carry, from, records + 1, n - 1, to.past_caches) + from[n - 1];
  } else {
    carry = running_sums(carry, from, records, n, to.past_caches);
  }
}

template <typename Element>
void write_sums(const void* element, const block_args& args, const scan_output& to,
                std::byte* before) {
  using R = typename Element::result;
  using T = typename Element::value_type;
  using word = sum_word<R>;
  if constexpr (!Element::reread) {
    write_sums_of<Element>(reinterpret_cast<const word*>(to.buffer), args.rows, to, before);
  } else {
    const T* const rows = static_cast<const Element*>(element)->expression.bind(args).rows;
    if constexpr (sizeof(T) == sizeof(R)) {
      write_sums_of<Element>(reinterpret_cast<const word*>(rows), args.rows, to, before);
    } else {
      constexpr auto step = static_cast<std::int64_t>(stream_step_bytes / sizeof(word));
      word values[static_cast<std::size_t>(step)];
      scan_output part = to;
      for (std::int64_t begin = 0; begin < args.rows; begin += step) {
        const std::int64_t n = (std::min)(step, args.rows - begin);
        for (std::int64_t i = 0; i < n; ++i)
          values[i] = static_cast<word>(static_cast<R>(rows[begin + i]));
        part.records = to.records + static_cast<std::size_t>(begin) * sizeof(R);
        write_sums_of<Element>(values, n, part, before);
      }
    }
  }
}

// Any other operator.

template <typename Element>
void accumulate_any(const void* element, const block_args& args, const scan_output& to,
                    std::byte* total) {
  using R = typename Element::result;
  const auto& self = *static_cast<const Element*>(element);
  const auto bound = self.expression.bind(args);
  const bound_function op(self.op);
  auto* const values = reinterpret_cast<R*>(to.buffer);
  const auto put = [&](std::int64_t i, const R& value) {
    return *::new (static_cast<void*>(values + i)) R(value);
  };
  std::int64_t i = 0;
  if (to.first_block)
    bound.at(i++, [&](const auto& value) {
      ::new (static_cast<void*>(total)) R(put(0, static_cast<R>(value)));
    });
  R running = *reinterpret_cast<const R*>(total);
  for (; i < args.rows; ++i)
    bound.at(i, [&](const auto& value) { running = put(i, op(running, static_cast<R>(value))); });
  ::new (static_cast<void*>(total)) R(running);
}

/// Calls write(place, i), which constructs record i at `place`, for each record. If the result is
/// large, places are in a small buffer, which is copied past the caches.
template <typename R, typename Write>
void write_records(const scan_output& to, std::int64_t n, Write&& write) {
  constexpr std::int64_t step = sizeof(R) <= stream_step_bytes / 8
                                    ? static_cast<std::int64_t>(stream_step_bytes / sizeof(R))
                                    : 0;
  auto* const records = reinterpret_cast<R*>(to.records);
  if constexpr (step != 0) {
    if (to.past_caches) {
      alignas(64) alignas(R) std::byte gathered[stream_step_bytes];
      auto* const small = reinterpret_cast<R*>(gathered);
      for (std::int64_t begin = 0; begin < n; begin += step) {
        const std::int64_t count = (std::min)(step, n - begin);
        for (std::int64_t i = 0; i < count; ++i) write(small + i, begin + i);
        copy_past_caches(reinterpret_cast<std::byte*>(records + begin), gathered,
                         static_cast<std::size_t>(count) * sizeof(R));
      }
      return;
    }
  }
  for (std::int64_t i = 0; i < n; ++i) write(records + i, i);
}

template <typename Element>
void write_any(const void* element, const block_args& args, const scan_output& to,
               std::byte* before) {
  using R = typename Element::result;
  const bound_function op(static_cast<const Element*>(element)->op);
  const auto* const values = reinterpret_cast<const R*>(to.buffer);
  if (before == nullptr) {  // inclusive, first tile
    write_records<R>(to, args.rows, [&](R* place, std::int64_t i) {
      ::new (static_cast<void*>(place)) R(values[i]);
    });
    return;
  }
  const R all_before = *reinterpret_cast<const R*>(before);
  write_records<R>(to, args.rows, [&](R* place, std::int64_t i) {
    if constexpr (Element::exclusive) {
      if (i == 0 && to.first_block)
        ::new (static_cast<void*>(place)) R(all_before);
      else
        ::new (static_cast<void*>(place)) R(op(all_before, values[i - 1]));
    } else {
      ::new (static_cast<void*>(place)) R(op(all_before, values[i]));
    }
  });
}

template <typename Element>
void combine_values(const void* element, const std::byte* a, const std::byte* b, std::byte* to) {
  using R = typename Element::result;
  if constexpr (Element::sums) {
    using word = sum_word<R>;
    *reinterpret_cast<word*>(to) =
        *reinterpret_cast<const word*>(a) + *reinterpret_cast<const word*>(b);
  } else {
    const auto& op = static_cast<const Element*>(element)->op;
    ::new (static_cast<void*>(to))
        R(std::invoke(op, *reinterpret_cast<const R*>(a), *reinterpret_cast<const R*>(b)));
  }
}

template <typename Element>
void describe_scan(const void* element, device_writer& to) {
  using R = typename Element::result;
  using T = typename Element::value_type;
  const auto& self = *static_cast<const Element*>(element);
  auto value = self.expression.describe(to);
  to.begin();
  if constexpr (std::is_arithmetic_v<R> && std::is_arithmetic_v<T> && !std::is_same_v<R, T>)
    value = to.compute("$0", {&value, 1}, device_type_of<R>);
  else if constexpr (!std::is_same_v<R, T>)
    value = describe_function<R, T>(converting<R>{}, to, {&value, 1});
  to.yield(value);
  const auto a = to.begin_combine(device_type_of<R>, device_type_of<R>);
  const device_variable both[] = {a, a + 1};
  to.combined(describe_function<R, R, R>(self.op, to, both));
}

template <typename Element>
std::shared_ptr<scan_params> make_scan_params() {
  using R = typename Element::result;
  constexpr std::int64_t tile_bytes = 256 * 1024;
  constexpr auto value_bytes = static_cast<std::int64_t>(sizeof(R));
  auto params = std::make_shared<scan_params>();
  params->tile_rows = (std::max<std::int64_t>)(tile_bytes / value_bytes, 64);
  params->value_bytes = sizeof(R);
  params->buffered_bytes = Element::reread ? 0 : sizeof(R);
  params->combine = combine_values<Element>;
  params->carries = Element::sums;
  if constexpr (Element::sums) {
    params->accumulate = accumulate_sum<Element>;
    params->write = write_sums<Element>;
  } else {
    params->accumulate = accumulate_any<Element>;
    params->write = write_any<Element>;
  }
  return params;
}

}  // namespace pappus::detail
