// One small stage or more for every operator that has device text: what checkers of the text
// compile or run.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pappus/device_code.h"
#include "pappus/pappus.h"

namespace pappus::testing {

struct sample_point {
  float x, y;
  std::int64_t id;
};
struct sample_centre {
  float x, y;
};
struct sample_table {
  std::int64_t numbers[100];
};
struct sample_line {
  std::uint32_t scale, shift;
};
/// A reducer whose states are too large for hash tables.
struct sample_histogram {
  std::int32_t counts[1500] = {};
  void accumulate(std::int64_t id) { ++counts[id % 1500]; }
  void merge(const sample_histogram& other) {
    for (int i = 0; i < 1500; ++i) counts[i] += other.counts[i];
  }
  std::int32_t finalize() const { return *std::max_element(counts, counts + 1500); }
  static device_code on_device() {
    return device_text("add_to_histogram", R"(
typedef struct { int counts[1500]; } sample_histogram;
void add_to_histogram(sample_histogram* s, long id) { ++s->counts[id % 1500]; }
)");
  }
};

inline int nearest(const sample_point& p, std::span<const sample_centre> centres, float scale) {
  int best = 0;
  float least = 0;
  for (std::size_t i = 0; i < centres.size(); ++i) {
    const float dx = p.x * scale - centres[i].x, dy = p.y * scale - centres[i].y;
    if (const float d = dx * dx + dy * dy; i == 0 || d < least) {
      least = d;
      best = static_cast<int>(i);
    }
  }
  return best;
}
inline sample_point moved(const sample_point& p, sample_centre by) {
  return {p.x + by.x, p.y + by.y, p.id};
}
inline bool is_right(const sample_point& p) { return p.x > 0; }
inline std::int64_t few_of(const sample_point& p) { return p.id % 16; }
inline std::vector<float> steps(const sample_point& p) {
  std::vector<float> all(static_cast<std::size_t>(p.id % 4));
  for (std::size_t j = 0; j < all.size(); ++j) all[j] = p.x + static_cast<float>(j);
  return all;
}
inline float matched_x(const sample_point& p, const sample_point* match) {
  return match != nullptr ? p.x + match->x : p.x;
}
inline float either_x(const sample_point* match, const sample_point& p) {
  return match != nullptr ? p.x - match->x : p.x;
}
inline sample_point sum_of(const sample_point& a, const sample_point& b) {
  return {a.x + b.x, a.y + b.y, a.id};
}
inline sample_line then(const sample_line& a, const sample_line& b) {
  return {a.scale * b.scale, b.scale * a.shift + b.shift};
}
inline sample_line line_of(const sample_point& p) {
  return {static_cast<std::uint32_t>(2 * p.id + 1), static_cast<std::uint32_t>(p.id)};
}

inline constexpr const char* sample_text = R"(
typedef struct { float x, y; long id; } sample_point;
typedef struct { float x, y; } sample_centre;
typedef struct { uint scale, shift; } sample_line;

int nearest(sample_point p, GLOBAL const sample_centre* centres, long n, float scale) {
  int best = 0;
  float least = 0;
  for (long i = 0; i < n; ++i) {
    const float dx = p.x * scale - centres[i].x, dy = p.y * scale - centres[i].y;
    const float d = dx * dx + dy * dy;
    if (i == 0 || d < least) {
      least = d;
      best = (int)i;
    }
  }
  return best;
}
sample_point moved(sample_point p, sample_centre by) {
  p.x += by.x;
  p.y += by.y;
  return p;
}
int is_right(sample_point p) { return p.x > 0; }
long few_of(sample_point p) { return p.id % 16; }
long steps_count(sample_point p) { return p.id % 4; }
float steps_at(sample_point p, long j) { return p.x + (float)j; }
float matched_x(sample_point p, GLOBAL const sample_point* match) {
  return match ? p.x + match->x : p.x;
}
float either_x(GLOBAL const sample_point* match, sample_point p) {
  return match ? p.x - match->x : p.x;
}
sample_point sum_of(sample_point a, sample_point b) {
  a.x += b.x;
  a.y += b.y;
  return a;
}
sample_line then(sample_line a, sample_line b) {
  sample_line both;
  both.scale = a.scale * b.scale;
  both.shift = b.scale * a.shift + b.shift;
  return both;
}
sample_line line_of(sample_point p) {
  sample_line one;
  one.scale = (uint)(2 * p.id + 1);
  one.shift = (uint)p.id;
  return one;
}
)";

