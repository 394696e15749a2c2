// Where a user's function was when it threw.
//
// Loops don't count for it: handlers on an exception's way note the operator, the function and the
// row, and rethrow it; the executor (run/failure.cpp) makes the error of that. What can't throw
// once it is inlined has no handlers.
#pragma once

#include <cstdint>
#include <utility>

#include "pappus/detail/base/layout.h"

namespace pappus::detail {

// Called in a handler; the innermost tells. What they note is of the exception being handled.

/// It came from a function of `op`, of this type.
void failed_in(const char* op, const char* function) noexcept;
/// It came while row `row` of the stage was at work.
void failed_at(std::int64_t row) noexcept;
/// It came from rows other than the one at work, which were gathered: which is not known.
void failed_elsewhere() noexcept;

/// f(args...), a user's function of type F, or what calls it.
template <typename F, typename Call, typename... Args>
decltype(auto) call_noting_failure(const char* op, const Call& f, Args&&... args) {
  try {
    return f(std::forward<Args>(args)...);
  } catch (...) {
    failed_in(op, type_spelling<F>::text.data());
    throw;
  }
}

/// What is done to rows that were gathered before the one at work.
template <typename F>
decltype(auto) with_gathered_rows(F&& f) {
  try {
    return f();
  } catch (...) {
    failed_elsewhere();
    throw;
  }
}

}  // namespace pappus::detail
