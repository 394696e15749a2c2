#include "io/activity.h"

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <vector>

namespace pappus::io {
namespace {

struct all_listeners {
  std::shared_mutex mutex;
  std::vector<activity_listener*> list;
};

/// Never destroyed: threads may be told of until the process ends.
all_listeners& known_listeners() {
  static auto& known = *new all_listeners;
  return known;
}

void count_listeners() {
  activity_detail::listeners.store(static_cast<int>(known_listeners().list.size()),
                                   std::memory_order_relaxed);
}

}  // namespace

void listen_to_activity(activity_listener* listener) {
  const std::lock_guard lock(known_listeners().mutex);
  known_listeners().list.push_back(listener);
  count_listeners();
}

void stop_listening(activity_listener* listener) noexcept {
  const std::lock_guard lock(known_listeners().mutex);
  std::erase(known_listeners().list, listener);
  count_listeners();
}

void activity_detail::tell(activity what, activity_listener::clock::time_point begin) noexcept {
  const auto end = activity_listener::clock::now();
  const std::shared_lock lock(known_listeners().mutex);
  for (auto* const listener : known_listeners().list) listener->was_active(what, begin, end);
}

}  // namespace pappus::io
