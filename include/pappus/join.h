// Joins: pairs of records with equal keys.
//
// `left.join(right, left_key, right_key, combine)` computes right's rows and an index over their
// keys once; left is never materialised, its records are looked up as they come, and the pairs fuse
// with what follows. So let the smaller collection be the right one.
//
//   Order    left's records in order; for one of them, its matches in right's order.
//   Keys     numbers, text, and small structs of numbers; both sides must have the same type. NaN
//            matches NaN and -0.0 matches 0.0. Strings match by content. Numbers may be missing
//            (std::optional), on either side: what is missing matches nothing.
//   Outer    left_join has every record of left, right_join every record of right, full_join both:
//            first what left_join yields, then right's records without a match, in right's order.
//            right_join is the left_join of right with left: in right's order, with an index of
//            left. full_join looks up left's keys twice, for its pairs and for right records that
//            none of them matches, or right's in an index of left where one of right may not fit.
//   domain   join(..., domain{k}): the right side's keys are integers from 0 to k - 1. Other keys
//            there throw usage_error; on the left side they match nothing. A right side whose keys
//            are b, b + 1, b + 2, ..., such as the result of a group_by with a domain, is
//            recognised without it and needs no index at all.
//   Memory   right's rows and about 2 * (key + 8) bytes a row of right for the index. Throws
//            memory_error when they don't fit.
//   Time     linear in left, right and the number of pairs. Cancelling works between a few hundred
//            pairs.
#pragma once

#include <concepts>

#include "pappus/detail/base/keep.h"
#include "pappus/detail/fuse/join.h"
#include "pappus/detail/fuse/left_key.h"
#include "pappus/detail/fuse/match_key.h"
#include "pappus/detail/fuse/outer_join.h"
#include "pappus/error.h"
#include "pappus/parts.h"
#include "pappus/query.h"

