// What launches wait for: who wrote what they touch last, and who has read it since.
#include <algorithm>
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

  static void wait(stage& s, const use& before, std::uint32_t own, need::conflict why) {
    const auto same = [&](const need& n) {
      return index(n.before) == before.stage && n.theirs == before.access && n.own == own;
    };
    if (std::ranges::any_of(s.needs, same)) return;
    s.needs.push_back({static_cast<stage_index>(before.stage), before.access, own, why});
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
  const auto elements = touched(own, own.accesses[n.own], indices);
  return before.items.cells(touching(theirs, theirs.accesses[n.theirs], elements));
}

}  // namespace pappus::plan
