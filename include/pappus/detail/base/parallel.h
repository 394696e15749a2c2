// The one interface through which work reaches all cores.
//
// Headers and untyped operators see only this interface; oneTBB stays in one .cpp.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace pappus::detail {

/// One piece of parallel work: called once per item in [0, items), on any worker, in any order.
using parallel_body = void (*)(void* context, std::size_t item, unsigned worker);

/// A team of worker threads.
class workers {
 public:
  virtual ~workers() = default;

  /// The number of workers; `worker` arguments are below it.
  virtual unsigned count() const noexcept = 0;

  /// Calls body for every item, then returns. Items are started in ascending order. At most one
  /// item runs on a worker index at a time, so scratch indexed by `worker` needs no lock. If a body
  /// throws, items not yet started are dropped and the exception of the lowest item that threw is
  /// rethrown here; if the query was cancelled, throws pappus::cancelled. May be nested.
  virtual void run(std::size_t items, parallel_body body, void* context) = 0;

  /// Like run(), from within an item whose work is shared out because it takes long: threads that
  /// would only wait for other items of the query take part, too. So these items must not wait for
  /// one another, nor for anything else that is under way.
  virtual void share(std::size_t items, parallel_body body, void* context) {
    run(items, body, context);
  }

  /// Takes part in what other items of the query have shared out; false if there is nothing. For
  /// items that would otherwise only wait for others.
  virtual bool help() { return false; }

  /// True once the query is to stop. Long items poll it every few milliseconds and return early.
  virtual bool stopping() const noexcept = 0;
};

/// Calls the body that `context` points to.
template <typename Body>
void call_body(void* context, std::size_t item, unsigned worker) {
  (*static_cast<Body*>(context))(item, worker);
}

/// parallel_chunks(team, n, [&](std::size_t item, unsigned worker) { ... })
template <typename Body>
void parallel_chunks(workers& team, std::size_t items, Body&& body) {
  team.run(items, call_body<std::remove_reference_t<Body>>,
           const_cast<void*>(static_cast<const void*>(std::addressof(body))));
}

}  // namespace pappus::detail