namespace pappus::detail {

inline std::int64_t domain_rows() { return -1; }
inline std::int64_t domain_rows(const domain& known) {
  if (known.size < 0)
    throw usage_error("join: expected a domain of 0 or more keys, got " +
                      std::to_string(known.size));
  return known.size;
}

/// The side of which an index is made, as the user knows it.
template <typename Combine>
constexpr const char* indexed_side() {
  if constexpr (requires { Combine::indexed; }) return Combine::indexed;
  return "right";
}

/// The node of the index over right's keys.
template <typename K, typename T, typename RightKey>
PAPPUS_GLUE node_ptr join_index_node(const collection<T>& right, const RightKey& right_key,
                                     std::int64_t domain_rows, const char* side) {
  using key_call = call<probed_key_writer<RightKey>>;
  using keys = mapped<source<T>, key_call>;
  auto params = std::make_shared<join_build_params>();
  params->loop = write_rows<keys>;
  params->keys = {sizeof(value_of<keys>), string_key<K>};
  params->side = side;
  params->domain_rows = domain_rows;
  if constexpr (std::integral<K>) params->domain_base = {encode_key(K{0}), 0};
  stage_spec stage = detail::access::stage(right);
  stage.element = keep(keys{{}, {{right_key}}});
  return make_node(detail::access::session(right),
                   {join_build_operator(), "index", record_type_of<join_side>(), std::move(stage),
                    std::move(params)});
}

template <join_kind Kind, typename Left, typename Right, typename LeftKey, typename RightKey,
          typename Combine, typename... Domain>
PAPPUS_GLUE auto make_join(const char* name, const query<Left>& left, const query<Right>& right,
                           LeftKey left_key, const RightKey& right_key, Combine combine,
                           const Domain&... known) {
  using left_type = value_of<Left>;
  using right_type = value_of<Right>;
  using key_type = std::remove_cvref_t<std::invoke_result_t<const LeftKey&, const left_type&>>;
  using right_key_type =
      std::remove_cvref_t<std::invoke_result_t<const RightKey&, const right_type&>>;
  static_assert(std::same_as<key_type, right_key_type>,
                "join: the keys of both sides must have the same type; convert one of them in its "
                "key function");
  static_assert(join_key<key_type>,
                "join: keys must be integers, enums, floats, std::string_view, pappus::category, "
                "or small arrays, pairs and structs of them");
  static_assert(sizeof...(Domain) == 0 || (std::integral<key_type> && sizeof(key_type) <= 8),
                "join: a domain is for integer keys");
  static_assert(sizeof...(Domain) <= 1 && (std::same_as<Domain, domain> && ...),
                "join: expected nothing or domain{k} after the functions");
  using expression = joined<Left, right_type, call<LeftKey>, Combine, Kind>;
  static_assert(record<value_of<expression>>,
                "join: the function must return a trivially copyable record");

  const collection<right_type> rows = right;
  auto stage = detail::access::stage(left);
  const auto side = static_cast<int>(stage.sides.size());
  stage.sides.push_back(
      join_index_node<key_type>(rows, right_key, domain_rows(known...), indexed_side<Combine>()));
  if constexpr (expression::gathers) stage.sides.push_back(detail::access::node(rows));
  stage.ops.push_back({name, next_op_id(), expression::own});
  return query<expression>(
      detail::access::session(left),
      expression{detail::access::expression(left), {std::move(left_key)}, std::move(combine), side},
      std::move(stage));
}

/// A full join's other side is its left one.
struct no_combination_with_left : no_combination {
  static constexpr const char* indexed = "left";
};

/// The rows of which the outer join `joined_rows` of `left` with `right` has an index, but no match
/// for any left record.
template <typename K, typename L, typename R, typename LeftKey, typename RightKey, typename Joined>
PAPPUS_GLUE collection<R> unmatched_rows(const collection<L>& left, const collection<R>& right,
                                         const LeftKey& left_key, const RightKey& right_key,
                                         const query<Joined>& joined_rows) {
  using keys = mapped<source<L>, call<probed_key_writer<LeftKey>>>;
  auto params = std::make_shared<unmatched_params>();
  params->by_anti_join =
      access::node(make_join<join_kind::anti>("full_join", right, left, right_key, left_key,
                                              no_combination_with_left{})
                       .materialise());
  params->loop = write_rows<keys>;
  params->keys = {sizeof(value_of<keys>), string_key<K>};
  stage_spec stage = access::stage(left);
  stage.sides = access::stage(joined_rows).sides;
  stage.element = keep(keys{{}, {{left_key}}});
  return {access::session(left),
          make_node(access::session(left), {unmatched_operator(), "unmatched", record_type_of<R>(),
                                            std::move(stage), std::move(params)})};
}

/// What left_join yields, then the right records that the left side has no match for.
template <typename L, typename R, typename LeftKey, typename RightKey, typename Combine,
          typename... Domain>
PAPPUS_GLUE auto make_full_join(const collection<L>& left, const collection<R>& right,
                                const LeftKey& left_key, const RightKey& right_key,
                                const Combine& combine, const Domain&... known) {
  using key_type = std::remove_cvref_t<std::invoke_result_t<const LeftKey&, const L&>>;
  const auto& plain = plain_function(combine);
  const auto matched = make_join<join_kind::outer>("full_join", left, right, left_key, right_key,
                                                   full_combination<Combine>{{{plain}}}, known...);
  const auto rest = unmatched_rows<key_type, L, R>(left, right, left_key, right_key, matched);
  using unmatched = mapped<source<R>, unmatched_call<L, Combine>>;
  static_assert(std::same_as<value_of<unmatched>, typename decltype(matched)::value_type>,
                "full_join: the function must return the same type whatever is null");
  auto stage = access::stage(rest);
  stage.ops.push_back({"full_join", next_op_id(), cardinality::one});
  const query<unmatched> others(access::session(right), unmatched{{}, {{{plain}}}},
                                std::move(stage));
  return matched.concat(others);
}

}  // namespace pappus::detail

