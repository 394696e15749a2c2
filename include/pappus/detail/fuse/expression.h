// Expression types: element-wise operators that fuse by inlining.
//
// `rows.map(f).filter(p)` has type filtered<mapped<source, f>, p>. For a block of rows it is bound:
// pointers and small lambdas become local values. The bound form offers
//   at(i, sink)          computes row i of the block; calls sink(record) at most once. Not for
//                        cardinality `any`.
//   for_each(n, sink, counts)
//                        calls sink(record) for all records of the block's n rows, in order. An
//                        operator whose own cardinality isn't `one` adds what it yields to the
//                        counts, which only explain_analyze wants (loops/count.h).
// each_row() calls whichever there is.
// describe() tells a device's text generator what at() does (detail/base/device.h).
// Every loop in loops/ is written against at() and for_each(), so a new element-wise operator works
// with all consumers, and the element function (captures, side inputs, input record) -> (output
// record, keep) is `at` itself.
//
// Not here: operators that need all their input (ops/), and joins, whose probe is a block-wise
// expression (fuse/join.h).
#pragma once

#include <cstdint>
#include <utility>

#include "pappus/detail/base/failure.h"
#include "pappus/detail/base/layout.h"
#include "pappus/detail/base/stage.h"
#include "pappus/detail/fuse/accepts.h"
#include "pappus/detail/fuse/function.h"
#include "pappus/records.h"

namespace pappus::detail {

template <typename E>
using value_of = typename E::value_type;

/// What an operator itself does to the number of records, whatever comes before it.
template <typename E>
inline constexpr cardinality own_cardinality = cardinality::one;
template <typename E>
  requires requires { E::own; }
inline constexpr cardinality own_cardinality<E> = E::own;

/// The counts of a loop that doesn't count.
struct uncounted {
  static constexpr bool wanted = false;
  void add(std::size_t = 1) const {}
  uncounted before() const { return {}; }
};
/// A place for each operator of another cardinality than `one`, and one for the rows before them.
struct operator_counters {
  static constexpr bool wanted = true;
  std::int64_t* last;  ///< of the operator that is asked for records
  void add(std::size_t records = 1) const { *last += static_cast<std::int64_t>(records); }
  /// Of what comes before such an operator.
  operator_counters before() const { return {last - 1}; }
};

/// Where nobody wants the records: an operator needs not make them if it can count them without.
struct no_sink {
  template <typename T>
  void operator()(const T&) const {}
};

/// Calls sink(record) for every record that the n rows of a bound block yield, in order: at() for
/// each row where operators yield at most one record, else the last operator's for_each(), which
/// asks those before it.
template <cardinality Yields, typename Bound, typename Sink, typename Counts = uncounted>
PAPPUS_INLINE_BY_CLANG inline void each_row(const Bound& bound, std::int64_t n, Sink&& sink,
                                            Counts counts = {}) {
  if constexpr (Yields == cardinality::any || (Counts::wanted && Yields != cardinality::one)) {
    bound.for_each(n, sink, counts);
  } else {
    for (std::int64_t i = 0; i < n; ++i) bound.at(i, sink);
  }
}

/// Rows of T in memory.
template <record T>
struct source {
  using value_type = T;
  static constexpr cardinality yields = cardinality::one;
  int slot = 0;

  struct bound {
    const T* rows;
    std::int64_t first;  ///< the block's first row, counted over the whole stage
    template <typename Sink>
    PAPPUS_INLINE_BY_CLANG void at(std::int64_t i, Sink&& sink) const {
      try {
        sink(rows[i]);
      } catch (...) {
        failed_at(first + i);
        throw;
      }
    }
  };
  bound bind(const block_args& args) const {
    return {reinterpret_cast<const T*>(args.inputs[slot]), args.row};
  }
  void shift_slots(int inputs, int) { slot += inputs; }
  device_variable describe(device_writer& to) const { return to.load(slot, device_type_of<T>); }
};

/// The integers first, first + 1, ... of session::range(). They are added as unsigned numbers: the
/// row's number alone may be too large for I.
template <typename I>
struct counter {
  using value_type = I;
  static constexpr cardinality yields = cardinality::one;
  I first = 0;

  struct bound {
    std::uint64_t start;
    std::int64_t first;  ///< the block's first row, counted over the whole stage
    template <typename Sink>
    PAPPUS_INLINE_BY_CLANG void at(std::int64_t i, Sink&& sink) const {
      try {
        sink(static_cast<I>(start + static_cast<std::uint64_t>(i)));
      } catch (...) {
        failed_at(first + i);
        throw;
      }
    }
  };
  bound bind(const block_args& args) const {
    return {static_cast<std::uint64_t>(first) + static_cast<std::uint64_t>(args.row), args.row};
  }
  void shift_slots(int, int) {}
  device_variable describe(device_writer& to) const {
    to.begin();
    return to.counter(static_cast<std::int64_t>(first), device_type_of<I>);
  }
};

template <typename Prev, typename Call>
struct mapped {
  using value_type = typename Call::template result<value_of<Prev>>;
  static constexpr cardinality yields = Prev::yields;
  Prev prev;
  Call call;

