// Functions of blocks of records. Devices call them with one record: their results don't depend on
// how rows are cut.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "conformance/readings.h"
#include "pappus/pappus.h"

namespace pappus::testing {
namespace {

struct location {
  float x, y;
};
/// Not default constructible.
struct assigned {
  location at;
  float distance;
  int center;
  assigned(location p, float d, int c) : at(p), distance(d), center(c) {}
};

/// Squared distances of a block to one centre after the other, as loops over blocks are written.
void nearest_centers(std::span<const location> points, std::span<const location> centers,
                     std::span<assigned> out) {
  constexpr std::size_t most = 64;
  std::array<float, most> least;
  std::array<int, most> index;
  for (std::size_t begin = 0; begin < points.size(); begin += most) {
    const auto block = points.subspan(begin, std::min(most, points.size() - begin));
    least.fill(INFINITY);
    index.fill(-1);
    for (std::size_t c = 0; c < centers.size(); ++c)
      for (std::size_t i = 0; i < block.size(); ++i) {
        const float x = block[i].x - centers[c].x, y = block[i].y - centers[c].y;
        const float distance = x * x + y * y;
        index[i] = distance < least[i] ? static_cast<int>(c) : index[i];
        least[i] = std::min(distance, least[i]);
      }
    for (std::size_t i = 0; i < block.size(); ++i)
      out[begin + i] = assigned(block[i], least[i], index[i]);
  }
}

location place_of(const reading& r) { return {static_cast<float>(r.level), r.value / 50.0f}; }

const std::vector<location>& centers() {
  static const std::vector<location> all{{0, 0}, {50, 20}, {-60, 80}, {100, -100}, {0, 0}};
  return all;
}

std::vector<assigned> all_nearest(rows_in rows) {
  std::vector<location> points;
  for (const auto& r : rows) points.push_back(place_of(r));
  std::vector<assigned> out(points.size(), assigned({0, 0}, 0, 0));
  nearest_centers(points, centers(), out);
  return out;
}

TEST(batched, maps_with_shared_data) {
  expect_same(
      [](session& s, rows_in rows) {
        return s.borrow(rows)
            .map(fn<place_of>)
            .map(batched<assigned>(fn<nearest_centers>), s.from(centers()).shared());
      },
      all_nearest);
}

TEST(batched, maps_of_rows_in_memory_that_operators_follow) {
  int wanted = 2;
  expect_same(
      [&](session& s, rows_in rows) {
        return s.borrow(rows)
            .map(fn<place_of>)
            .materialise()
            .map(batched<assigned>(fn<nearest_centers>), s.from(centers()).shared())
            .filter([wanted](const assigned& a) { return a.center >= wanted; })
            .map([](const assigned& a) { return a.distance; });
      },
      [&](rows_in rows) {
        std::vector<float> kept;
        for (const auto& a : all_nearest(rows))
          if (a.center >= wanted) kept.push_back(a.distance);
        return kept;
      });
}

TEST(batched, maps_with_captures) {
  std::array<int, 16> weights;
  for (int i = 0; i < 16; ++i) weights[static_cast<std::size_t>(i)] = 3 * i - 20;
  int shift = 5;
  const auto weighted = batched<std::int64_t>(
      [&weights, shift](std::span<const reading> in, std::span<std::int64_t> out) {
        for (std::size_t i = 0; i < in.size(); ++i)
          out[i] = weights[static_cast<std::size_t>(in[i].station)] * in[i].value + shift;
      });
  const auto one = [&](const reading& r) {
    return std::int64_t{weights[static_cast<std::size_t>(r.station)] * r.value + shift};
  };
  expect_same([&](session& s, rows_in rows) { return s.borrow(rows).map(weighted); },
              [&](rows_in rows) { return each<std::int64_t>(rows, one); });
  expect_same_value([&](session& s, rows_in rows) { return s.borrow(rows).map(weighted).sum(); },
                    [&](rows_in rows) {
                      std::int64_t all = 0;
                      for (const auto& r : rows) all += one(r);
                      return all;
                    });
}

struct cluster {
  std::int64_t n = 0;
  double distance = 0;
  void accumulate(const assigned& a) {
    ++n;
    distance += a.distance;
  }
  void merge(const cluster& other) {
    n += other.n;
    distance += other.distance;
  }
};
std::array<double, 3> flat_cluster(const keyed<int, cluster>& group) {
  return {static_cast<double>(group.key), static_cast<double>(group.value.n), group.value.distance};
}

/// As k-means does: with integers as coordinates, sums are exact in any order.
TEST(batched, maps_before_groups) {
  const auto in_whole_numbers = [](const reading& r) {
    return location{static_cast<float>(static_cast<int>(r.level)),
                    static_cast<float>(r.value / 50)};
  };
  expect_same(
      [&](session& s, rows_in rows) {
        return s.borrow(rows)
            .map(in_whole_numbers)
            .map(batched<assigned>(fn<nearest_centers>), s.from(centers()).shared())
            .group_by(&assigned::center, domain{5})
            .template reduce<cluster>()
            .map(fn<flat_cluster>);
      },
      [&](rows_in rows) {
        std::vector<std::array<double, 3>> all;
        for (int c = 0; c < 5; ++c) all.push_back({static_cast<double>(c), 0, 0});
        for (const auto& r : rows) {
          std::vector<assigned> out(1, assigned({0, 0}, 0, 0));
          const location p = in_whole_numbers(r);
          nearest_centers({&p, 1}, centers(), out);
          auto& group = all[static_cast<std::size_t>(out[0].center)];
          group[1] += 1;
          group[2] += out[0].distance;
        }
        return all;
      });
}

TEST(batched, keys_of_groups) {
  int shift = 3;
  const auto key = batched<int>(
      [shift](std::span<const reading> in, std::span<const int> by, std::span<int> out) {
        for (std::size_t i = 0; i < in.size(); ++i)
          out[i] = by[static_cast<std::size_t>(in[i].station)] + shift;
      });
  const auto flat_count = [](const keyed<int, std::int64_t>& g) {
    return std::array<std::int64_t, 2>{g.key, g.value};
  };
  expect_same(
      [&](session& s, rows_in rows) {
        const auto by = s.range(0, 16).map([](std::int64_t i) { return static_cast<int>(i / 3); });
        return s.borrow(rows).group_by(key, by.shared()).count().map(flat_count);
      },
      [&](rows_in rows) {
        std::array<std::int64_t, 6> counts{};
        for (const auto& r : rows) ++counts[static_cast<std::size_t>(r.station / 3)];
        std::vector<std::array<std::int64_t, 2>> all;
        for (std::size_t k = 0; k < 6; ++k)
          if (counts[k] > 0) all.push_back({static_cast<std::int64_t>(k) + shift, counts[k]});
        return all;
      });
}

TEST(batched, functions_that_throw) {
  const auto checked = batched<int>([](std::span<const reading> in, std::span<int> out) {
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (in[i].value > 5000) throw std::out_of_range("a value is too large");
      out[i] = in[i].value;
    }
  });
  expect_same([&](session& s, rows_in rows) { return s.borrow(rows).map(checked); },
              [](rows_in rows) { return each<int>(rows, [](auto& r) { return r.value; }); });
  auto rows = readings(70'001);
  rows[44'444].value = 5001;
  for (const auto& setting : settings()) {
    SCOPED_TRACE(setting);
    session s(setting.as_options());
    EXPECT_THROW(s.borrow(rows).map(checked).collect(), std::out_of_range);
  }
}

}  // namespace
}  // namespace pappus::testing
