// keep() holds a value of any type where the engine's types look at it as memory: a stage's
// expression, a reducer's prototype, a user's function.
#pragma once

#include <memory>
#include <utility>

#include "pappus/detail/base/glue.h"

namespace pappus::detail {

/// What owns is of one type for all values: a shared_ptr to each value's own type takes compilers a
/// tenth to a fifth of the time of an optimised program of queries, a third of an unoptimised one.
inline std::shared_ptr<const void> kept(const void* value, void (*destroy)(const void*)) {
  return {value, destroy};
}

template <typename T>
PAPPUS_GLUE std::shared_ptr<const void> keep(T value) {
  return kept(new const T(std::move(value)),
              [](const void* it) { delete static_cast<const T*>(it); });
}

}  // namespace pappus::detail
