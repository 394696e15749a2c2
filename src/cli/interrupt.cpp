#include "cli/interrupt.h"

#include <atomic>
#include <csignal>

#include "pappus/session.h"

namespace pappus::cli {
namespace {

std::atomic<session*> running{nullptr};

extern "C" void on_signal(int number) {
  // cancel() only increments an atomic counter, which a signal handler may do.
  if (session* s = running.load()) s->cancel();
  std::signal(number, SIG_DFL);
}

}  // namespace

interruptible::interruptible(session& s) {
  running = &s;
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

interruptible::~interruptible() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  running = nullptr;
}

}  // namespace pappus::cli
