// Loops over a launch's indices whose views that reduce keep their states in registers.
//
// Where the indices of a row reduce into one element after another, as those of an image that is
// made smaller do, each element's state stays in a register for its turn. Where rows reduce into
// the same elements, several are run at once: a state is loaded and stored once for all of them, in
// loops along the rows, which become vectors; rows of a few indices, as those of complex numbers'
// parts, are run as one where they follow each other. Where both is so and states may be merged in
// any order, as sums of integers may, each column of such a block has a state of its own.
//
// A view that reduces has strides of 0 and refers to that state: it is the same element whatever
// the index, and nobody computes which one it would be. Several views may, where rows share their
// elements: each has those of the others.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "pappus/detail/base/array.h"
#include "pappus/detail/base/failure.h"
#include "pappus/detail/base/view.h"
#include "pappus/detail/loops/launch_call.h"
#include "pappus/reduces.h"

namespace pappus::detail {

template <typename View>
struct reduced_by {
  using type = void;
};
template <typename R, std::size_t N, typename Check>
struct reduced_by<view<view_access::reduce, R, N, Check>> {
  using type = R;
};

/// Of views of which some reduce.
template <typename F, std::size_t N, typename... Views>
class reduced_rows {
  static constexpr std::size_t reducing = [] {
    std::size_t number = 0, found = 0;
    ((found = Views::access == view_access::reduce ? number : found, ++number), ...);
    return found;
  }();
  // Of the last that does, as what follows.
  using reducer = typename reduced_by<std::tuple_element_t<reducing, std::tuple<Views...>>>::type;
  using state = typename partial_states<reducer>::state;
  static constexpr std::int64_t at_once = 8;     // rows
  static constexpr std::int64_t long_row = 256;  // indices
  static constexpr std::index_sequence_for<Views...> views{};

 public:
  /// \param args  with steps, or shared elements, or both
  static void run(F f, const launch_args& args) { choose(f, args, views); }

 private:
  template <std::size_t... V>
  static void choose(const F& f, const launch_args& args, std::index_sequence<V...>) {
    const auto call = [&](auto loop) {
      loop(views, f, args,
           reinterpret_cast<typename Views::element_type*>(args.views[V].elements)...,
           shape_of<Views::rank>(args.views[V])...);
    };
    if constexpr (N > 2)
      if (args.shared.narrow) {
        const auto width = args.indices.high[N - 1] - args.indices.low[N - 1];
        if (width == 2) return call(rows_together<2, V...>);
        if (width == 3) return call(rows_together<3, V...>);
        return call(rows_together<narrow_rows_max, V...>);
      }
    if constexpr (N > 1)
      if (args.steps.length == 0) return call(rows_together<0, V...>);
    if constexpr (reducing_views<Views...> == 1) {
      if constexpr (N > 1 && commutes<reducer>())
        if (args.shared.any) return call(blocks<V...>);
      call(steps_of_row<V...>);
    }
  }

  template <std::size_t... V>
  [[gnu::noinline, gnu::flatten]] static void steps_of_row(
      std::index_sequence<V...>, const F& f, const launch_args& args,
      typename Views::element_type* __restrict... elements, view_shape<Views::rank>... shapes) {
    auto* to = std::get<reducing>(std::tuple(elements...));
    auto steps = args.steps;
    const auto& at = args.indices.low;
    const auto end = args.indices.high[N - 1];
    auto i = at[N - 1];
    try {
      for (; i < end; to += steps.stride, steps.next += steps.length) {
        auto own = *to;
        for (const auto last = (std::min)(end, steps.next); i < last; ++i)
          launched_call<F, N, Views...>::run(
              f, index_at(at, i, std::make_index_sequence<N - 1>()),
              Views(either<Views>(elements, &own),
                    strided<Views>(shapes, std::make_index_sequence<Views::rank>()))...);
        *to = own;
      }
    } catch (...) {
      tell_failure(at, i, args.all);
      throw;
    }
  }

