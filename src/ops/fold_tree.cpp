#include "ops/fold_tree.h"

#include <cstring>

#include "ops/fold.h"

namespace pappus::ops {

std::byte* fold_tree::state_of(int level) {
  auto& state = states_[static_cast<std::size_t>(level)];
  if (state.data() == nullptr) state = detail::buffer(memory_, fold_state_bytes(reducer_), owner_);
  return state.data();
}

void fold_tree::step(const std::byte* leaf, int from, int to, bool first) {
  const std::byte* state =
      from == algorithms::leaf_tree::leaf ? leaf : states_[static_cast<std::size_t>(from)].data();
  std::byte* into = state_of(to);
  if (first)
    std::memcpy(into, state, reducer_.state_size);
  else
    reducer_.merge(reducer_.context.get(), into, state);
}

void fold_tree::add(std::int64_t number, const std::byte* leaf) {
  tree_.add(number, [&](int from, int to, bool first) { step(leaf, from, to, first); });
}

bool fold_tree::saturated() const {
  if (reducer_.saturated == nullptr) return false;
  for (int level = 0; level < tree_.levels(); ++level)
    if (tree_.holds(level) && reducer_.saturated(states_[static_cast<std::size_t>(level)].data()))
      return true;
  return false;
}

const std::byte* fold_tree::merged() {
  int top = tree_.finish([&](int from, int to, bool first) { step(nullptr, from, to, first); });
  if (top == algorithms::leaf_tree::leaf) {
    top = 0;
    reducer_.init(reducer_.context.get(), state_of(top));
  }
  return state_of(top);
}

detail::buffer fold_tree::finish() {
  const std::byte* const state = merged();
  detail::buffer record(memory_, reducer_.result.size, owner_);
  reducer_.finish(reducer_.context.get(), state, record.data());
  return record;
}

}  // namespace pappus::ops
