// What a stage in a loop's body keeps from one iteration for the next, as long as that pays: what
// didn't hold even once in the iteration behind, because keys change in each, isn't made again.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "graph/node.h"

namespace pappus::cpu_ops {

/// The typed side of a kept_state, which must outlive it.
template <typename T>
class kept_value {
 public:
  explicit kept_value(graph::kept_state& state) : state_(state) {
    if (state.value == nullptr) state.value = std::make_shared<slot>();
  }

  /// Null: nothing is kept.
  std::shared_ptr<const T> get() const { return own().value; }
  /// Whether nothing will be kept any more.
  bool given_up() const { return own().given_up; }

  /// It holds in this iteration, too.
  void used_again() { own().used_again = true; }
  /// It doesn't.
  void drop() {
    own().value = nullptr;
    state_.bytes = 0;
    if (!std::exchange(own().used_again, false)) give_up();
  }
  void give_up() { own().given_up = true; }
  void keep(std::shared_ptr<const T> value, std::size_t bytes) {
    own().value = std::move(value);
    state_.bytes = bytes;
  }

 private:
  struct slot {
    std::shared_ptr<const T> value;
    bool used_again = false, given_up = false;
  };
  slot& own() const { return *static_cast<slot*>(state_.value.get()); }

  graph::kept_state& state_;
};

}  // namespace pappus::cpu_ops
