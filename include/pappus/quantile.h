// Medians and quantiles of all records and of groups, exactly:
//
//     double middle = flights.median(&flight::delay);
//     auto late = flights.group_by(&flight::carrier).quantile(0.95, &flight::delay);
//
// A quantile p of n values lies at p (n - 1) in their order, linearly between both neighbours: as
// DuckDB's quantile_cont has it, and NumPy. Values are any numbers, and what converts to double;
// those that are missing don't count.
//
//   All rows  the values are put into memory as keys of 4 or 8 bytes, from a file window by window,
//             where they may go to the disk, and read about twice, by all threads.
//   Groups    values, not records, are sorted by group; one thread finds a group's quantiles.
//             Memory: two copies of keys and values; see map_groups.
#pragma once

#include <array>
#include <memory>
#include <type_traits>
#include <utility>

#include "pappus/detail/fuse/statistics.h"
#include "pappus/detail/loops/quantile.h"
#include "pappus/group.h"
#include "pappus/query.h"

namespace pappus::detail {

template <typename Out, std::size_t N, typename E, typename F>
value<Out> quantiles_of_rows(const query<E>& of, const char* name, const std::array<double, N>& p,
                             F projection) {
  using type = projection_of<F, value_of<E>>;
  if constexpr (may_be_missing<type>) {
    const auto known = of.filter(is_known<F>{projection});
    return quantiles_of_rows<Out>(known, name, p, known_value<F>{std::move(projection)});
  } else {
    const auto keys = of.map(to_quantile_bits<F>{std::move(projection)}).materialise();
    auto params = std::make_shared<quantile_params>();
    params->p.assign(p.begin(), p.end());
    params->key_bytes = sizeof(quantile_bits<type>);
    params->number = number_of<type>;
    stage_spec stage;
    stage.inputs = {access::node(keys)};
    return {access::session(of),
            make_node(access::session(of), {quantile_operator(), name, record_type_of<Out>(),
                                            std::move(stage), std::move(params)})};
  }
}

template <typename Out, std::size_t N, typename E, typename Key, bool Dense, typename F>
auto quantiles_of_groups(const grouped<E, Key, Dense>& of, const char* name,
                         const std::array<double, N>& p, F projection) {
  using type = projection_of<F, value_of<E>>;
  return access::map_groups(of, name, group_quantiles<type, Out, N>{p},
                            to_quantile_bits<F>{std::move(projection)});
}

template <typename Of, typename T>
template <typename Out, std::size_t N, typename F>
auto quantile_members<Of, T>::found_quantiles(const char* name, const std::array<double, N>& p,
                                              F projection) const {
  check_quantiles(name, p);
  const auto& of = static_cast<const Of&>(*this);
  if constexpr (requires { typename Of::key_type; })
    return quantiles_of_groups<Out>(of, name, p, std::move(projection));
  else
    return quantiles_of_rows<Out>(of, name, p, std::move(projection));
}

template <typename Of, typename T>
template <typename F>
auto quantile_members<Of, T>::median(F projection) const {
  return found_quantiles<double>("median", std::array{0.5}, std::move(projection));
}
template <typename Of, typename T>
template <typename F>
auto quantile_members<Of, T>::quantile(double p, F projection) const {
  return found_quantiles<double>("quantile", std::array{p}, std::move(projection));
}
template <typename Of, typename T>
template <std::size_t N, typename F>
auto quantile_members<Of, T>::quantiles(const std::array<double, N>& p, F projection) const {
  static_assert(N > 0, "quantiles: expected at least one p");
  return found_quantiles<std::array<double, N>>("quantiles", p, std::move(projection));
}

}  // namespace pappus::detail
