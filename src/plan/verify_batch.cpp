// Looks whether a plan of launches keeps what it promises, item by item.
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "plan/batch.h"

namespace pappus::plan {
namespace {

using arrays::launch_of;

struct item {
  std::size_t stage = 0;
  std::int64_t number = 0;
};

/// All items in the order in which they are started.
std::vector<item> in_order(const plan& p) {
  std::vector<item> result;
  for (const auto& [first, stages, skew] : p.order) {
    const auto items = p.stages[first].items.size();
    const auto steps = items + skew * static_cast<std::int64_t>(stages - 1);
    for (std::int64_t step = 0; step < steps && items > 0; ++step)
      for (std::size_t s = 0; s < stages; ++s)
        if (const auto number = step - skew * static_cast<std::int64_t>(s);
            number >= 0 && number < items)
          result.push_back({first + s, number});
  }
  return result;
}

bool conflict(const plan& p, const item& a, const item& b) {
  const auto& one = launch_of(*p.stages[a.stage].node);
  const auto& other = launch_of(*p.stages[b.stage].node);
  const auto here = p.stages[a.stage].items.cell(a.number);
  const auto there = p.stages[b.stage].items.cell(b.number);
  for (const auto& x : one.accesses)
    for (const auto& y : other.accesses)
      if ((x.writes() || y.writes()) &&
          one.arguments[x.argument].array == other.arguments[y.argument].array &&
          regions::overlap(touched(one, x, here), touched(other, y, there)))
        return true;
  return false;
}

void check_order(const plan& p) {
  std::size_t next = 0;
  for (const auto& [first, stages, skew] : p.order) {
    if (first != next || stages == 0)
      throw std::logic_error(fmt::format("batch: stage {} isn't in the order once", next));
    next += stages;
    for (std::size_t s = first; s < next; ++s)
      if (p.stages[s].items.size() != p.stages[first].items.size())
        throw std::logic_error(fmt::format("batch: s{} takes turns with other items", s));
  }
  if (next != p.stages.size()) throw std::logic_error("batch: stages are left out of the order");
}

}  // namespace

void verify_batch(const plan& p) {
  check_order(p);
  const auto order = in_order(p);
  // By position: which items before it are certain to be done.
  std::vector<std::vector<bool>> known(order.size());
  for (std::size_t at = 0; at < order.size(); ++at) {
    const auto& s = p.stages[order[at].stage];
    known[at].resize(order.size(), false);
    for (const auto& n : s.needs) {
      const auto waits = items_before(p, s, n, s.items.cell(order[at].number));
      const auto& grid = p.stages[index(n.before)].items;
      for (std::size_t before = 0; before < order.size(); ++before) {
        if (order[before].stage != index(n.before) || waits.empty() ||
            !regions::contains(waits, grid.coordinates(order[before].number)))
          continue;
        if (before > at)
          throw std::logic_error(fmt::format("batch: item {} of s{} waits for a later one",
                                             order[at].number, order[at].stage));
        known[at][before] = true;
        for (std::size_t i = 0; i < before; ++i)
          if (known[before][i]) known[at][i] = true;
      }
    }
  }
  for (std::size_t a = 0; a < order.size(); ++a)
    for (std::size_t b = a + 1; b < order.size(); ++b) {
      const auto &first = order[a], &second = order[b];
      if (!conflict(p, first, second)) continue;
      if (first.stage == second.stage &&
          launch_of(*p.stages[first.stage].node).known == arrays::launch::knowledge::assumed)
        continue;  // the user's word
      if (first.stage >= second.stage || !known[b][a])
        throw std::logic_error(fmt::format(
            "batch: item {} of s{} and item {} of s{} touch the same elements in no order",
            first.number, first.stage, second.number, second.stage));
    }
}

}  // namespace pappus::plan