  struct bound {
    typename Prev::bound prev;
    typename Call::bound call;
    template <typename Sink>
    PAPPUS_INLINE_BY_CLANG void at(std::int64_t i, Sink&& sink) const {
      prev.at(i, [&](const auto& value) { sink(call(value)); });
    }
    template <typename Sink, typename Counts>
    void for_each(std::int64_t n, Sink&& sink, Counts counts) const {
      each_row<yields>(prev, n, [&](const auto& value) { sink(call(value)); }, counts);
    }
  };
  bound bind(const block_args& args) const { return {prev.bind(args), call.bind(args, "map")}; }
  void shift_slots(int inputs, int sides) {
    prev.shift_slots(inputs, sides);
    call.first_side += sides;
  }
  device_variable describe(device_writer& to) const {
    const auto value = prev.describe(to);
    to.begin();
    return call.template describe<value_type, value_of<Prev>>(to, value);
  }
};

template <typename Prev, typename Call>
struct filtered {
  using value_type = value_of<Prev>;
  static constexpr cardinality own = cardinality::at_most_one;
  static constexpr cardinality yields = combine(Prev::yields, own);
  Prev prev;
  Call call;

  struct bound {
    typename Prev::bound prev;
    typename Call::bound call;
    template <typename Sink>
    PAPPUS_INLINE_BY_CLANG void at(std::int64_t i, Sink&& sink) const {
      prev.at(i, [&](const auto& value) {
        if (call(value)) sink(value);
      });
    }
    template <typename Sink, typename Counts>
    void for_each(std::int64_t n, Sink&& sink, Counts counts) const {
      const auto keep = [&](const auto& value) {
        if (!call(value)) return;
        counts.add();
        sink(value);
      };
      each_row<Prev::yields>(prev, n, keep, counts.before());
    }
  };
  bound bind(const block_args& args) const { return {prev.bind(args), call.bind(args, "filter")}; }
  void shift_slots(int inputs, int sides) {
    prev.shift_slots(inputs, sides);
    call.first_side += sides;
  }
  device_variable describe(device_writer& to) const {
    const auto value = prev.describe(to);
    to.begin();
    to.keep_if(call.template describe<bool, value_type>(to, value));
    return value;
  }
};

/// Yields the elements of the range f(record), for one record after the other.
template <typename Prev, typename Call>
struct flattened {
  using value_type =
      typename element_of_range<typename Call::template returned<value_of<Prev>>>::type;
  static constexpr cardinality own = cardinality::any, yields = own;
  Prev prev;
  Call call;

  struct bound {
    typename Prev::bound prev;
    typename Call::bound call;
    template <typename Sink, typename Counts>
    void for_each(std::int64_t n, Sink&& sink, Counts counts) const {
      const auto flatten = [&](const auto& value) {
        auto&& range = call(value);
        for (auto&& element : range) {
          counts.add();
          sink(static_cast<const value_type&>(element));
        }
      };
      each_row<Prev::yields>(prev, n, flatten, counts.before());
    }
  };
  bound bind(const block_args& args) const {
    return {prev.bind(args), call.bind(args, "flat_map")};
  }
  void shift_slots(int inputs, int sides) {
    prev.shift_slots(inputs, sides);
    call.first_side += sides;
  }
  device_variable describe(device_writer& to) const {
    const auto value = prev.describe(to);
    to.begin();
    return call.template describe<value_type, value_of<Prev>>(to, value, true);
  }
};

/// Pairs of two expressions' records; each of these yields one record a row.
template <typename A, typename B>
struct zipped {
  static_assert(A::yields == cardinality::one && B::yields == cardinality::one);
  using value_type = pair<value_of<A>, value_of<B>>;
  static constexpr cardinality yields = cardinality::one;
  A a;
  B b;

  struct bound {
    typename A::bound a;
    typename B::bound b;
    template <typename Sink>
    PAPPUS_INLINE_BY_CLANG void at(std::int64_t i, Sink&& sink) const {
      a.at(i, [&](const auto& first) {
        b.at(i, [&](const auto& second) { sink(value_type{first, second}); });
      });
    }
  };
  bound bind(const block_args& args) const { return {a.bind(args), b.bind(args)}; }
  void shift_slots(int inputs, int sides) {
    a.shift_slots(inputs, sides);
    b.shift_slots(inputs, sides);
  }
  device_variable describe(device_writer& to) const {
    const device_variable fields[] = {a.describe(to), b.describe(to)};
    to.begin();
    return to.make(device_type_of<value_type>, fields);
  }
};

/// Records with their row numbers; Prev yields one record a row.
template <typename Prev>
struct enumerated {
  static_assert(Prev::yields == cardinality::one);
  using value_type = indexed<value_of<Prev>>;
  static constexpr cardinality yields = cardinality::one;
  Prev prev;

  struct bound {
    typename Prev::bound prev;
    std::int64_t row;
    template <typename Sink>
    PAPPUS_INLINE_BY_CLANG void at(std::int64_t i, Sink&& sink) const {
      prev.at(i, [&](const auto& value) { sink(value_type{row + i, value}); });
    }
  };
  bound bind(const block_args& args) const { return {prev.bind(args), args.row}; }
  void shift_slots(int inputs, int sides) { prev.shift_slots(inputs, sides); }
  device_variable describe(device_writer& to) const {
    const auto value = prev.describe(to);
    to.begin();
    const device_variable fields[] = {to.row_number(), value};
    return to.make(device_type_of<value_type>, fields);
  }
};

/// Describes a stage to devices, for nodes that take its records as they are.
template <typename E>
PAPPUS_GLUE void describe_records(const void* element, device_writer& to) {
  const auto record = static_cast<const E*>(element)->describe(to);
  to.begin();
  to.yield(record);
}

}  // namespace pappus::detail
