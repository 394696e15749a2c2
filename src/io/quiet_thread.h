// Threads of ours that handle no signals: one for the program, or one for a file that may not grow,
// is nothing for them.
#pragma once

#include <csignal>

#include <thread>
#include <utility>

namespace pappus::io {

/// Throws std::system_error where there can't be another thread.
template <typename F>
std::thread start_quiet_thread(F&& f) {
  struct masked {  // a thread inherits the mask
    sigset_t before;
    masked() {
      sigset_t all;
      sigfillset(&all);
      pthread_sigmask(SIG_SETMASK, &all, &before);
    }
    ~masked() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  } const while_started;
  return std::thread(std::forward<F>(f));
}

}  // namespace pappus::io
