// What threads of ours do beside those that compute, told to whoever listens: nobody, as a rule.
//
// Of the whole process: a thread that serves a disk's requests, or decompresses a file, isn't told
// for which session.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace pappus::io {

enum class activity : std::uint8_t { reading, writing, decompressing };

/// Who listens.
class activity_listener {
 public:
  using clock = std::chrono::steady_clock;
  virtual ~activity_listener() = default;
  /// By any thread, when the calling one is done with something.
  virtual void was_active(activity what, clock::time_point begin,
                          clock::time_point end) noexcept = 0;
};

void listen_to_activity(activity_listener* listener);
/// Blocks while the listener is being told something.
void stop_listening(activity_listener* listener) noexcept;

namespace activity_detail {
inline std::atomic<int> listeners{0};
void tell(activity what, activity_listener::clock::time_point begin) noexcept;
}  // namespace activity_detail

/// While it exists, the thread does that.
class active {
 public:
  explicit active(activity what) noexcept : what_(what) {
    if (activity_detail::listeners.load(std::memory_order_relaxed) > 0)
      begin_ = activity_listener::clock::now();
  }
  ~active() {
    if (begin_ != activity_listener::clock::time_point{}) activity_detail::tell(what_, begin_);
  }
  active(const active&) = delete;
  active& operator=(const active&) = delete;

 private:
  const activity what_;
  activity_listener::clock::time_point begin_{};
};

}  // namespace pappus::io