  /// Each element's values come in the order of the indices: along the shared dimension the fastest
  /// but for the rows' own.
  /// \tparam Width  of narrow rows that are one along the last two dimensions; 0: others
  template <std::int64_t Width, std::size_t... V>
  static void rows_together(std::index_sequence<V...>, const F& f, const launch_args& args,
                            typename Views::element_type*... elements,
                            view_shape<Views::rank>... shapes) {
    const auto [rank, low, high] = args.indices;
    const auto shared = args.shared;
    const auto rows = high[shared.along] - low[shared.along];
    auto at = low;
    auto end = high;
    end[shared.along] = low[shared.along] + 1;  // these rows are run below
    auto from = low[N - 1], to = high[N - 1];
    if constexpr (Width != 0) {
      from = 0, to = (high[N - 2] - low[N - 2]) * Width;
      end[N - 2] = low[N - 2] + 1;
    }
    // States of a long row stay in the cache for all rows that share them; short ones are taken one
    // after another, as they lie in memory.
    const bool is_long = to - from >= long_row;
    do {
      each_block(at[shared.along], rows, [&](auto together) {
        do {
          std::int64_t offset = 0;
          for (std::size_t d = 0; d + 1 < N; ++d)
            if (d != shared.along) offset += (at[d] - low[d]) * shared.strides[d];
          some_rows<Width>(together, views, f, args, at, from, to,
                           behind_elements<Views>(elements, offset)..., shapes...);
        } while (next_place(at, low, end, is_long ? N - 1 : shared.along + 1, N - 1));
      });
    } while (next_place(at, low, end, 0, is_long ? N - 1 : shared.along));
  }

  template <std::size_t... V>
  static void blocks(std::index_sequence<V...>, const F& f, const launch_args& args,
                     typename Views::element_type*... elements, view_shape<Views::rank>... shapes) {
    constexpr auto bytes = static_cast<std::int64_t>(sizeof(state));
    constexpr std::int64_t columns = (std::clamp<std::int64_t>)(8192 / bytes, 16, 512);
    const auto [rank, low, high] = args.indices;
    const auto rows = high[args.shared.along] - low[args.shared.along];
    auto* to = std::get<reducing>(std::tuple(elements...));
    auto next = args.steps.next;
    alignas(state) std::byte memory[static_cast<std::size_t>(columns * bytes)];
    auto* const own = reinterpret_cast<state*>(memory);
    for (auto i = low[N - 1]; i < high[N - 1];) {
      const auto begin = i, last = (std::min)(high[N - 1], begin + columns);
      partial_states<reducer>::start(memory, last - begin);
      auto at = low;
      each_block(at[args.shared.along], rows, [&](auto together) {
        some_rows<0>(together, views, f, args, at, begin, last, either<Views>(elements, own)...,
                     shapes...);
      });
      while (true) {
        auto sum = *to;
        for (const auto turn = (std::min)(last, next); i < turn; ++i)
          partial_states<reducer>::add(sum, own[i - begin]);
        *to = sum;
        if (i < next) break;
        to += args.steps.stride;
        next += args.steps.length;
        if (i == last) break;
      }
    }
  }

  /// Calls run(sequence of a block's rows) for rows from `row` on, which is the first of each block
  /// meanwhile.
  template <typename Run>
  static void each_block(std::int64_t& row, std::int64_t rows, Run&& run) {
    const auto low = row, end = row + rows;
    for (; row + at_once <= end; row += at_once) run(std::make_index_sequence<at_once>());
    for (; row < end; ++row) run(std::make_index_sequence<1>());
    row = low;
  }

  /// Goes on to the next place along dimensions from `first` to before `last`; false behind the
  /// last one.
  static bool next_place(array_numbers& at, const array_numbers& low, const array_numbers& high,
                         std::size_t first, std::size_t last) {
    for (auto d = last; d-- > first; at[d] = low[d])
      if (++at[d] < high[d]) return true;
    return false;
  }

