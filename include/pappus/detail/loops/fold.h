// The loop that reduces a fused stage, and a reducer without its types.
//
// The order of additions must not depend on the machine. Rows are cut into leaves of a fixed number
// of rows (ops/fold.cpp); here one block of one leaf is accumulated. Reducers whose result
// depends on the order (float sums) declare a number of lanes: row r of the stage always goes to
// lane r mod lanes, whatever the vector width. Leaves are merged lane by lane, first to last, and
// at the end the lanes, first to last. Records of a flat_map or join have no row of their own and
// take the lanes in turn.
#pragma once

#include <concepts>
#include <memory>
#include <new>

#include "pappus/detail/base/keep.h"
#include "pappus/detail/base/reducer_traits.h"
#include "pappus/detail/fuse/device_reducers.h"
#include "pappus/detail/fuse/expression.h"
#include "pappus/detail/loops/accumulate.h"

namespace pappus::detail {

template <typename R>
constexpr int lanes_of() {
  if constexpr (requires { R::lanes; })
    return R::lanes;
  else
    return 1;
}

/// What behind a filter a row's lane is chosen by: a reducer of several may have lanes itself, to
/// which accumulate_at(value, row) adds.
template <typename R>
constexpr int row_lanes_of() {
  if constexpr (requires { R::row_lanes; })
    return R::row_lanes;
  else
    return lanes_of<R>();
}

/// What devices give such a reducer behind a filter.
template <typename T>
struct numbered_value {
  std::int64_t row;
  T value;
};
template <typename T>
struct device_shape<numbered_value<T>>
    : two_device_fields<device_shape<numbered_value<T>>, std::int64_t, T> {
  static constexpr std::string_view names[] = {"row", "value"};
  static constexpr device_type make() {
    return device_fields<numbered_value<T>>(device_shape::fields);
  }
};

/// The state of a leaf: one reducer per lane.
template <typename R, std::size_t Lanes = static_cast<std::size_t>(lanes_of<R>())>
struct fold_state {
  R lane[Lanes];
  std::uint32_t next;  ///< the lane of the next record, where a row may yield any number of records
};
template <typename R>
struct fold_state<R, 1> {
  R lane[1];
};

#if !defined(__clang__)
/// Calls f(lane) for all lanes of a reducer, in order.
///
/// g++ takes short loops apart before it looks for vectors. It puts lanes that are a number each
/// together again by AVX2, but not by AVX-512, for which the loop has to stay a loop. (Larger lanes
/// would be gathered from the state and scattered to it at each row.) That the loop has a function
/// of its own matters, too: else nothing behind a filter is vectorised. clang does best without
/// either.
template <typename R, typename F>
inline void for_each_lane(F&& f) {
  constexpr int lanes = lanes_of<R>();
#if defined(__AVX512F__)
  if constexpr (sizeof(R) <= 8) {
#pragma GCC unroll 1
    for (int lane = 0; lane < lanes; ++lane) f(lane);
    return;
  }
#endif
  for (int lane = 0; lane < lanes; ++lane) f(lane);
}
#endif

/// Accumulates a block into the state at `memory`. It constructs the state anew where others would
/// assign: a reducer with a lambda that captured something can't be assigned.
template <typename E, typename R>
void fold_rows(const void* element, const block_args& args, std::byte* memory) {
  constexpr int lanes = lanes_of<R>();
  const auto bound = static_cast<const E*>(element)->bind(args);
  auto& state = *reinterpret_cast<fold_state<R>*>(memory);
  if constexpr (lanes == 1 && takes_blocks<E, R>) {
    R local = state.lane[0];
    accumulate_blocks<E>(local, bound, args.rows);
    std::construct_at(&state.lane[0], local);
  } else if constexpr (lanes == 1 && E::yields == cardinality::at_most_one &&
                       row_lanes_of<R>() > 1) {
    R local = state.lane[0];
    accumulate_rows_at<E>(local, bound, args.row, args.rows);
    std::construct_at(&state.lane[0], local);
  } else if constexpr (lanes == 1 && E::yields != cardinality::any && has_block<R>) {
    auto block = block_of<R>::begin(state.lane[0]);
    accumulate_rows<E>(block, bound, args.rows);
    R local = state.lane[0];  // g++ 12 warns of writes past the first of several parts in place
    block_of<R>::end(local, block);
    std::construct_at(&state.lane[0], local);
  } else if constexpr (lanes == 1) {
    R local = state.lane[0];
    accumulate_rows<E>(local, bound, args.rows);
    std::construct_at(&state.lane[0], local);
  } else if constexpr (E::yields == cardinality::any) {
    std::uint32_t next = state.next;
    each_row<E::yields>(bound, args.rows, [&](const auto& value) {
      state.lane[next].accumulate(value);
      next = next + 1 == lanes ? 0 : next + 1;
    });
    state.next = next;
  } else {
    fold_state<R> local = state;
    const auto accumulate = [&](std::int64_t i, int lane) {
      // Stored whether or not the row is kept: g++ vectorises no store behind a filter.
      R own = local.lane[lane];
      bound.at(i, [&](const auto& value) { own.accumulate(value); });
      std::construct_at(&local.lane[lane], own);
    };
    std::int64_t i = 0;
    for (; i < args.rows && (args.row + i) % lanes != 0; ++i)
      accumulate(i, static_cast<int>((args.row + i) % lanes));
    for (; i + lanes <= args.rows; i += lanes) {
#if defined(__clang__)
      for (int lane = 0; lane < lanes; ++lane) accumulate(i + lane, lane);
#else
      for_each_lane<R>([&](int lane) { accumulate(i + lane, lane); });
#endif
    }
    for (int lane = 0; i < args.rows; ++i, ++lane) accumulate(i, lane);
    std::construct_at(&state, local);
  }
}

/// fold_rows() in two halves, for slow functions: several workers compute values (write_values),
/// one accumulates them in row order (accumulate_values). The time goes into the users' functions,
/// so these loops needn't be fast.
template <typename E>
void write_values(const void* element, const block_args& args, out_rows& out) {
  using T = value_of<E>;
  const auto bound = static_cast<const E*>(element)->bind(args);
  each_row<E::yields>(bound, args.rows, [&](const auto& value) {
    if (static_cast<std::size_t>(out.end - out.cursor) < sizeof(T)) out.grow(out);
    ::new (static_cast<void*>(out.cursor)) T(value);
    out.cursor += sizeof(T);
  });
}
template <typename T, typename R>
[[gnu::cold]] void accumulate_values(const std::byte* values, const std::uint8_t* lanes,
                                     std::int64_t n, std::byte* memory) {
  auto& state = *reinterpret_cast<fold_state<R>*>(memory);
  for (std::int64_t i = 0; i < n; ++i) {
    const T& value = reinterpret_cast<const T*>(values)[i];
    std::uint32_t lane = 0;
    if constexpr (lanes_of<R>() > 1) {
      lane = lanes != nullptr ? lanes[i] : state.next;
      if (lanes == nullptr) state.next = lane + 1 == lanes_of<R>() ? 0 : lane + 1;
    } else if constexpr (row_lanes_of<R>() > 1) {
      if (lanes != nullptr) {
        state.lane[0].accumulate_at(value, lanes[i]);
        continue;
      }
    }
    state.lane[lane].accumulate(value);
  }
}

template <typename E, typename R>
PAPPUS_GLUE void describe_fold(const void* element, device_writer& to) {
  const auto value = static_cast<const E*>(element)->describe(to);
  to.begin();
  if constexpr (E::yields == cardinality::at_most_one && lanes_of<R>() == 1 &&
                row_lanes_of<R>() > 1) {
    using with_row = numbered_value<value_of<E>>;
    const device_variable fields[] = {to.row_number(), value};
    describe_reducer<R, with_row>(to, to.make(device_type_of<with_row>, fields));
  } else {
    describe_reducer<R, value_of<E>>(to, value);
  }
}

/// An expression and the binary operator that folds its records, for the description to devices.
/// The reducer's states have a copy of the operator, too, but device code finds captured references
/// in the stage's element alone.
template <typename E, typename Op>
struct folded_by : E {
  Op op;
};

template <typename Element, typename R>
void describe_fold_by(const void* element, device_writer& to) {
  using T = decltype(R::value);
  using X = value_of<Element>;
  if constexpr (known_reducer<R, X> && !has_device_code<decltype(Element::op)>) {
    describe_fold<Element, R>(element, to);
  } else {
    static constexpr device_field fields[] = {{"value", 0, &device_type_of<T>}};
    static constexpr device_type state = device_fields<R>(fields);
    const auto& self = *static_cast<const Element*>(element);
    const auto value = self.describe(to);
    to.begin();
    to.fold(value, state, {});
    const auto total = to.begin_combine(device_type_of<T>, device_type_of<X>);
    const device_variable both[] = {total, total + 1};
    to.combined(describe_function<T, T, X>(self.op, to, both));
  }
}

template <typename R>
PAPPUS_GLUE reduce_kernel reduce_kernel_of(R prototype) {
  using state = fold_state<R>;
  using result = result_of<R>;
  static_assert(std::is_trivially_copyable_v<R>,
                "a reducer's state is moved as bytes: it must be trivially copyable");
  static_assert(record<result>, "a reducer's result must be a trivially copyable record");
  reduce_kernel kernel;
  kernel.name = type_name<R>();
  kernel.state_size = sizeof(state);
  kernel.state_align = alignof(state);
  kernel.states_may_point = text_of<R>() != text_in::none;
  kernel.result = record_type_of<result>();
  kernel.context = keep(prototype);
  kernel.lanes = lanes_of<R>();
  kernel.commutative = is_commutative<R>;
  kernel.lane_bytes = sizeof(R);
  kernel.row_lanes = row_lanes_of<R>();
  kernel.init = [](const void* context, std::byte* memory) {
    auto* to = reinterpret_cast<state*>(memory);
    for (R& lane : to->lane) ::new (static_cast<void*>(&lane)) R(*static_cast<const R*>(context));
    if constexpr (lanes_of<R>() > 1) to->next = 0;
  };
  kernel.merge = [](const void*, std::byte* into, const std::byte* from) {
    auto& to = reinterpret_cast<state*>(into)->lane;
    const auto& other = reinterpret_cast<const state*>(from)->lane;
    for (int lane = 0; lane < lanes_of<R>(); ++lane) to[lane].merge(other[lane]);
  };
  kernel.finish = [](const void*, const std::byte* memory, std::byte* to) {
    R all = reinterpret_cast<const state*>(memory)->lane[0];
    for (int lane = 1; lane < lanes_of<R>(); ++lane)
      all.merge(reinterpret_cast<const state*>(memory)->lane[lane]);
    ::new (static_cast<void*>(to)) result(finalized(all));
  };
  if constexpr (requires(const R& r) {
                  { r.saturated() } -> std::convertible_to<bool>;
                }) {
    static_assert(lanes_of<R>() == 1);
    kernel.saturated = [](const std::byte* memory) {
      return static_cast<bool>(reinterpret_cast<const state*>(memory)->lane[0].saturated());
    };
  }
  return kernel;
}

}  // namespace pappus::detail
