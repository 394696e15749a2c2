#include "run/partials.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "algorithms/leaf_tree.h"
#include "arrays/leases.h"
#include "pappus/detail/base/integers.h"
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
    went_on_.wait(lock, [&] { return given_up_ || leaf - merged_ < stage_.leaves_ahead; });
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
  constexpr auto fan_in = algorithms::leaf_tree::fan_in;
  auto number = leaf;
  for (auto [level, count] = std::pair(0, stage_.leaves.size());; ++level) {
    const auto parent = number / fan_in, parents = detail::ceil_div(count, fan_in);
    std::unique_lock lock(mutex_);
    const auto at = nodes_.try_emplace(place_in_tree{level, parent}).first;
    const auto children = std::min(fan_in, count - parent * fan_in);
    if (!add(lock, at->second, {level, number}, std::move(states), children)) return;
    states = std::move(at->second.states);
    nodes_.erase(at);
    lock.unlock();
    if (parents == 1) return write_out(states);
    number = parent, count = parents;
  }
}

bool leaf_results::add(std::unique_lock<std::mutex>& lock, node& to, place_in_tree child,
                       partials states, std::int64_t children) {
  constexpr auto fan_in = algorithms::leaf_tree::fan_in;
  to.waiting.emplace(child.number % fan_in, std::move(states));
  if (to.merging) return false;
  to.merging = true;
  while (!to.waiting.empty() && to.waiting.begin()->first == to.merged) {
    auto next = to.waiting.extract(to.waiting.begin());
    lock.unlock();
    if (next.key() == 0)
      to.states = std::move(next.mapped());
    else
      merge(to.states, next.mapped());
    next.mapped().clear();
    lock.lock();
    ++to.merged;
    if (child.level > 0) continue;
    count_merged(child.number / fan_in * fan_in + next.key());
    went_on_.notify_all();
  }
  to.merging = false;
  return to.merged == children;
}

void leaf_results::count_merged(std::int64_t leaf) {
  merged_later_.insert(leaf);
  while (!merged_later_.empty() && *merged_later_.begin() == merged_) {
    merged_later_.erase(merged_later_.begin());
    ++merged_;
  }
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

void leaf_results::write_out(const partials& all) const {
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
}

}  // namespace pappus::run