struct operator_sample {
  std::string name;
  detail::node_ptr node;
};

/// Stages over n rows, made in a session that must outlive them. Their records have no padding, and
/// no answer depends on the order in which a device adds floats.
inline std::vector<operator_sample> operator_samples(session& s, std::size_t n) {
  const auto coded = [](auto function, const char* name, auto... values) {
    return with_device_code(function, device_text(name, sample_text), values...);
  };
  std::mt19937_64 random(n);  // always the same rows
  std::vector<sample_point> rows(n);
  for (auto& p : rows)
    p = {static_cast<float>(static_cast<std::int64_t>(random() % 4001) - 2000) / 8,
         static_cast<float>(random() % 16), static_cast<std::int64_t>(random() % 1000)};
  const auto points = s.from(rows);
  const auto centres = s.from(std::vector<sample_centre>{{0, 0}, {100, 1}, {-30, 0.5f}});
  const auto right = coded(fn<is_right>, "is_right");
  const auto cluster = coded(fn<nearest>, "nearest", 2.0f);
  sample_table table{};
  for (int i = 0; i < 100; ++i) table.numbers[i] = 3 * i;
  const auto look_up = with_device_code(
      [](std::int64_t i, const sample_table& of) { return of.numbers[i % 100]; },
      device_text("look_up",
                  "typedef struct { long numbers[100]; } sample_table;\n"
                  "long look_up(long i, sample_table of) { return of.numbers[i % 100]; }"),
      table);
  const auto ids = points.map(&sample_point::id);
  const auto xs = points.map(&sample_point::x);

  std::vector<operator_sample> all;
  const auto add = [&](std::string name, const auto& query) {
    all.push_back({std::move(name), detail::access::node(query)});
  };
  add("map", points.map(coded(fn<moved>, "moved", sample_centre{0.5f, -1})).materialise());
  add("map with shared rows", points.map(cluster, centres.shared()).materialise());
  add("map with values in a buffer", ids.map(look_up).materialise());
  add("filter", points.filter(right).materialise());
  add("flat_map", points.filter(right).flat_map(coded(fn<steps>, "steps")).materialise());
  add("zip and enumerate", ids.zip(ids.map(look_up)).enumerate().materialise());
  add("count", points.filter(right).count());
  add("sum", ids.sum());
  add("sum of floats", xs.sum());
  add("mean", ids.mean());
  add("variance", ids.variance());
  if (n > 0) add("min", xs.min());  // without records there is none
  add("group_by sum", points.group_by(&sample_point::id).sum(&sample_point::id));
  add("group_by count", points.filter(right).group_by(&sample_point::id).count());
  add("group_by variance",
      points.group_by(coded(fn<few_of>, "few_of")).variance(&sample_point::id));
  add("group_by float", points.group_by(&sample_point::y).min(&sample_point::x));
  add("group_by into large states",
      points.group_by(&sample_point::y).reduce<sample_histogram>(&sample_point::id));
  add("group_by in a domain", ids.group_by(detail::to_itself{}, domain{1000}).sum());
  add("group_by in a domain whose table isn't private",
      ids.group_by(detail::to_itself{}, domain{5000}).sum());
  add("distinct", points.filter(right).map(&sample_point::id).distinct());
  add("sort of integers", ids.sort());
  add("sort_by", points.filter(right).sort_by(descending(&sample_point::x), &sample_point::id));
  add("top", points.top(10, &sample_point::id));
  add("inclusive_scan", ids.inclusive_scan());
  add("scan by a user's function",
      points.map(coded(fn<line_of>, "line_of")).inclusive_scan(coded(fn<then>, "then")));
  const auto id = &sample_point::id;
  const auto sum = coded(fn<sum_of>, "sum_of");
  add("join", points.join(points, id, id, sum).materialise());
  add("join in a domain", points.join(points, id, id, sum, domain{1000}).materialise());
  add("left_join", points.left_join(points.filter(right), id, id, coded(fn<matched_x>, "matched_x"))
                       .materialise());
  add("right_join", points.filter(right)
                        .right_join(points, id, id, coded(fn<either_x>, "either_x"))
                        .materialise());
  add("semi_join", points.semi_join(points.filter(right), id, id).materialise());
  add("anti_join", points.anti_join(points.filter(right), id, id).materialise());
  return all;
}

}  // namespace pappus::testing
