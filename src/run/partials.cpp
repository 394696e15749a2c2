#include "run/partials.h"

#include <cstring>
#include <utility>

#include "arrays/leases.h"
#include "regions/parts.h"

namespace pappus::run {
namespace {

/// Calls run(first in one, first in other, elements) for each row of a box that is in both: numbers
/// of its first element.
template <typename Run>
void each_row(const regions::box& elements, const regions::box& one, const regions::box& other,
              Run&& run) {
  regions::each_row(elements, [&](const regions::box& row) {
    run(regions::number_in(one, row.low), regions::number_in(other, row.low), row.volume());
  });
}

}  // namespace

leaf_results::leaf_results(const arrays::launch& of, const plan::stage& stage)
    : launch_(of), stage_(stage) {}

partial leaf_results::started(std::size_t argument, const regions::box& elements) const {
  const auto& of = launch_.arguments[argument];
  const auto count = elements.volume();
  const auto bytes = static_cast<std::size_t>(count) * of.array->element.size;
  partial result{elements, {*of.elements->source.budget, bytes, "states of for_each"}};
  of.reduction.start(result.memory.data(), count);
  return result;
}

partials leaf_results::start(std::int64_t leaf) {
  {
    std::unique_lock lock(mutex_);
    went_on_.wait(lock, [&] { return given_up_ || leaf - next_ < stage_.leaves_ahead; });
  }
  const auto indices = stage_.leaves.cell(leaf);
  partials result;
  for (const auto a : stage_.partial) result.push_back(started(a, touched(launch_, a, indices)));
  return result;
}

void leaf_results::place(const partials& states, std::span<detail::view_place> arguments) const {
  for (std::size_t n = 0; n < states.size(); ++n) {
    const auto& [elements, memory] = states[n];
    if (elements.empty()) continue;
    const auto& of = launch_.arguments[stage_.partial[n]];
    auto& to = arguments[stage_.partial[n]];
    std::int64_t stride = 1, offset = 0;  // offset: of the element that the view numbers 0
    for (std::size_t d = elements.rank; d-- > 0;) {
      to.strides[d] = stride;
      offset += (elements.low[d] - of.part.low[d]) * stride;
      stride *= elements.extent(d);
    }
    to.elements = memory.data() - offset * static_cast<std::int64_t>(of.array->element.size);
  }
}

void leaf_results::give_up() {
  const std::lock_guard lock(mutex_);
  given_up_ = true;
  went_on_.notify_all();
}

void leaf_results::finish(std::int64_t leaf, partials states) {
  std::unique_lock lock(mutex_);
  waiting_.emplace(leaf, std::move(states));
  if (merging_) return;
  merging_ = true;  // for good, where merging throws
  while (!waiting_.empty() && waiting_.begin()->first == next_) {
    auto next = waiting_.extract(waiting_.begin());
    lock.unlock();
    add(next.key(), std::move(next.mapped()));
    lock.lock();
    if (++next_ == stage_.leaves.size()) write_out();
    went_on_.notify_all();
  }
  merging_ = false;
}

void leaf_results::add(std::int64_t leaf, partials states) {
  tree_.add(leaf, [&](int from, int to, bool first) {
    if (std::cmp_greater_equal(to, levels_.size()))
      levels_.resize(static_cast<std::size_t>(to) + 1);
    auto& child = from == algorithms::leaf_tree::leaf ? states : level(from);
    if (first)
      level(to) = std::move(child);
    else
      merge(level(to), child);
  });
}

void leaf_results::merge(partials& into, const partials& from) const {
  for (std::size_t n = 0; n < into.size(); ++n) {
    const auto a = stage_.partial[n];
    const auto& of = launch_.arguments[a];
    const auto size = static_cast<std::int64_t>(of.array->element.size);
    auto& to = into[n];
    if (!regions::contains(to.elements, from[n].elements)) {
      auto more = started(a, regions::hull(to.elements, from[n].elements));
      each_row(to.elements, more.elements, to.elements, [&](auto there, auto here, auto count) {
        std::memcpy(more.memory.data() + there * size, to.memory.data() + here * size,
                    static_cast<std::size_t>(count * size));
      });
      to = std::move(more);
    }
    each_row(from[n].elements, to.elements, from[n].elements,
             [&](auto there, auto here, auto count) {
               of.reduction.merge(to.memory.data() + there * size,
                                  from[n].memory.data() + here * size, count);
             });
  }
}

void leaf_results::write_out() {
  levels_.resize(static_cast<std::size_t>(tree_.levels()) + 1);
  const auto top = tree_.finish([&](int from, int to, bool first) {
    if (first)
      level(to) = std::move(level(from));
    else
      merge(level(to), level(from));
  });
  auto& all = level(top);
  for (std::size_t n = 0; n < all.size(); ++n) {
    const auto& of = launch_.arguments[stage_.partial[n]];
    const auto size = static_cast<std::int64_t>(of.array->element.size);
    arrays::each_leased(*of.array, *of.elements, all[n].elements,
                        [&](const regions::box& elements) {
                          each_row(elements, of.array->all, all[n].elements,
                                   [&](auto there, auto here, auto count) {
                                     of.reduction.merge(of.elements->data + there * size,
                                                        all[n].memory.data() + here * size, count);
                                   });
                        });
  }
  levels_.clear();
}

}  // namespace pappus::run
