// The exceptions of the public API. Every message says what, where, expected and got.
#pragma once

#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

namespace pappus {

/// Base of everything Pappus throws.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A call that can't be right whatever the data: a bad argument, a handle used after its session.
class usage_error : public error {
 public:
  using error::error;
};

/// Work that doesn't fit the memory budget; names the operator, the bytes and the limit.
class memory_error : public error {
 public:
  using error::error;
};

/// Rows that were to go to the spill file, or that rest there, where the disk fails: it is full,
/// can't be written to, or what was read isn't what was written. Names who needed memory or rows,
/// the folder, how many bytes went there, the system's reason, and what to do.
class spill_error : public error {
 public:
  using error::error;
};

/// A file that can't be read or written, or whose content is not what was asked for.
class format_error : public error {
 public:
  using error::error;
};

/// Where a function of the caller's threw.
struct failure {
  std::string operator_name{};  ///< as explain() names it: "map", "sort_by", "sum"
  /// Which record of the stage's input, from 0, as the stage's first operator reads them: records
  /// that a filter drops count. -1: not known.
  std::int64_t row = -1;
  std::string stage{};     ///< "filter·map·sum"
  std::string function{};  ///< its type as the compiler spells it; clang tells file and line
  std::string message{};   ///< what() of the exception, else its type
};

/// When a function of the caller's throws a type of the standard library, say std::out_of_range,
/// what reaches the caller is derived from that type and from failed_call. So a catch clause for
/// std::out_of_range gets it, and its what() tells where it was thrown. The original is nested in
/// it. Exceptions of other types pass unchanged; see session::last_failure().
class failed_call : public std::nested_exception {
 public:
  /// To be constructed in a catch block for the original.
  explicit failed_call(failure where) : where_(std::move(where)) {}
  const failure& where() const noexcept { return where_; }

 private:
  failure where_;
};

/// Thrown where results of a launch are looked at that failed, or needed what a failed one would
/// have written. Tells the launch's place in the source, and what happened; what its function threw
/// is nested in it.
class launch_error : public error, public std::nested_exception {
 public:
  using error::error;
};

/// Thrown in the caller of a query that was cancelled.
class cancelled : public error {
 public:
  cancelled() : error("the query was cancelled") {}
};

}  // namespace pappus
