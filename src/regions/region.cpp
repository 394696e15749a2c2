#include "regions/region.h"

#include <algorithm>

namespace pappus::regions {
namespace {

using some_boxes = base::small_list<const box*, 16>;

/// Which places of two sets are kept.
struct set_operation {
  bool first_alone, second_alone, both;
  bool keeps(bool in_first, bool in_second) const {
    return in_first ? (in_second ? both : first_alone) : in_second && second_alone;
  }
};

constexpr set_operation set_union{true, true, true};
constexpr set_operation set_intersection{false, false, true};
constexpr set_operation set_difference{true, false, false};

/// Goes along one dimension from cut to cut, and along those behind it within each band.
class sweep {
 public:
  sweep(std::size_t rank, set_operation operation, region::box_list& result)
      : rank_(rank), operation_(operation), result_(result) {}

  /// Adds boxes whose bounds are right from dimension d on.
  void run(std::size_t d, const some_boxes& a, const some_boxes& b) {
    if (!operation_.keeps(!a.empty(), false) && !operation_.keeps(false, !b.empty()) &&
        !operation_.keeps(!a.empty(), !b.empty()))
      return;
    if (d == rank_) {
      if (operation_.keeps(!a.empty(), !b.empty())) result_.push_back(box(rank_));
      return;
    }
    const auto cuts = cuts_of(d, a, b);
    std::size_t previous = result_.size();  // where the band before begins
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      const auto low = cuts[i], high = cuts[i + 1];
      const auto start = result_.size();
      run(d + 1, across(a, d, low, high), across(b, d, low, high));
      if (result_.size() == start) continue;
      for (std::size_t k = start; k < result_.size(); ++k)
        result_[k].low[d] = low, result_[k].high[d] = high;
      if (continues(d, previous, start)) {
        for (std::size_t k = previous; k < start; ++k) result_[k].high[d] = high;
        result_.truncate(start);
      } else {
        previous = start;
      }
    }
  }

 private:
  using cut_list = base::small_list<std::int64_t, 32>;

  static cut_list cuts_of(std::size_t d, const some_boxes& a, const some_boxes& b) {
    cut_list cuts;
    for (const auto* boxes : {&a, &b}) {
      for (const box* one : *boxes) {
        cuts.push_back(one->low[d]);
        cuts.push_back(one->high[d]);
      }
    }
    std::sort(cuts.begin(), cuts.end());
    const auto* end = std::unique(cuts.begin(), cuts.end());
    cuts.truncate(static_cast<std::size_t>(end - cuts.begin()));
    return cuts;
  }

  static some_boxes across(const some_boxes& boxes, std::size_t d, std::int64_t low,
                           std::int64_t high) {
    some_boxes found;
    for (const box* one : boxes)
      if (one->low[d] <= low && high <= one->high[d]) found.push_back(one);
    return found;
  }

  /// Whether the boxes from `start` on are those from `previous` to there, moved along d to where
  /// these end.
  bool continues(std::size_t d, std::size_t previous, std::size_t start) const {
    if (result_.size() - start != start - previous ||
        result_[previous].high[d] != result_[start].low[d])
      return false;
    for (std::size_t k = start; k < result_.size(); ++k) {
      const auto &a = result_[previous + k - start], &b = result_[k];
      for (std::size_t e = d + 1; e < rank_; ++e)
        if (a.low[e] != b.low[e] || a.high[e] != b.high[e]) return false;
    }
    return true;
  }

  std::size_t rank_;
  set_operation operation_;
  region::box_list& result_;
};

some_boxes pointers_to(std::span<const box> boxes) {
  some_boxes pointers;
  for (const auto& one : boxes)
    if (!one.empty()) pointers.push_back(&one);
  return pointers;
}

void combine(std::size_t rank, std::span<const box> a, std::span<const box> b,
             set_operation operation, region::box_list& result) {
  sweep(rank, operation, result).run(0, pointers_to(a), pointers_to(b));
}

}  // namespace

region::region(const box& all) : rank_(all.rank) {
  if (!all.empty()) boxes_.push_back(all);
}

region::region(std::size_t rank, std::span<const box> all) : rank_(rank) {
  combine(rank, all, {}, set_union, boxes_);
}

std::int64_t region::volume() const noexcept {
  std::int64_t places = 0;
  for (const auto& one : boxes_) places = saturated_sum(places, one.volume());
  return places;
}

box region::hull() const noexcept {
  if (boxes_.empty()) return box(rank_);
  box around = boxes_[0];
  for (const auto& one : boxes_) around = regions::hull(around, one);
  return around;
}

bool region::contains(const point& one) const noexcept {
  return std::any_of(boxes_.begin(), boxes_.end(),
                     [&](const box& part) { return regions::contains(part, one); });
}

bool region::overlaps(const box& other) const noexcept {
  return !other.empty() && std::any_of(boxes_.begin(), boxes_.end(),
                                       [&](const box& part) { return overlap(part, other); });
}

bool region::covers(const region& other) const { return (other - *this).empty(); }

region operator|(const region& a, const region& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  region result(a.rank());
  combine(a.rank(), a.boxes(), b.boxes(), set_union, result.boxes_);
  return result;
}

region operator&(const region& a, const region& b) {
  if (a.boxes_.size() == 1 && b.boxes_.size() == 1) return intersect(a.boxes_[0], b.boxes_[0]);
  region result(a.rank());
  combine(a.rank(), a.boxes(), b.boxes(), set_intersection, result.boxes_);
  return result;
}

region operator-(const region& a, const region& b) {
  const auto meets = [&](const box& one) { return a.overlaps(one); };
  if (std::none_of(b.boxes_.begin(), b.boxes_.end(), meets)) return a;
  region result(a.rank());
  combine(a.rank(), a.boxes(), b.boxes(), set_difference, result.boxes_);
  return result;
}

std::string text(const region& what) {
  std::string result;
  for (const auto& one : what.boxes()) result += (result.empty() ? "" : ", ") + text(one);
  return result.empty() ? "nothing" : result;
}

}  // namespace pappus::regions
