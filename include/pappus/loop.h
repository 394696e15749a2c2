// do_while: iterate a query until its result is good enough.
//
// `s.do_while(initial, body, condition)` calls body once, with a collection that stands for the
// state, and records what it returns. Nothing runs until the result is asked for. Then each
// iteration evaluates the recorded body and materialises the new state; condition(before, after)
// gets both states and says whether to go on. The body runs at least once.
//
//   What doesn't depend on the state (files, indexes of joins, rows in memory between stages) is
//   computed once, before the first iteration. Operators that are fused into a stage that does
//   depend on the state run in each iteration; .materialise() behind them ends the fusion.
//   Memory  two states, the invariants, and what the body needs. The state may change its length.
//   Order   of the result: as the body makes it.
//   .cache() inside the body has no effect on what depends on the state.
//   Throws what body, condition and lambdas throw. Cancelling works within and between iterations.
//   Loops may be nested.
#pragma once

#include <concepts>
#include <span>
#include <string>

#include "pappus/detail/base/loop.h"
#include "pappus/error.h"
#include "pappus/session.h"

namespace pappus {

template <typename E, typename Body, typename Condition>
collection<detail::value_of<E>> session::do_while(const query<E>& initial, Body body,
                                                  Condition condition, max_iterations limit) {
  using T = detail::value_of<E>;
  using result = std::remove_cvref_t<std::invoke_result_t<Body&, collection<T>>>;
  static_assert(std::same_as<typename result::value_type, T>,
                "do_while: the body must return records of the type it is given");
  static_assert(
      std::is_invocable_r_v<bool, const Condition&, std::span<const T>, std::span<const T>>,
      "do_while: the condition must take the states before and after as std::span<const T> and "
      "return bool");
  if (limit.n < 1)
    throw usage_error("do_while: expected max_iterations of at least 1, got " +
                      std::to_string(limit.n));
  detail::loop_params params;
  params.placeholder = detail::make_placeholder(core_, detail::record_type_of<T>());
  const collection<T> after = body(collection<T>(core_, params.placeholder));
  params.body = detail::access::node(after);
  params.max_iterations = limit.n;
  params.condition = [condition = std::move(condition)](const detail::row_set& before,
                                                        const detail::row_set& now) -> bool {
    const auto rows = [](const detail::row_set& set) {
      return std::span<const T>(reinterpret_cast<const T*>(set.data()),
                                static_cast<std::size_t>(set.rows()));
    };
    return condition(rows(before), rows(now));
  };
  return {core_, detail::make_loop(core_, detail::access::node(collection<T>(initial)),
                                   std::move(params))};
}

template <typename E, typename Body, typename Condition>
collection<detail::value_of<E>> session::do_while(const query<E>& initial, Body body,
                                                  Condition condition) {
  return do_while(initial, std::move(body), std::move(condition), max_iterations{INT64_MAX});
}

}  // namespace pappus
