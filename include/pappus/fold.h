// What reduces all records of a query to one value, as members of queries.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "pappus/detail/base/keep.h"
#include "pappus/detail/base/reducer_traits.h"
#include "pappus/detail/base/request.h"
#include "pappus/detail/fuse/access.h"
#include "pappus/detail/fuse/aggregate.h"
#include "pappus/detail/fuse/folded.h"
#include "pappus/detail/loops/count.h"
#include "pappus/detail/loops/counted.h"
#include "pappus/detail/loops/fold.h"
#include "pappus/detail/loops/fold_join.h"
#include "pappus/function.h"
#include "pappus/missing.h"
#include "pappus/reducers.h"
#include "pappus/value.h"

namespace pappus::detail {

/// \tparam Of  a query
/// \tparam E   its expression
template <typename Of, typename E>
class fold_members {
 public:
  /// Reduces all records with a reducer (reducers.h), in an order that depends on the data alone.
  template <typename R>
  auto reduce(R prototype = R{}) const {
    return reduced_by("reduce", std::move(prototype));
  }
  /// Folds with a binary operator: associative, with `identity` as its neutral element.
  template <typename T, typename Op>
  auto reduce(T identity, Op op) const {
    const auto& plain = plain_function(op);
    using reducer = reducers::folding<T, std::remove_cvref_t<decltype(plain)>>;
    using element = folded_by<E, Op>;
    reducer prototype{std::move(identity), plain};
    return together(aggregate_of<made_before<reducer>, to_itself>{{}, {prototype}},
                    fold(self(), "reduce", element{access::expression(self()), std::move(op)},
                         prototype, describe_fold_by<element, reducer>));
  }
  /// The number of records; count(projection): of those whose projection isn't missing.
  auto count() const { return reduced_by("count", reducers::count{}, to_nothing{}); }
  template <typename F>
  auto count(F projection) const {
    return aggregated<reducers::present>("count", std::move(projection));
  }
  /// Sum of the records, or of projection(record), as in sum(&sale::price): 64 bits for integers,
  /// which wrap (two's complement), double for float and double.
  template <typename F = to_itself>
  auto sum(F projection = {}) const {
    return aggregated<reducers::sum>("sum", std::move(projection));
  }
  /// Arithmetic mean, double; of integers without overflow, rounded once.
  template <typename F = to_itself>
  auto mean(F projection = {}) const {
    return aggregated<reducers::mean>("mean", std::move(projection));
  }
  /// Population variance, double; of integers without overflow, rounded once below 2^32 records.
  template <typename F = to_itself>
  auto variance(F projection = {}) const {
    return aggregated<reducers::variance>("variance", std::move(projection));
  }
  /// min: the smallest record or projection; max: the greatest; of equals the first; NaN is greater
  /// than every number. Throws usage_error if there are no records.
  template <typename F = to_itself>
  auto(min)(F projection = {}) const {
    return aggregated<reducers::min>("min", std::move(projection));
  }
  template <typename F = to_itself>
  auto(max)(F projection = {}) const {
    return aggregated<reducers::max>("max", std::move(projection));
  }
  /// The first record, or its projection; stops reading once it is found. Throws usage_error when
  /// there is none.
  template <typename F = to_itself>
  auto first(F projection = {}) const {
    return aggregated<reducers::first>("first", std::move(projection));
  }
  /// Whether p holds for some record, for all of them. Stops reading once that is known.
  template <typename P>
  auto any(P p) const {
    return reduced_by("any", reducers::any{}, std::move(p));
  }
  template <typename P>
  auto all(P p) const {
    return reduced_by("all", reducers::all{}, std::move(p));
  }

 protected:
  /// \param projection  to_nothing: of a reducer that doesn't look at records
  template <typename R, typename F = to_itself>
  auto reduced_by(const char* name, R prototype, F projection = {}) const {
    return together(aggregate_of<made_before<R>, F>{projection, {prototype}},
                    fold_named(projected(projection), name, prototype));
  }

 private:
  const Of& self() const { return static_cast<const Of&>(*this); }

  /// A value that session::run() may compute together with others of the same records.
  template <typename Aggregate, typename T>
  PAPPUS_GLUE auto together(Aggregate how, value<T> alone) const {
    return folded<T, E, Aggregate>(std::move(alone), self(), std::move(how));
  }

  template <typename F>
  auto projected(const F& projection) const {
    if constexpr (std::same_as<F, to_itself> || std::same_as<F, to_nothing>)
      return self();
    else
      return self().map(projection);
  }
  template <typename Query, typename R>
  static auto fold_named(const Query& of, const char* name, R prototype) {
    const auto& element = access::expression(of);
    return fold(of, name, element, std::move(prototype),
                describe_fold<std::remove_cvref_t<decltype(element)>, R>);
  }
  template <template <typename> typename R, typename F>
  auto aggregated(const char* name, F projection) const {
    const auto values = projected(projection);
    using reducer = R<typename decltype(values)::value_type>;
    return together(aggregate_of<made_for_value<R>, F>{projection, {}},
                    fold_named(values, name, reducer{}));
  }

  /// \tparam Element  an expression.
  template <typename Query, typename Element, typename R>
  PAPPUS_GLUE static auto fold(const Query& of, const char* name, Element element, R prototype,
                               describe_element described) {
    using record = typename Query::value_type;
    auto params = std::make_shared<fold_params>();
    params->loop = fold_rows<Element, R>;
    params->values = write_values<Element>;
    params->value_bytes = sizeof(record);
    params->accumulate = accumulate_values<record, R>;
    params->reducer = reduce_kernel_of<R>(std::move(prototype));
    set_fold_by_region<Element, R>(*params, element);
    set_counted<R>(*params, element);
    const auto layout = params->reducer.result;
    auto stage = access::stage(of);
    stage.yields = Element::yields;
    stage.element = keep(std::move(element));
    stage.describe = described;
    stage.counts =
        params->reducer.saturated ? counts_of_first<Element, 0>() : counts_of_all<Element>();
    return value<result_of<R>>(
        access::session(of), make_node(access::session(of), {fold_operator(), name, layout,
                                                             std::move(stage), std::move(params)}));
  }
};

}  // namespace pappus::detail
