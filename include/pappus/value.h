// A scalar result that is computed when it is looked at.
#pragma once

#include <string>

#include "pappus/detail/core/request.h"

namespace pappus {

/// One record that a query will yield. A handle serves one thread at a time; copies are
/// independent. Nothing runs until it is converted or get() is called; it is computed at most once
namespace detail {
struct access;
}
/// per handle.
template <typename T>
class value {
 public:
  using value_type = T;

  value(detail::session_ptr session, detail::node_ptr node)
      : session_(std::move(session)), node_(std::move(node)) {}

  /// The result. Runs the query the first time. Throws what the query throws.
  T get() const {
    if (!rows_) rows_ = detail::evaluate_contiguous(session_, node_);
    return *reinterpret_cast<const T*>(rows_->data());
  }
  operator T() const { return get(); }

  /// What would run, where and why. Runs nothing.
  std::string explain() const {
    return detail::explain(session_, node_, detail::explain_format::text);
  }
  /// The same as a Graphviz graph.
  std::string explain_dot() const {
    return detail::explain(session_, node_, detail::explain_format::dot);
  }
  /// Runs the query and shows what happened beside what was predicted.
  std::string explain_analyze() const { return detail::explain_analyze(session_, node_); }

  const detail::node_ptr& node() const noexcept { return node_; }

 private:
  friend struct detail::access;

 private:
  detail::session_ptr session_;
  detail::node_ptr node_;
  mutable detail::rows_ptr rows_;
};

}  // namespace pappus
