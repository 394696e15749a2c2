// The internals of queries, values and sessions, for those who build operators of them.
//
// Users see operators only: what these functions return is private to the classes, of which this
// one is the friend.
#pragma once

#include <memory>
#include <utility>

#include "pappus/detail/base/request.h"
#include "pappus/detail/fuse/expression.h"

namespace pappus {
class session;
}

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
  /// Of a collection: its rows; of a value: its fold.
  template <typename Of>
  static const node_ptr& node(const Of& of) {
    return of.node();
  }

  /// The stage of a query with its element function erased, for nodes that consume it.
  template <typename Query>
  static stage_spec erased_stage(const Query& of) {
    return of.erased_stage();
  }

  /// For session::run: stores a result computed together with others.
  template <typename Value>
  static void adopt(const Value& by, rows_ptr rows) {
    by.rows_ = std::move(rows);
  }
};

}  // namespace pappus::detail
