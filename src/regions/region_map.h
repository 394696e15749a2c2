// A value for each place of a box, as a list of regions that have the same one.
//
// There are as many entries as values, and values come with launches, not with chunks: a launch
// over an array leaves one entry. So this is a flat list. R-trees find their way among thousands of
// boxes, which only values per chunk would make.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "regions/region.h"

namespace pappus::regions {

/// Neighbours of equal value are one region, whose boxes are those of the set: two maps that say
/// the same have the same entries, in an order that depends on history.
/// \tparam V  can be copied and compared with ==
template <typename V>
class region_map {
 public:
  struct entry {
    region where;
    V value;
  };

  region_map(const box& all, V value) : all_(all) {
    if (!all.empty()) entries_.push_back({region(all), std::move(value)});
  }

  const box& all() const noexcept { return all_; }
  /// They cover `all()`, don't overlap and have different values; none is empty.
  const std::vector<entry>& entries() const noexcept { return entries_; }

  /// Places outside of `all()` are left out.
  void assign(const region& where, const V& value) {
    const region inside = where & region(all_);
    if (inside.empty()) return;
    const V copy = value;  // it may be the value of an entry that goes
    region joined = inside;
    std::erase_if(entries_, [&](entry& e) {
      if (e.value == copy)
        joined = joined | e.where;
      else
        e.where = e.where - inside;
      return e.value == copy || e.where.empty();
    });
    entries_.push_back({std::move(joined), copy});
  }

  /// Calls visit(const box&, const V&) for boxes that don't overlap and together are `where`, as
  /// far as that is in `all()`.
  template <typename Visit>
  void each(const box& where, Visit visit) const {
    for (const auto& e : entries_)
      for (const auto& part : e.where.boxes())
        if (const box both = intersect(part, where); !both.empty()) visit(both, e.value);
  }

  /// Places whose value has this trait.
  template <typename Trait>
  region where(Trait has) const {
    region found(all_.rank);
    for (const auto& e : entries_)
      if (has(e.value)) found = found | e.where;
    return found;
  }

 private:
  box all_;
  std::vector<entry> entries_;
};

}  // namespace pappus::regions
