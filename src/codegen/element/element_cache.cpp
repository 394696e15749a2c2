#include "codegen/element/element_cache.h"

#include <iterator>
#include <utility>

namespace pappus::codegen {

element_ptr element_cache::find(std::string_view key) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  latest_first_.splice(latest_first_.begin(), latest_first_, found->second);
  return found->second->made;
}

element_ptr element_cache::add(std::string key, element_ptr made) {
  entries added, dropped;  // destroyed without the lock
  added.push_back({std::move(key), made});
  const auto bytes = added.front().bytes();
  const std::lock_guard lock(mutex_);
  if (const auto found = by_key_.find(added.front().key); found != by_key_.end())
    return found->second->made;
  if (bytes > bytes_max_) return made;
  by_key_.emplace(added.front().key, added.begin());
  latest_first_.splice(latest_first_.begin(), added);
  bytes_ += bytes;
  while (latest_first_.size() > elements_max_ || bytes_ > bytes_max_) {
    const auto last = std::prev(latest_first_.end());
    bytes_ -= last->bytes();
    by_key_.erase(last->key);
    dropped.splice(dropped.begin(), latest_first_, last);
  }
  return made;
}

std::size_t element_cache::size() const {
  const std::lock_guard lock(mutex_);
  return latest_first_.size();
}

element_cache& known_elements() {
  static element_cache known(256, std::size_t{16} << 20);
  return known;
}

}  // namespace pappus::codegen
