// A scalar result that is computed when it is looked at.
#pragma once

#include <concepts>
#include <cstdio>
#include <string>

#include "pappus/detail/base/refused.h"
#include "pappus/detail/base/request.h"

namespace pappus {
namespace detail {
struct access;
}

/// One record that a query will yield. A handle serves one thread at a time; copies are
/// independent. Nothing runs until it is converted or get() is called; it is computed at most once
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
  /// The same with the plan after each pass of the planner.
  std::string explain_passes() const {
    return detail::explain(session_, node_, detail::explain_format::passes);
  }
  /// The graph for Graphviz.
  std::string explain_dot() const {
    return detail::explain(session_, node_, detail::explain_format::dot);
  }
  /// Runs the query and shows what happened beside what was predicted. To tell the rows of filter,
  /// flat_map and joins on the CPU, their functions and those before them are called again: for the
  /// first 65,536 rows of a stage and one block in 17 of the others.
  std::string explain_analyze() const { return detail::explain_analyze(session_, node_); }

 private:
  friend struct detail::access;

  const detail::node_ptr& node() const noexcept { return node_; }

  detail::session_ptr session_;
  detail::node_ptr node_;
  mutable detail::rows_ptr rows_;
};

namespace detail {

template <typename T>
void takes_value(const value<T>*);
template <typename V>
concept a_value = requires(const V* of) { takes_value(of); };
template <typename... Args>
concept some_value = (a_value<Args> || ...);

}  // namespace detail

#define PAPPUS_ISNT_PRINTED ": a value<T> has to be converted first: give it value.get()"

// C's printf takes anything: clang refuses a class that isn't trivially copyable, but g++ passes
// its address, which is printed. So printf and its like have overloads that refuse values; they are
// found beside those of C.
template <typename... Args>
  requires detail::some_value<Args...>
PAPPUS_REFUSED("printf" PAPPUS_ISNT_PRINTED)
int printf(const char*, const Args&...) {
  return 0;
}
template <typename... Args>
  requires detail::some_value<Args...>
PAPPUS_REFUSED("fprintf" PAPPUS_ISNT_PRINTED)
int fprintf(std::FILE*, const char*, const Args&...) {
  return 0;
}
template <typename... Args>
  requires detail::some_value<Args...>
PAPPUS_REFUSED("sprintf" PAPPUS_ISNT_PRINTED)
int sprintf(char*, const char*, const Args&...) {
  return 0;
}
template <typename... Args>
  requires detail::some_value<Args...>
PAPPUS_REFUSED("snprintf" PAPPUS_ISNT_PRINTED)
int snprintf(char*, std::size_t, const char*, const Args&...) {
  return 0;
}

}  // namespace pappus

namespace std {
using pappus::fprintf;
using pappus::printf;
using pappus::snprintf;
using pappus::sprintf;
}  // namespace std
