// A map whose function takes many records at once: f(std::span<const In>, sides...,
// std::span<Out>).
//
// Rows of a collection are handed over where they lie; what a chain computes is first gathered in a
// buffer that stays in the first-level cache. Either way the outputs go to a second small buffer
// and on to whatever follows, so a batched map fuses like any other operator. Since it works on
// runs of rows and not on row i, its cardinality is `any`.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <span>
#include <tuple>
#include <type_traits>

#include "pappus/detail/fuse/expression.h"
#include "pappus/function.h"

namespace pappus::detail {

template <typename F>
inline constexpr bool takes_batches = false;
template <typename Out, typename F>
inline constexpr bool takes_batches<batched_function<Out, F>> = true;

/// Uninitialised memory for N records, which needn't be default constructible.
template <typename T, std::size_t N>
struct record_buffer {
  alignas(T) alignas(64) std::byte bytes[N * sizeof(T)];
  T* data() { return reinterpret_cast<T*>(bytes); }
};

/// How many records of `bytes` a batch has: those of half of a core's L1, and a power of two, so
/// that functions that take a vector of records at a time have none left over and blocks are cut
/// without a rest.
constexpr std::size_t rows_of_batch(std::size_t bytes, std::size_t least, std::size_t most) {
  return std::clamp(std::bit_floor(16384 / bytes), least, most);
}

template <typename Prev, typename Batched, typename... Sides>
struct batch_mapped {
  using input_type = value_of<Prev>;
  using value_type = typename Batched::output_type;
  static_assert(record<value_type>, "batched: the output must be a trivially copyable record");
  static constexpr cardinality yields = cardinality::any;
  static constexpr std::size_t batch =
      rows_of_batch((std::max)(sizeof(input_type), sizeof(value_type)), 32, 1024);
  using call_type = detail::call<decltype(Batched::function), Sides...>;

  Prev prev;
  call_type call;

  struct bound {
    typename Prev::bound prev;
    typename call_type::bound call;

    template <typename Sink, typename Counts>
    void for_each(std::int64_t n, Sink&& sink, Counts counts) const {
      if constexpr (std::is_same_v<Prev, source<input_type>>) {
        for (std::int64_t begin = 0; begin < n; begin += static_cast<std::int64_t>(batch))
          pass(prev.rows + begin,
               (std::min<std::size_t>)(batch, static_cast<std::size_t>(n - begin)), sink);
      } else {
        record_buffer<input_type, batch> gathered;
        std::size_t count = 0;
        const auto gather = [&](const auto& value) {
          ::new (static_cast<void*>(gathered.data() + count)) input_type(value);
          if (++count == batch) {
            with_gathered_rows([&] { pass(gathered.data(), count, sink); });
            count = 0;
          }
        };
        each_row<Prev::yields>(prev, n, gather, counts);
        pass(gathered.data(), count, sink);
      }
    }

   private:
    template <typename Sink>
    void pass(const input_type* in, std::size_t n, Sink& sink) const {
      if (n == 0) return;
      record_buffer<value_type, batch> out;
      const auto compute = [&](const auto&... side) {
        call_noting_failure<decltype(Batched::function)>(
            "map", call.function, std::span<const input_type>(in, n), side...,
            std::span<value_type>(out.data(), n));
      };
      std::apply(compute, call.sides);
      for (std::size_t i = 0; i < n; ++i) sink(static_cast<const value_type&>(out.data()[i]));
    }
  };
  bound bind(const block_args& args) const { return {prev.bind(args), call.bind(args)}; }
  void shift_slots(int inputs, int sides) {
    prev.shift_slots(inputs, sides);
    call.first_side += sides;
  }
  /// Device code is for one record, so on a device each row yields one record although the
  /// cardinality is `any`.
  device_variable describe(device_writer& to) const {
    const auto value = prev.describe(to);
    to.begin();
    return call.template describe_batched<value_type, input_type>(to, value);
  }
};

}  // namespace pappus::detail
