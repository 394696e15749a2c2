// The exceptions of the public API. Every message says what, where, expected and got.
#pragma once

#include <stdexcept>
#include <string>

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

/// A file that can't be read or written, or whose content is not what was asked for.
class format_error : public error {
 public:
  using error::error;
};

/// Thrown in the caller of a query that was cancelled.
class cancelled : public error {
 public:
  cancelled() : error("the query was cancelled") {}
};

}  // namespace pappus
