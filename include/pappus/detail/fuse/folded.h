// A value that knows what is reduced, and how, so that session::run() can reduce it together with
// others of the same records in one loop (run.h).
#pragma once

#include <memory>
#include <utility>

#include "pappus/detail/base/request.h"
#include "pappus/detail/fuse/access.h"
#include "pappus/value.h"

namespace pappus {
template <typename E>
class query;
}

namespace pappus::detail {

/// To users a value<T>.
/// \tparam E          the expression whose records are reduced
/// \tparam Aggregate  an aggregate_of<..>, as aggregate() takes it
template <typename T, typename E, typename Aggregate>
class folded : public value<T> {
 public:
  folded(value<T> alone, query<E> records, Aggregate how)
      : value<T>(std::move(alone)),
        node_(access::node(*this)),
        records_(std::move(records)),
        how_(std::move(how)) {}
  folded(const folded&) = default;
  folded(folded&&) = default;
  /// Constructs it anew: lambdas that captured something can't be assigned.
  folded& operator=(folded other) noexcept {
    std::destroy_at(this);
    return *std::construct_at(this, std::move(other));
  }
  /// Any other value<T> is reduced in a loop of its own.
  using value<T>::operator=;

 private:
  friend struct access;

  node_ptr node_;  ///< of what is reduced so
  query<E> records_;
  Aggregate how_;
};

}  // namespace pappus::detail
