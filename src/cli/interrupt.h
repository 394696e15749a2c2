// Ctrl-C: the first cancels the session's queries and makes check() throw, a second ends the
// process as usual.
#pragma once

namespace pappus {
class session;
}

namespace pappus::cli {

/// While it exists, SIGINT and SIGTERM cancel the queries of `s`. At most one may exist at a time.
class interruptible {
 public:
  explicit interruptible(session& s);
  ~interruptible();

  /// Throws pappus::cancelled if there was a signal. To be called between queries: a signal that
  /// comes there cancels none.
  void check() const;

  interruptible(const interruptible&) = delete;
  interruptible& operator=(const interruptible&) = delete;
};

}  // namespace pappus::cli
