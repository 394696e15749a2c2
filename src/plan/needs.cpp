// What launches wait for: who wrote what they touch last, and who has read it since.
#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "plan/batch.h"
#include "regions/region_map.h"

namespace pappus::plan {
namespace {

using arrays::access;
using arrays::launch;
using arrays::launch_of;

/// Which access of which stage.
struct use {
  std::uint32_t stage = 0, access = 0;
  friend bool operator==(const use&, const use&) = default;
};

/// Of some elements, as far as stages of the batch go.
struct users {
  std::vector<use> writers;  ///< at most one stage's
  std::vector<use> readers;  ///< since then
  friend bool operator==(const users&, const users&) = default;
};

class finding {
 public:
  explicit finding(plan& p) : plan_(p) {}

  void add(std::uint32_t number) {
    auto& s = plan_.stages[number];
    const auto& by = launch_of(*s.node);
    each_access(by, [&](std::uint32_t a, const access& one, auto& known) {
      known.each(touched(by, one, by.indices), [&](const regions::box&, const users& before) {
        for (const auto& w : before.writers)
          wait(s, w, a,
               overwrites(by, one) ? need::conflict::write_after_write
                                   : need::conflict::read_after_write);
        if (one.writes())
          for (const auto& r : before.readers) wait(s, r, a, need::conflict::write_after_read);
      });
    });
    note(number, by);
  }

 private:
  using map = regions::region_map<users>;

  template <typename F>
  void each_access(const launch& by, F&& f) {
    for (std::uint32_t a = 0; a < by.accesses.size(); ++a) {
      const auto& array = by.arguments[by.accesses[a].argument].array;
      f(a, by.accesses[a], arrays_.try_emplace(array.get(), array->all, users{}).first->second);
    }
  }

  void wait(stage& s, const use& before, std::uint32_t own, need::conflict why) const {
    const auto same = [&](const need& n) {
      return index(n.before) == before.stage && n.theirs == before.access && n.own == own;
    };
    if (std::ranges::any_of(s.needs, same)) return;
    const auto &theirs = launch_of(*plan_.stages[before.stage].node), &by = launch_of(*s.node);
    s.needs.push_back({static_cast<stage_index>(before.stage), before.access, own, why,
                       distances(theirs, theirs.accesses[before.access], by, by.accesses[own])});
  }

  /// Reads first: who writes has read before.
  void note(std::uint32_t number, const launch& by) {
    each_access(by, [&](std::uint32_t a, const access& one, map& known) {
      if (one.writes()) return;
      change(known, touched(by, one, by.indices),
             [&](users& of) { of.readers.push_back({number, a}); });
    });
    each_access(by, [&](std::uint32_t a, const access& one, map& known) {
      if (!one.writes()) return;
      const bool all_of_it =
          by.known != launch::knowledge::assumed && one.linear &&
          (by.indices.volume() == 1 || spread_of(by, one) == regions::spread::tiles);
      change(known, touched(by, one, by.indices), [&](users& of) {
        const bool own = !of.writers.empty() && of.writers.front().stage == number;
        // Where elements may be left as they were, whoever comes next waits for those before, too.
        if (all_of_it && !own) of = {};
        of.writers.push_back({number, a});
      });
    });
  }

  template <typename F>
  static void change(map& known, const regions::box& where, F&& f) {
    std::vector<std::pair<regions::box, users>> parts;
    known.each(where,
               [&](const regions::box& part, const users& of) { parts.emplace_back(part, of); });
    for (auto& [part, of] : parts) {
      f(of);
      known.assign(part, of);
    }
  }

  plan& plan_;
  std::map<const arrays::image*, map> arrays_;
};

/// Those that are as far from the indices of a later launch as they may be.
regions::box within(regions::box before, const regions::box& later,
                    const std::array<regions::interval, regions::rank_max>& apart) {
  for (std::size_t d = 0; d < before.rank; ++d) {
    if (apart[d].empty()) return regions::box(before.rank);
    if (d >= later.rank) continue;
    std::int64_t bound = 0;
    if (apart[d].high != regions::interval::most &&
        !__builtin_sub_overflow(later.low[d], apart[d].high, &bound))
      before.low[d] = std::max(before.low[d], bound);
    if (apart[d].low != regions::interval::least &&
        !__builtin_sub_overflow(later.high[d], apart[d].low, &bound))
      before.high[d] = std::min(before.high[d], bound);
  }
  return before;
}

}  // namespace

void find_needs(plan& p, const batch_request&) {
  finding work(p);
  for (std::size_t i = 0; i < p.stages.size(); ++i) work.add(static_cast<std::uint32_t>(i));
}

regions::box items_before(const plan& p, const stage& later, const need& n,
                          const regions::box& indices) {
  const auto& own = launch_of(*later.node);
  const auto& before = p.stages[index(n.before)];
  const auto& theirs = launch_of(*before.node);
  if (own.known == launch::knowledge::assumed || theirs.known == launch::knowledge::assumed)
    return before.items.shape();
  if (is_partial(before, n.theirs)) return before.items.shape();
  // Any item may be the last, which merges what all of them have.
  const auto& all = is_partial(later, n.own) ? own.indices : indices;
  const auto elements = touched(own, own.accesses[n.own], all);
  const auto touch = touching(theirs, theirs.accesses[n.theirs], elements);
  // The elements of a box may be too many, those between a[2*i] and a[2*i+2]. Turns rely on the
  // distances, so no item must wait for others than these allow.
  return before.items.cells(within(touch, all, n.apart));
}

}  // namespace pappus::plan
