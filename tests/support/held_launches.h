// Has the launches of a session wait, so that a test may look at them before they run.
#pragma once

#include <atomic>
#include <thread>

#include "pappus/pappus.h"

namespace pappus::testing {

/// While it exists, what is launched later waits behind a launch that goes on.
class held_launches {
 public:
  explicit held_launches(session& s) : gate_(s.zeros<int>({1})) {
    // From a thread of its own: calls may wait, as they do without the compiler plugin.
    caller_ = std::thread([&s, this] {
      s.for_each(
          {1},
          [this](idx<1> i, updates<int> a) {
            begun_ = true;
            while (!go_on_) std::this_thread::yield();
            a[i] = 1;
          },
          gate_);
    });
    while (!begun_) std::this_thread::yield();
  }
  ~held_launches() { release(); }
  held_launches(const held_launches&) = delete;
  held_launches& operator=(const held_launches&) = delete;

  void release() {
    go_on_ = true;
    if (!caller_.joinable()) return;
    caller_.join();
    gate_.host();  // it refers to this object
  }

 private:
  std::atomic<bool> begun_{false}, go_on_{false};
  array<int> gate_;
  std::thread caller_;
};

}  // namespace pappus::testing
