// What a session remembers about its nodes, which never change.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "graph/kept_rows.h"
#include "pappus/detail/base/stage.h"

namespace pappus::codegen {
struct own_element;  // defined in codegen/element/element.cpp
}

namespace pappus::graph {

/// What is remembered about one node.
struct remembered {
  bool cached = false;              ///< its rows are to be kept when they are next computed
  std::shared_ptr<kept_rows> kept;  ///< its rows; null: not computed yet, or not to be kept
  std::shared_ptr<const codegen::own_element> element;  ///< its device version, once asked for
  /// Nodes that partition its rows: an equal partitioning finds one here.
  std::vector<std::weak_ptr<const detail::node>> partitionings;
};

/// Used by any thread. Nodes are known by their ids, which are never used again; a node that is
/// destroyed is forgotten.
class node_table {
 public:
  /// Calls f(remembered&) under the table's mutex and returns its result. f must not destroy nodes:
  /// their destructors take the mutex.
  template <typename F>
  decltype(auto) change(std::uint64_t id, F&& f) {
    const std::lock_guard lock(mutex_);
    auto& entry = known_[id];
    size_.store(known_.size(), std::memory_order_relaxed);
    return f(entry);
  }

  /// Calls f(const remembered&) under the mutex; T{} where nothing is remembered about the node.
  template <typename T, typename F>
  T look(std::uint64_t id, F&& f) const {
    if (size_.load(std::memory_order_relaxed) == 0) return T{};
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(id);
    return found == known_.end() ? T{} : f(found->second);
  }

  /// A copy of a member; its default where nothing is remembered about the node.
  template <typename T>
  T get(std::uint64_t id, T remembered::* member) const {
    return look<T>(id, [&](const remembered& of) { return of.*member; });
  }

  void forget(std::uint64_t id) noexcept {
    if (size_.load(std::memory_order_relaxed) == 0) return;
    decltype(known_)::node_type gone;  // destroyed after the mutex is released
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
