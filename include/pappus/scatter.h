// scatter: values to the places that they name.
#pragma once

#include <concepts>

#include "pappus/detail/base/keep.h"
#include "pappus/detail/loops/scatter.h"
#include "pappus/query.h"

namespace pappus {

/// n records: number index(record) is value(record), and those that no record names are `fill`.
///
/// index is a function of a record, or a pointer to a member; it returns an integer from 0 to
/// n - 1, another one for each record. value, which needn't be given, is likewise a function of a
/// record.
/// \throws usage_error  "scatter: row 7 has the index 12, expected 0 <= index < 10; ..." or
///                      "scatter: rows 3 and 7 have the index 5, ...": the first such row.
/// Throws memory_error and what the functions throw; to find the first row, index is called again.
/// Cost: reads the input once and writes each record of the result once, at random: in the cache's
/// time while the result fits in. Fuses with map, zip and enumerate before it. Memory: the result
/// and a byte for each of its records. Runs on the CPU.
template <typename E>
template <typename Index, typename Value>
auto query<E>::scatter(Index index, Value value, std::int64_t n,
                       detail::projected_by<Value, value_type> fill) const
    -> collection<detail::projected_by<Value, value_type>> {
  using T = detail::projected_by<Value, value_type>;
  static_assert(detail::record<T>, "scatter: values must be trivially copyable records");
  static_assert(std::integral<detail::projected_by<Index, value_type>>,
                "scatter: the index function must return an integer");
  if constexpr (E::yields != detail::cardinality::one) {
    return materialise().scatter(std::move(index), std::move(value), n, fill);
  } else {
    using element = detail::scatter_element<E, detail::call<Index>, detail::call<Value>>;
    auto params = detail::scatter_params_of<element>(n, fill);
    auto stage = erased_stage();
    stage.element = detail::keep(element{expression_, {std::move(index)}, {std::move(value)}});
    stage.describe = nullptr;  // the stage is the CPU's
    return {session_, detail::make_node(session_, {detail::scatter_operator(), "scatter",
                                                   detail::record_type_of<T>(), std::move(stage),
                                                   std::move(params)})};
  }
}

template <typename E>
template <typename Index>
collection<typename query<E>::value_type> query<E>::scatter(Index index, std::int64_t n,
                                                            value_type fill) const {
  return scatter(std::move(index), detail::to_itself{}, n, fill);
}

}  // namespace pappus
