// Notes where a user's function was when it threw.
//
// Loops don't keep count for this: catch blocks that an exception passes note the operator, the
// function and the row, and rethrow; the executor (run/failure.cpp) makes the error of the notes.
// Compilers remove the catch blocks of functions that, once inlined, can't throw.
#pragma once

#include <cstdint>
#include <utility>

#include "pappus/detail/base/layout.h"

namespace pappus::detail {

// To be called in a catch block; they note something about the exception being handled. The
// innermost catch block's note counts.

/// The exception came from a function of this type, which was given to operator `op`.
void failed_in(const char* op, const char* function) noexcept;
/// The exception came while row `row` of the stage was being processed.
void failed_at(std::int64_t row) noexcept;
/// The exception came from a row that was gathered before the one being processed; it isn't known
/// which.
void failed_elsewhere() noexcept;

/// Calls f(args...), a user's function of type F or something that calls one.
template <typename F, typename Call, typename... Args>
decltype(auto) call_noting_failure(const char* op, const Call& f, Args&&... args) {
  try {
    return f(std::forward<Args>(args)...);
  } catch (...) {
    failed_in(op, type_spelling<F>::text.data());
    throw;
  }
}

/// Calls f(), which processes rows that were gathered before the current one.
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
