// Ctrl-C: the first cancels the session's queries and whatever asks check() next, a second ends the
// process as usual.
#pragma once

namespace pappus {
class session;
}

namespace pappus::cli {

/// While it lives, SIGINT and SIGTERM cancel `s`. At most one at a time.
class interruptible {
 public:
  explicit interruptible(session& s);
  ~interruptible();

  /// Throws pappus::cancelled once there was a signal: between two queries none is there to cancel.
  void check() const;

  interruptible(const interruptible&) = delete;
  interruptible& operator=(const interruptible&) = delete;
};

}  // namespace pappus::cli
