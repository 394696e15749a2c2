#include "cli/interrupt.h"

#include <atomic>
#include <csignal>

#include "pappus/error.h"
#include "pappus/session.h"

namespace pappus::cli {
namespace {

std::atomic<session*> running{nullptr};
std::atomic<bool> signalled{false};

extern "C" void on_signal(int number) {
  signalled = true;
  // cancel() only increments an atomic counter, which a signal handler may do.
  if (session* s = running.load()) s->cancel();
  std::signal(number, SIG_DFL);
}

}  // namespace

interruptible::interruptible(session& s) {
  running = &s;
  signalled = false;
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

interruptible::~interruptible() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  running = nullptr;
}

void interruptible::check() const {
  if (signalled) throw cancelled();
}

}  // namespace pappus::cli
