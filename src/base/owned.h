// Values that lie in memory of a budget, kept alive together with it.
#pragma once

#include <memory>
#include <utility>

namespace pappus::base {

/// Keeps `what` alive, and then `source`, the memory that it lies in.
template <typename T>
std::shared_ptr<const T> owned(T what, std::shared_ptr<const void> source) {
  struct kept {
    std::shared_ptr<const void> source;  // goes last
    T what;
  };
  const auto both = std::make_shared<kept>(kept{std::move(source), std::move(what)});
  return {both, &both->what};
}

}  // namespace pappus::base
