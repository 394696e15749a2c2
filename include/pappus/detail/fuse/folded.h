// A value that knows what is reduced, and how, so that session::run() can reduce it together with
// others of the same records in one loop (run.h).
#pragma once

#include <utility>

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
      : value<T>(std::move(alone)), records_(std::move(records)), how_(std::move(how)) {}

 private:
  friend struct access;

  query<E> records_;
  Aggregate how_;
};

}  // namespace pappus::detail
