// Access to the internals of queries, values and sessions, for the templates of operators.
//
// Users see operators only: what these functions return is private to those classes, whose friend
// `access` is.
#pragma once

#include <memory>
#include <utility>

#include "pappus/detail/base/request.h"
#include "pappus/detail/fuse/expression.h"

namespace pappus {
class session;
template <typename T, std::size_t N>
class array;
}  // namespace pappus

namespace pappus::detail {

struct access {
  template <typename Query>
  static const auto& expression(const Query& of) {
    return of.expression_;
  }
  template <typename Query>
  static const stage_spec& stage(const Query& of) {
    return of.stage_;
  }
  template <typename Query>
  static const session_ptr& session(const Query& of) {
    return of.session_;
  }
  static const session_ptr& session(const pappus::session& of);
  /// A collection's node, which yields its rows, or a value's, which is a fold.
  template <typename Of>
  static const node_ptr& node(const Of& of) {
    return of.node();
  }

  /// The stage of a query with its element function's type erased, for nodes that consume it.
  template <typename Query>
  static stage_spec erased_stage(const Query& of) {
    return of.erased_stage();
  }

  /// grouped::map_groups() of another name.
  template <typename Groups, typename F, typename Project>
  static auto map_groups(const Groups& of, const char* name, F f, Project projection) {
    return of.map_named(name, std::move(f), std::move(projection));
  }

  /// grouped::reduce() of another name.
  template <typename Groups, typename Project, typename R>
  static auto reduce_groups(const Groups& of, const char* name, Project projection,
                            const R& prototype) {
    return of.reduce_named(name, std::move(projection), prototype);
  }

  /// How many different pairs of key and projection each group has.
  template <typename Groups, typename Project>
  static auto count_distinct_pairs(const Groups& of, Project projection) {
    return of.count_distinct_pairs(std::move(projection));
  }

  /// What a value reduces, and how (folded.h).
  template <typename Folded>
  static const auto& records(const Folded& of) {
    return of.records_;
  }
  template <typename Folded>
  static const auto& how(const Folded& of) {
    return of.how_;
  }
  /// False once another value<T> was assigned to it.
  template <typename Folded>
  static bool is_reduced_so(const Folded& of) {
    return node(of) == of.node_;
  }

  /// Stores a value's result, which session::run computed together with others.
  template <typename Value>
  static void adopt(const Value& by, rows_ptr rows) {
    by.rows_ = std::move(rows);
  }
};

}  // namespace pappus::detail
