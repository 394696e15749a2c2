// What a session remembers about its nodes, which never change.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "pappus/detail/base/chunks.h"
#include "pappus/detail/base/stage.h"

namespace pappus::codegen {
struct own_element;  // defined in codegen/element/element.cpp
}

namespace pappus::graph {

/// What is remembered about one node.
struct remembered {
  bool cached = false;    ///< its rows are to be kept when they are next computed
  detail::rows_ptr kept;  ///< these
  std::shared_ptr<const codegen::own_element> element;           ///< for devices, once asked for
  std::vector<std::weak_ptr<const detail::node>> partitionings;  ///< made of its rows
};

/// Used by any thread. Nodes are known by their ids, which are never used again; a node that is
/// destroyed is forgotten.
class node_table {
 public:
  /// Calls f(remembered&), alone, and returns what that does. It must not destroy nodes.
  template <typename F>
  decltype(auto) change(std::uint64_t id, F&& f) {
    const std::lock_guard lock(mutex_);
    auto& entry = known_[id];
    size_.store(known_.size(), std::memory_order_relaxed);
    return f(entry);
  }

  /// The same without adding anything: of a node that nothing is remembered about, a T.
  template <typename T, typename F>
  T look(std::uint64_t id, F&& f) const {
    if (size_.load(std::memory_order_relaxed) == 0) return T{};
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(id);
    return found == known_.end() ? T{} : f(found->second);
  }

  /// A copy of a member; of a node that nothing is remembered about, what it is by default.
  template <typename T>
  T get(std::uint64_t id, T remembered::* member) const {
    return look<T>(id, [&](const remembered& of) { return of.*member; });
  }

  void forget(std::uint64_t id) noexcept {
    if (size_.load(std::memory_order_relaxed) == 0) return;
    decltype(known_)::node_type gone;  // destroyed when others may go on
    const std::lock_guard lock(mutex_);
    gone = known_.extract(id);
    size_.store(known_.size(), std::memory_order_relaxed);
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, remembered> known_;
  std::atomic<std::size_t> size_{0};  // of known_: where it is empty nobody waits for the mutex
};

}  // namespace pappus::graph