namespace pappus {

/// The key of a group_by directly behind a join or left_join: f(left record).
///
///     links.join(shares, &link::from, &share::page, received, pages)
///         .group_by(left(&link::to), pages)
///
/// In a do_while whose iterations find the right side's keys unchanged the pairs and their groups
/// are kept then: an iteration gathers right records and reduces them. That needs left records in
/// memory that don't depend on the loop's state, and a domain{k} of the groups.
/// explain_analyze() tells what was kept. Results are the same, bit for bit.
template <typename F>
auto left(F f) {
  return detail::left_key<F>{std::move(f)};
}

template <typename E>
template <typename Right, typename LeftKey, typename RightKey, typename Combine, typename... More>
auto query<E>::join(const query<Right>& right, LeftKey left_key, RightKey right_key,
                    Combine combine, const More&... more) const {
  constexpr auto kind = detail::join_kind::inner;
  return detail::make_join<kind>(
      "join", *this, right,
      detail::left_key_to_match<value_type, Right, RightKey>(std::move(left_key)),
      detail::right_key_to_match<value_type, Right, LeftKey>(std::move(right_key)),
      detail::combination<Combine, kind>{std::move(combine)}, more...);
}

template <typename E>
template <typename Right, typename LeftKey, typename RightKey, typename Combine, typename... More>
auto query<E>::left_join(const query<Right>& right, LeftKey left_key, RightKey right_key,
                         Combine combine, const More&... more) const {
  constexpr auto kind = detail::join_kind::outer;
  return detail::make_join<kind>(
      "left_join", *this, right,
      detail::left_key_to_match<value_type, Right, RightKey>(std::move(left_key)),
      detail::right_key_to_match<value_type, Right, LeftKey>(std::move(right_key)),
      detail::combination<Combine, kind>{std::move(combine)}, more...);
}

template <typename E>
template <typename Right, typename LeftKey, typename RightKey, typename Combine, typename... More>
auto query<E>::right_join(const query<Right>& right, LeftKey left_key, RightKey right_key,
                          Combine combine, const More&... more) const {
  return detail::make_join<detail::join_kind::outer>(
      "right_join", right, *this,
      detail::right_key_to_match<value_type, Right, LeftKey>(std::move(right_key)),
      detail::left_key_to_match<value_type, Right, RightKey>(std::move(left_key)),
      detail::swapped_combination<Combine>{std::move(combine)}, more...);
}

template <typename E>
template <typename Right, typename LeftKey, typename RightKey, typename Combine, typename... More>
auto query<E>::full_join(const query<Right>& right, LeftKey left_key, RightKey right_key,
                         Combine combine, const More&... more) const {
  return detail::make_full_join(
      materialise(), right.materialise(),
      detail::left_key_to_match<value_type, Right, RightKey>(std::move(left_key)),
      detail::right_key_to_match<value_type, Right, LeftKey>(std::move(right_key)), combine,
      more...);
}

template <typename E>
template <typename Right, typename LeftKey, typename RightKey, typename... More>
auto query<E>::semi_join(const query<Right>& right, LeftKey left_key, RightKey right_key,
                         const More&... more) const {
  return detail::make_join<detail::join_kind::semi>(
      "semi_join", *this, right,
      detail::left_key_to_match<value_type, Right, RightKey>(std::move(left_key)),
      detail::right_key_to_match<value_type, Right, LeftKey>(std::move(right_key)),
      detail::no_combination{}, more...);
}

template <typename E>
template <typename Right, typename LeftKey, typename RightKey, typename... More>
auto query<E>::anti_join(const query<Right>& right, LeftKey left_key, RightKey right_key,
                         const More&... more) const {
  return detail::make_join<detail::join_kind::anti>(
      "anti_join", *this, right,
      detail::left_key_to_match<value_type, Right, RightKey>(std::move(left_key)),
      detail::right_key_to_match<value_type, Right, LeftKey>(std::move(right_key)),
      detail::no_combination{}, more...);
}

}  // namespace pappus
