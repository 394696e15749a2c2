// The loop that counts what a stage's operators yield, for explain_analyze.
//
// Loops of queries don't count: they would pay for it in every run. This one goes through rows once
// more, where they are asked for, and ends with the last operator whose records are to be counted.
// It is compiled for stages of which the rows in and out don't tell all, for size.
#pragma once

#include <type_traits>

#include "pappus/detail/base/glue.h"
#include "pappus/detail/fuse/expression.h"
#include "pappus/detail/fuse/join.h"

namespace pappus::detail {

/// Operators of another cardinality than `one`.
template <typename E>
constexpr int counted_operators() {
  if constexpr (requires(const E& expression) { expression.prev; })
    return counted_operators<decltype(E::prev)>() +
           (own_cardinality<E> == cardinality::one ? 0 : 1);
  else
    return 0;
}

/// The expression in what the loops of a stage are given.
template <typename Element>
const auto& expression_in(const Element& element) {
  if constexpr (requires { element.expression; })
    return element.expression;
  else if constexpr (requires { element.rows; })
    return element.rows;
  else
    return element;
}
template <typename Element>
using expression_type =
    std::remove_cvref_t<decltype(expression_in(std::declval<const Element&>()))>;

/// The chain up to and with its n-th counted operator.
template <int N, typename E>
const auto& up_to_operator(const E& chain) {
  if constexpr (own_cardinality<E> != cardinality::one && counted_operators<E>() == N)
    return chain;
  else
    return up_to_operator<N>(chain.prev);
}

template <typename Element, int Operators>
[[gnu::cold]] PAPPUS_GLUE void count_rows(const void* element, const block_args& args,
                                          std::int64_t* counts) {
  const auto& chain =
      up_to_operator<Operators>(expression_in(*static_cast<const Element*>(element)));
  constexpr auto yields = std::remove_cvref_t<decltype(chain)>::yields;
  counts[0] += args.rows;
  each_row<yields>(chain.bind(args), args.rows, no_sink{}, operator_counters{counts + Operators});
}

/// Counted operators up to and with the last join; 0 where there is none.
template <typename E>
constexpr int operators_to_join() {
  if constexpr (is_joined<E>)
    return counted_operators<E>();
  else if constexpr (requires(const E& expression) { expression.prev; })
    return operators_to_join<std::remove_cvref_t<decltype(E::prev)>>();
  else
    return 0;
}

template <typename Element, int Operators>
constexpr operator_counts counts_of_first() {
  constexpr int to_join = operators_to_join<expression_type<Element>>();
  operator_counts made;
  if constexpr (Operators > 0) {
    made.loop = count_rows<Element, Operators>;
    made.operators = Operators;
  }
  if constexpr (to_join > 0) {
    made.joins = count_rows<Element, to_join>;
    made.up_to_joins = to_join;
  }
  return made;
}

/// Of stages whose rows don't tell what their last operator yields.
template <typename Element>
constexpr operator_counts counts_of_all() {
  return counts_of_first<Element, counted_operators<expression_type<Element>>()>();
}
/// Of stages whose rows do.
template <typename Element>
constexpr operator_counts counts_before_last() {
  return counts_of_first<Element, counted_operators<expression_type<Element>>() - 1>();
}

}  // namespace pappus::detail