  /// \param at        the first row
  /// \param low       along the last dimension, as `high`; of narrow rows: from 0 in all of them
  /// \param elements  of views that reduce: states of those from `low` on
  template <std::int64_t Width, std::size_t... R, std::size_t... V>
  [[gnu::noinline, gnu::flatten]] static void some_rows(
      std::index_sequence<R...>, std::index_sequence<V...>, const F& f, const launch_args& args,
      const array_numbers& at, std::int64_t low, std::int64_t high,
      typename Views::element_type* __restrict... elements, view_shape<Views::rank>... shapes) {
    array_numbers step{};
    step[args.shared.along] = 1;
    std::int64_t row = 0, i = low;
    try {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC ivdep
#endif
      for (i = low; i < high; ++i) {
        auto own = std::tuple(kept<Views>::of(elements, i - low)...);
        ((row = static_cast<std::int64_t>(R),
          launched_call<F, N, Views...>::run(
              f, behind<R>(along_row<Width>(at, i), step, std::make_index_sequence<N>()),
              Views(either<Views>(elements, std::get<V>(own).state()),
                    strided<Views, Width>(shapes, std::make_index_sequence<Views::rank>()))...)),
         ...);
        (std::get<V>(own).put(elements, i - low), ...);
      }
    } catch (...) {
      auto failed = along_row<Width>(at, i);
      failed[args.shared.along] += row;
      tell_failure(failed, failed[N - 1], args.all);
      throw;
    }
  }

  /// Number `i` of a row: the last number of its index, or of the narrow rows that are one.
  template <std::int64_t Width>
  [[gnu::always_inline]] static array_numbers along_row(array_numbers at, std::int64_t i) {
    // Compilers see that addresses go on from one number to the next, as quotient and remainder
    // cancel each other out, unless bits took their place: thus not number / 4.
    if constexpr (Width == 0) {
      at[N - 1] = i;
    } else {
      const auto number = static_cast<std::uint64_t>(i), quotient = number * 3 / (Width * 3);
      at[N - 2] += static_cast<std::int64_t>(quotient);
      at[N - 1] += static_cast<std::int64_t>(number - quotient * Width);
    }
    return at;
  }

  /// The index that lies so many steps behind one.
  template <std::size_t Steps, std::size_t... D>
  [[gnu::always_inline]] static idx<N> behind(const array_numbers& at, const array_numbers& step,
                                              std::index_sequence<D...>) {
    constexpr auto steps = static_cast<std::int64_t>(Steps);
    return idx<N>((at[D] + steps * step[D])...);
  }

  static void tell_failure(const array_numbers& at, std::int64_t last, const array_box& all) {
    failed_in("for_each", type_spelling<F>::text.data());
    failed_at(number_of<N>(at, last, all));
  }

  /// The state of a view that reduces while an index runs; of others: nothing.
  template <typename View, bool Reduces = View::access == view_access::reduce>
  struct kept {
    using element = typename View::element_type;
    element own;
    [[gnu::always_inline]] static kept of(const element* elements, std::int64_t number) {
      return {elements[number]};
    }
    [[gnu::always_inline]] element* state() { return &own; }
    [[gnu::always_inline]] void put(element* elements, std::int64_t number) const {
      elements[number] = own;
    }
  };
  template <typename View>
  struct kept<View, false> {
    using element = typename View::element_type;
    [[gnu::always_inline]] static kept of(const element*, std::int64_t) { return {}; }
    [[gnu::always_inline]] element* state() { return nullptr; }
    [[gnu::always_inline]] void put(element*, std::int64_t) const {}
  };

  template <typename View, typename State>
  [[gnu::always_inline]] static auto* either(typename View::element_type* elements, State* own) {
    if constexpr (View::access == view_access::reduce)
      return own;
    else
      return elements;
  }
  /// Those of a view that reduces from there on.
  template <typename View>
  [[gnu::always_inline]] static auto* behind_elements(typename View::element_type* elements,
                                                      std::int64_t offset) {
    return View::access == view_access::reduce ? elements + offset : elements;
  }
  /// Without loops, so that compilers see at once which strides are 0: a state whose address seemed
  /// to depend on others would stay in memory.
  template <typename View, std::int64_t Width = 0, std::size_t... D>
  [[gnu::always_inline]] static view_shape<View::rank> strided(const view_shape<View::rank>& shape,
                                                               std::index_sequence<D...>) {
    return {{shape.extents[D]...},
            {(View::access == view_access::reduce ? 0
              : D + 1 == View::rank               ? 1
              : D + 2 == View::rank && Width != 0 ? Width
                                                  : shape.strides[D])...}};
  }
};

}  // namespace pappus::detail
