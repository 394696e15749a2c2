// Looks whether a plan of launches keeps what it promises, item by item.
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "plan/batch.h"
#include "plan/turn.h"

namespace pappus::plan {
namespace {

using arrays::launch_of;

struct item {
  std::size_t stage = 0;
  std::int64_t number = 0;
  const turn* of = nullptr;
  std::int64_t part = 0;
};

/// All items in the order in which they are started.
std::vector<item> in_order(const plan& p) {
  std::vector<item> result;
  for (const auto& one : p.order) {
    const turn_parts parts(one, p.stages[one.first].items.size());
    for (std::int64_t part = 0; part < parts.count(); ++part)
      parts.each_item(part, [&](std::int64_t stage, std::int64_t number) {
        result.push_back({one.first + static_cast<std::size_t>(stage), number, &one, part});
      });
  }
  return result;
}

/// Tiles wait for nothing of their turn, wedges for the tiles beside them.
void check_part(const plan& p, const item& later, const item& before) {
  if (later.of != before.of || later.of->tile == 0 || later.part == before.part) return;
  const turn_parts parts(*later.of, p.stages[later.of->first].items.size());
  const auto tile = parts.tile_before(later.part);
  if (!parts.is_wedge(later.part) || before.part < tile || before.part > tile + 1)
    throw std::logic_error(fmt::format("batch: item {} of s{}, of part {}, needs one of part {}",
                                       later.number, later.stage, later.part, before.part));
}

void check_all_once(const plan& p, const std::vector<item>& order) {
  std::vector<std::vector<int>> times(p.stages.size());
  for (std::size_t s = 0; s < times.size(); ++s)
    times[s].resize(static_cast<std::size_t>(p.stages[s].items.size()));
  for (const auto& one : order) ++times[one.stage][static_cast<std::size_t>(one.number)];
  for (std::size_t s = 0; s < times.size(); ++s)
    if (std::ranges::any_of(times[s], [](int n) { return n != 1; }))
      throw std::logic_error(fmt::format("batch: not each item of s{} is run once", s));
}

/// Each place of a box is a cell.
regions::grid cut_into_places(const regions::box& all) {
  std::vector<regions::cuts> dimensions;
  for (std::size_t d = 0; d < all.rank; ++d)
    dimensions.push_back(regions::cuts::even(all.low[d], all.high[d], 1));
  return regions::grid(std::move(dimensions));
}

/// Elements of an array, a bit each.
struct elements {
  const arrays::image* of = nullptr;
  std::vector<bool> touched, written;
};

void add(elements& to, const regions::box& where, bool write) {
  const auto numbers = cut_into_places(to.of->all), places = cut_into_places(where);
  for (std::int64_t n = 0; n < places.size(); ++n) {
    const auto at = static_cast<std::size_t>(numbers.number(places.cell(n).low));
    to.touched[at] = true;
    if (write) to.written[at] = true;
  }
}

/// What an item touches: index by index, because a box around what several touch may hold more.
/// \param with_partial  with what the item reduces into states of its own
std::vector<elements> elements_of(const plan& p, const item& one, bool with_partial) {
  const auto& by = launch_of(*p.stages[one.stage].node);
  const auto indices = cut_into_places(p.stages[one.stage].items.cell(one.number));
  std::vector<elements> result;
  for (std::size_t a = 0; a < by.accesses.size(); ++a) {
    if (!with_partial && is_partial(p.stages[one.stage], a)) continue;
    const auto& access = by.accesses[a];
    const auto* const array = by.arguments[access.argument].array.get();
    auto known = std::ranges::find(result, array, &elements::of);
    if (known == result.end()) {
      const std::vector<bool> none(static_cast<std::size_t>(array->all.volume()));
      known = result.insert(result.end(), {array, none, none});
    }
    for (std::int64_t n = 0; n < indices.size(); ++n)
      add(*known, touched(by, access, indices.cell(n)), access.writes());
  }
  return result;
}

bool conflict(const std::vector<elements>& a, const std::vector<elements>& b) {
  for (const auto& one : a)
    for (const auto& other : b)
      for (std::size_t i = 0; one.of == other.of && i < one.touched.size(); ++i)
        if ((one.touched[i] && other.written[i]) || (one.written[i] && other.touched[i]))
          return true;
  return false;
}

void check_order(const plan& p) {
  std::size_t next = 0;
  for (const auto& [first, stages, tile] : p.order) {
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
  check_all_once(p, order);
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
        check_part(p, order[at], order[before]);
        known[at][before] = true;
        for (std::size_t i = 0; i < before; ++i)
          if (known[before][i]) known[at][i] = true;
      }
    }
  }
  std::vector<std::vector<elements>> touched;
  touched.reserve(order.size());
  for (const auto& one : order) touched.push_back(elements_of(p, one, true));
  for (std::size_t a = 0; a < order.size(); ++a)
    for (std::size_t b = a + 1; b < order.size(); ++b) {
      const auto &first = order[a], &second = order[b];
      if (!conflict(touched[a], touched[b])) continue;
      if (first.stage == second.stage &&
          (launch_of(*p.stages[first.stage].node).known == arrays::launch::knowledge::assumed ||
           !conflict(elements_of(p, first, false), elements_of(p, second, false))))
        continue;  // the user's word, or merged when both are done
      if (first.stage >= second.stage || !known[b][a])
        throw std::logic_error(fmt::format(
            "batch: item {} of s{} and item {} of s{} touch the same elements in no order",
            first.number, first.stage, second.number, second.stage));
    }
}

}  // namespace pappus::plan
