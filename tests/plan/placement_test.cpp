// The search for places, held against trying all of them.
#include "plan/placement.h"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pappus::plan {
namespace {

using places = placing_problem::sites_of_steps;

struct made_up {
  std::mt19937_64 random;
  explicit made_up(std::uint64_t seed) : random(seed) {}

  std::size_t below(std::size_t n) { return random() % n; }
  double seconds() { return static_cast<double>(1 + below(1000)) * 1e-3; }

  /// \param shared  whether a step may have several readers.
  placing_problem problem(std::size_t steps, std::size_t sites, bool shared) {
    placing_problem p;
    p.sites.push_back({});
    for (std::size_t i = 1; i < sites; ++i)
      p.sites.push_back({.parts = 1 + below(2),
                         .latency_s = seconds() * 0.1,
                         .to_s = seconds(),
                         .from_s = seconds(),
                         .kept_bytes = static_cast<double>(below(4)) * 1.2});
    for (std::size_t i = 0; i < steps; ++i) add_step(p, i, shared);
    for (auto& s : p.steps) s.wanted_on_host |= s.readers.empty();
    return p;
  }

  void add_step(placing_problem& p, std::size_t i, bool shared) {
    step s;
    s.bytes = static_cast<double>(below(31)) * 0.1;  // copies cost more than most steps
    s.wanted_on_host = below(12) == 0;
    if (below(3) == 0) s.upload_fraction = 0.1;
    const bool source = i == 0 || below(6) == 0;
    for (std::size_t site = 0; site < p.sites.size(); ++site)
      s.run_s.push_back(site != 0 && (source || below(8) == 0) ? impossible
                                                               : seconds() * (site == 0 ? 1 : 0.4));
    for (std::size_t input = i; input-- > 0 && !source && s.inputs.size() < 2;) {
      if (below(3) == 0 || (!shared && !p.steps[input].readers.empty())) continue;
      s.inputs.push_back({input, below(4) == 0});
      p.steps[input].readers.push_back({i, s.inputs.back().whole});
    }
    p.steps.push_back(std::move(s));
  }
};

/// The least total of all combinations.
double least_total(const placing_problem& p) {
  places at(p.steps.size(), 0);
  double least_s = impossible;
  for (;;) {
    bool possible = true;
    for (std::size_t i = 0; i < at.size(); ++i) possible &= p.steps[i].run_s[at[i]] != impossible;
    if (possible) least_s = std::min(least_s, p.total(at));
    std::size_t i = 0;
    while (i < at.size() && ++at[i] == p.sites.size()) at[i++] = 0;
    if (i == at.size()) return least_s;
  }
}

TEST(placement, is_the_best_of_all_where_each_step_has_one_reader) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    made_up from(seed);
    const auto p = from.problem(1 + from.below(8), 2 + from.below(2), false);
    EXPECT_NEAR(p.total(p.solve()), least_total(p), 1e-9) << "seed " << seed;
  }
}

TEST(placement, is_rarely_far_from_the_best_where_rows_are_shared) {
  int worse = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    made_up from(seed);
    const auto p = from.problem(1 + from.below(8), 2 + from.below(2), true);
    const double found = p.total(p.solve()), best = least_total(p);
    EXPECT_GE(found, best * (1 - 1e-9)) << "seed " << seed;
    EXPECT_LE(found, best * 1.5) << "seed " << seed;
    worse += found > best * (1 + 1e-9) ? 1 : 0;
  }
  EXPECT_LE(worse, 15);
}

TEST(placement, is_never_worse_than_one_site_alone_and_no_step_would_be_better_elsewhere) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    made_up from(seed);
    const auto p = from.problem(40, 4, true);
    const auto at = p.solve();
    const double found = p.total(at);
    EXPECT_LE(found, p.total(places(p.steps.size(), 0)) * (1 + 1e-9)) << "seed " << seed;
    for (std::size_t i = 0; i < at.size(); ++i)
      for (std::size_t site = 0; site < p.sites.size(); ++site) {
        if (p.steps[i].run_s[site] == impossible) continue;
        auto moved = at;
        moved[i] = site;
        EXPECT_GE(p.total(moved), found * (1 - 1e-6)) << "seed " << seed << ", step " << i;
      }
  }
}

TEST(placement, tells_what_a_step_causes_and_where_each_copy_is_made) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    made_up from(seed);
    const auto p = from.problem(12, 3, true);
    const auto at = p.solve();
    double run = 0, copies = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      run += p.steps[i].run_s[at[i]];
      copies += p.copies_made_at(i, at);
      auto moved = at;
      moved[i] = p.steps[i].run_s[1] == impossible ? 0 : 1;
      const auto cost = [&](const places& where) {
        return p.steps[i].run_s[where[i]] + p.copies_because_of(i, where);
      };
      EXPECT_NEAR(cost(moved) - cost(at), p.total(moved) - p.total(at), 1e-9) << "seed " << seed;
    }
    EXPECT_NEAR(run + copies, p.total(at), 1e-9) << "seed " << seed;
  }
}

TEST(placement, keeps_rows_only_where_they_fit_and_nobody_else_reads_them) {
  placing_problem p;
  p.sites = {{}, {.latency_s = 0.1, .to_s = 1, .from_s = 1, .kept_bytes = 10}};
  const auto on_device = [](double bytes) {
    return step{
        .run_s = {100, 1}, .bytes = bytes, .resident_bytes = {}, .inputs = {}, .readers = {}};
  };
  p.steps = {on_device(5), on_device(20), on_device(5), on_device(1)};
  const auto read = [&](std::size_t producer, std::size_t reader) {
    p.steps[producer].readers.push_back({reader, false});
    p.steps[reader].inputs.push_back({producer, false});
  };
  read(0, 1);
  read(1, 2);
  read(2, 3);
  p.steps[3].run_s[1] = impossible;
  const auto at = p.solve();
  EXPECT_THAT(at, ::testing::ElementsAre(1u, 1u, 1u, 0u));
  EXPECT_TRUE(p.stays(0, at));
  EXPECT_FALSE(p.stays(1, at)) << "20 bytes don't fit";
  EXPECT_FALSE(p.stays(2, at)) << "read on the host";
}

}  // namespace
}  // namespace pappus::plan
