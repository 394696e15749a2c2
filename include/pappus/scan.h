// Running totals: inclusive_scan, exclusive_scan.
#pragma once

#include "pappus/detail/base/keep.h"
#include "pappus/detail/loops/scan.h"
#include "pappus/query.h"

namespace pappus {
namespace detail {

template <bool Exclusive, typename R, typename E, typename Op>
collection<R> scan(const query<E>& from, Op op, std::shared_ptr<const void> initial) {
  static_assert(record<R>, "scan: running values must be trivially copyable records");
  static_assert(std::is_convertible_v<value_of<E>, R>,
                "scan: a record must convert to the type of the running values");
  if constexpr (E::yields != cardinality::one) {
    return scan<Exclusive, R>(from.materialise(), std::move(op), std::move(initial));
  } else {
    using element = scan_element<E, Op, R, Exclusive>;
    auto stage = detail::access::erased_stage(from);
    stage.element = detail::keep(element{detail::access::expression(from), std::move(op)});
    stage.describe = detail::describe_scan<element>;
    auto params = make_scan_params<element>();
    params->initial = std::move(initial);
    return {detail::access::session(from),
            make_node(detail::access::session(from),
                      {scan_operator(), Exclusive ? "exclusive_scan" : "inclusive_scan",
                       record_type_of<R>(), std::move(stage), std::move(params)})};
  }
}

}  // namespace detail

/// Running totals: record i of the result is op(... op(record 0, record 1) ..., record i), op being
/// any associative function of two running values. Their type is what op returns for two records,
/// to which records convert.
///
/// One record of the result per record, in row order. op is applied to runs of rows first, whose
/// length depends on the type alone, and then to the totals of these: for an op that isn't quite
/// associative, such as adding floats, the result differs a little from a loop's, but never between
/// machines, threads or chunks. NaN and -0.0 are left to op. std::plus of 32- or 64-bit integers
/// wraps. Throws memory_error and what op throws; fuses with map, zip and enumerate before it.
/// Of a file in windows, which it passes on.
/// Cost: reads the input and writes the result once; op runs twice a record.
template <typename E>
template <typename Op>
auto query<E>::inclusive_scan(Op op) const {
  using R =
      std::remove_cvref_t<std::invoke_result_t<const Op&, const value_type&, const value_type&>>;
  return detail::scan<false, R>(*this, std::move(op), std::shared_ptr<const R>());
}

/// Running sums in the type that sum() has: 64 bits for integers, which wrap, double for float.
/// inclusive_scan(std::plus<int>{}) stays in 32 bits.
template <typename E>
collection<reducers::sum_type<typename query<E>::value_type>> query<E>::inclusive_scan() const {
  using R = reducers::sum_type<value_type>;
  return detail::scan<false, R>(*this, detail::adding<R>{}, std::shared_ptr<const R>());
}

/// Record i of the result is op(init, record 0, ..., record i - 1); record 0 is init. For the rest
/// see inclusive_scan. Running values are of type T, to which records convert.
template <typename E>
template <typename T, typename Op>
collection<T> query<E>::exclusive_scan(T init, Op op) const {
  return detail::scan<true, T>(*this, std::move(op), detail::keep(init));
}

}  // namespace pappus
