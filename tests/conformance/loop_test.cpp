#include <array>
#include <atomic>
#include <cmath>

#include "conformance/harness.h"

namespace pappus::testing {
namespace {

struct link {
  int from, to;
};
struct rank {
  int page, degree;
  double value;
};
struct share {
  int page;
  double value;
};

bool changed(std::span<const double> before, std::span<const double> after) {
  double most = 0;
  for (std::size_t i = 0; i < after.size(); ++i)
    most = std::max(most, std::abs(after[i] - before[i]));
  return most > 1e-6;
}

double relaxed(double x, double target) { return x + (target - x) / 4; }

TEST(do_while, iterates_until_the_condition_fails) {
  const std::vector<double> start{100, -3, 0.5}, targets{1, 2, 3};
  std::vector<double> expected = start;
  for (bool more = true; more;) {
    const auto before = expected;
    for (std::size_t i = 0; i < expected.size(); ++i)
      expected[i] = relaxed(expected[i], targets[i]);
    more = changed(before, expected);
  }
  expect_rows(expected, [&](session& s) {
    const auto to = s.from(targets);
    return s.do_while(
        s.from(start),
        [&](auto state) {
          return state.zip(to).map(
              [](const pair<double, double>& p) { return relaxed(p.first, p.second); });
        },
        changed);
  });
}

TEST(do_while, calls_the_body_once_and_runs_it_at_least_once) {
  session s;
  int calls = 0;
  const auto loop = s.do_while(
      s.from(std::vector<int>{1, 2}),
      [&](auto state) {
        ++calls;
        return state.map([](int x) { return 2 * x; });
      },
      [](std::span<const int>, std::span<const int>) { return false; });
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(loop.collect().to_vector(), (std::vector<int>{2, 4}));
  EXPECT_EQ(loop.collect().to_vector(), (std::vector<int>{2, 4}));
  EXPECT_EQ(calls, 1);
}

TEST(do_while, runs_nothing_before_its_result_is_asked_for) {
  session s;
  std::atomic<int> runs{0};
  const auto loop = s.do_while(
      s.from(std::vector<int>{1}),
      [&](auto state) {
        return state.map([&runs](int x) {
          ++runs;
          return x;
        });
      },
      [](std::span<const int>, std::span<const int>) { return false; });
  const auto text = loop.explain();
  EXPECT_EQ(runs, 0);
  EXPECT_NE(text.find("do_while"), std::string::npos);
  EXPECT_NE(text.find("each of ≥ 1 iterations:"), std::string::npos);
  EXPECT_NE(text.find("state: 1"), std::string::npos);
  loop.collect();
  EXPECT_EQ(runs, 1);
}

TEST(do_while, stops_at_the_iteration_limit) {
  session s;
  const auto loop = [&](std::int64_t limit) {
    return s.do_while(
        s.from(std::vector<int>{0}),
        [](auto state) { return state.map([](int x) { return x + 1; }); },
        [](std::span<const int>, std::span<const int>) { return true; }, max_iterations{limit});
  };
  EXPECT_EQ(loop(1).collect()[0], 1);
  EXPECT_EQ(loop(1000).collect()[0], 1000);
  EXPECT_THROW(loop(0), usage_error);
}

TEST(do_while, lets_the_state_change_its_length) {
  std::vector<int> start(1000);
  for (int i = 0; i < 1000; ++i) start[static_cast<std::size_t>(i)] = i;
  std::vector<int> expected{0, 512};
  expect_rows(expected, [&](session& s) {
    return s.do_while(
        s.from(start),
        [](auto state) {
          return state.enumerate()
              .filter([](const indexed<int>& x) { return x.index % 2 == 0; })
              .map([](const indexed<int>& x) { return x.value; });
        },
        [](std::span<const int>, std::span<const int> after) { return after.size() > 2; });
  });
}

TEST(do_while, accepts_an_empty_state) {
  expect_rows(std::vector<int>{}, [](session& s) {
    return s.do_while(
        s.from(std::vector<int>{}), [](auto state) { return state.map([](int x) { return x; }); },
        [](std::span<const int> before, std::span<const int> after) {
          return before.size() + after.size() > 0;
        });
  });
}

TEST(do_while, computes_what_does_not_depend_on_the_state_once) {
  session s(options{.threads = 2});
  std::atomic<int> runs{0};
  const auto table = s.range(0, 100).map([&runs](int x) {
    ++runs;
    return x;
  });
  const auto fixed = table.materialise();
  const auto loop = s.do_while(
      s.from(std::vector<int>{5}),
      [&](auto state) {
        return state.join(
            fixed, [](int x) { return x; }, [](int x) { return x; },
            [](int a, int b) { return (a + b) % 50 + 1; });
      },
      [](std::span<const int>, std::span<const int>) { return true; }, max_iterations{20});
  int expected = 5;
  for (int i = 0; i < 20; ++i) expected = 2 * expected % 50 + 1;
  EXPECT_EQ(loop.collect()[0], expected);
  EXPECT_EQ(runs, 100);
}

TEST(do_while, ignores_cache_on_what_depends_on_the_state) {
  session s;
  const auto loop = s.do_while(
      s.from(std::vector<int>{1}),
      [](auto state) { return state.map([](int x) { return x * 3; }).cache(); },
      [](std::span<const int>, std::span<const int> after) { return after[0] < 100; });
  EXPECT_EQ(loop.collect()[0], 243);
  EXPECT_EQ(loop.collect()[0], 243);
}

TEST(do_while, can_be_nested_and_see_the_outer_state) {
  // Outer: x -> the first power of 2 * x at or above x * x, doubling in an inner loop.
  const std::vector<std::int64_t> start{3};
  std::int64_t expected = 3;
  for (int i = 0; i < 3; ++i) {
    std::int64_t inner = expected;
    do inner += expected;
    while (inner < 10 * expected);
    expected = inner;
  }
  expect_rows(std::vector<std::int64_t>{expected}, [&](session& s) {
    return s.do_while(
        s.from(start),
        [&](auto outer) {
          return s.do_while(
              outer,
              [&](auto inner) {
                return inner.map(
                    [](std::int64_t x, std::span<const std::int64_t> o) { return x + o[0]; },
                    outer.shared());
              },
              [first = std::make_shared<std::int64_t>(0)](std::span<const std::int64_t> before,
                                                          std::span<const std::int64_t> after) {
                if (after[0] == 2 * before[0]) *first = before[0];
                return after[0] < 10 * *first;
              });
        },
        [](std::span<const std::int64_t>, std::span<const std::int64_t>) { return true; },
        max_iterations{3});
  });
}

TEST(do_while, returns_a_state_the_body_does_not_touch) {
  const std::vector<int> start{4, 5, 6}, other{7};
  const auto once = [](std::span<const int>, std::span<const int>) { return false; };
  expect_rows(start, [&](session& s) {
    return s.do_while(s.from(start), [](auto state) { return state; }, once);
  });
  expect_rows(other, [&](session& s) {
    const auto rows = s.from(other);
    return s.do_while(s.from(start), [&](auto) { return rows; }, once);
  });
}

TEST(do_while, passes_on_exceptions_of_body_and_condition) {
  session s(options{.threads = 2});
  const auto loop = [&](bool in_body) {
    return s.do_while(
        s.from(std::vector<int>{0}),
        [&](auto state) {
          return state.map([in_body](int x) {
            if (in_body && x == 5) throw std::out_of_range("body");
            return x + 1;
          });
        },
        [](std::span<const int>, std::span<const int> after) {
          if (after[0] == 9) throw std::length_error("condition");
          return true;
        });
  };
  EXPECT_THROW(loop(true).collect(), std::out_of_range);
  EXPECT_THROW(loop(false).collect(), std::length_error);
}

TEST(do_while, can_be_cancelled_between_iterations) {
  session s(options{.threads = 2});
  int iterations = 0;
  const auto loop = s.do_while(
      s.from(std::vector<int>{0}), [](auto state) { return state.map([](int x) { return x; }); },
      [&](std::span<const int>, std::span<const int>) {
        if (++iterations == 3) s.cancel();
        return true;
      });
  EXPECT_THROW(loop.collect(), cancelled);
  EXPECT_EQ(iterations, 3);
}

TEST(do_while, holds_two_states_at_a_time) {
  session s(options{.threads = 2, .host_memory = std::size_t{64} << 20});
  const std::int64_t n = 1 << 20;  // 8 MiB a state
  const auto loop = s.do_while(
      s.range<std::int64_t>(0, n),
      [](auto state) { return state.map([](std::int64_t x) { return x + 1; }); },
      [](std::span<const std::int64_t>, std::span<const std::int64_t> after) {
        return after[0] < 100;
      });
  EXPECT_EQ(loop.sum().get(), n * (n - 1) / 2 + 100 * n);
}

TEST(do_while, names_a_state_that_escaped_its_loop) {
  session s;
  std::vector<collection<int>> escaped;
  s.do_while(
      s.from(std::vector<int>{0}),
      [&](auto state) {
        escaped.push_back(state);
        return state;
      },
      [](std::span<const int>, std::span<const int>) { return false; });
  try {
    escaped[0].collect();
    FAIL() << "no error";
  } catch (const usage_error& e) {
    EXPECT_STREQ(e.what(),
                 "do_while: the state was used outside the loop's body; return what is needed from "
                 "the body, or use the result of do_while");
  }
}

TEST(do_while, computes_page_rank_as_sequential_code_does) {
  random r(20);
  static constexpr int pages = 500, steps = 5;
  std::vector<link> links;
  for (int i = 0; i < 20'000; ++i)
    links.push_back({static_cast<int>(r.between(0, pages - 1)),
                     static_cast<int>(r.between(0, pages - 1) * r.between(0, pages - 1) / pages)});
  std::vector<rank> ranks(pages);
  for (int i = 0; i < pages; ++i) ranks[static_cast<std::size_t>(i)] = {i, 0, 1.0 / pages};
  for (const auto& l : links) ++ranks[static_cast<std::size_t>(l.from)].degree;
  const auto start = ranks;
  for (int step = 0; step < steps; ++step) {
    std::vector<double> sums(pages, 0);
    for (const auto& l : links) {
      const auto& from = ranks[static_cast<std::size_t>(l.from)];
      sums[static_cast<std::size_t>(l.to)] += from.value / from.degree;
    }
    for (auto& page : ranks)
      page.value = 0.15 / pages + 0.85 * sums[static_cast<std::size_t>(page.page)];
  }
  session s(options{.threads = 3});
  const auto edges = s.from(links);
  const auto fixed = s.from(start);
  const auto result = s.do_while(
      fixed,
      [&](auto state) {
        const auto sums = edges
                              .join(state, &link::from, &rank::page,
                                    [](const link& l, const rank& from) {
                                      return share{l.to, from.value / from.degree};
                                    })
                              .group_by(&share::page, domain{pages})
                              .sum(&share::value);
        return fixed.zip(sums).map([](const auto& both) {
          return rank{both.first.page, both.first.degree, 0.15 / pages + 0.85 * both.second.value};
        });
      },
      [](std::span<const rank>, std::span<const rank>) { return true; }, max_iterations{steps});
  const auto rows = result.collect();
  ASSERT_EQ(rows.size(), ranks.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    EXPECT_NEAR(rows[i].value, ranks[i].value, 1e-12) << "page " << i;
}

struct point {
  std::array<double, 2> x;
};
struct mean_point {
  point sum{};
  double count = 0;
  void accumulate(const point& p) {
    sum.x[0] += p.x[0];
    sum.x[1] += p.x[1];
    ++count;
  }
  void merge(const mean_point& other) {
    sum.x[0] += other.sum.x[0];
    sum.x[1] += other.sum.x[1];
    count += other.count;
  }
  point finalize() const { return {{sum.x[0] / count, sum.x[1] / count}}; }
};

int nearest(const point& p, std::span<const point> centers) {
  int best = 0;
  double least = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < centers.size(); ++i) {
    const double dx = p.x[0] - centers[i].x[0], dy = p.x[1] - centers[i].x[1];
    if (dx * dx + dy * dy < least) {
      least = dx * dx + dy * dy;
      best = static_cast<int>(i);
    }
  }
  return best;
}

TEST(do_while, clusters_points_as_sequential_code_does) {
  random r(21);
  constexpr int k = 4;
  std::vector<point> points;
  for (int i = 0; i < 5000; ++i) points.push_back({{r.real(0, 1) + i % k, r.real(0, 1)}});
  const auto moved = [](std::span<const point> before, std::span<const point> after) {
    double most = 0;
    for (std::size_t i = 0; i < after.size(); ++i)
      most = std::max(most, std::abs(after[i].x[0] - before[i].x[0]));
    return most > 1e-6;
  };
  std::vector<point> centers(points.begin(), points.begin() + k);
  for (bool more = true; more;) {
    const auto before = centers;
    std::vector<mean_point> means(k);
    for (const auto& p : points) means[static_cast<std::size_t>(nearest(p, before))].accumulate(p);
    for (int i = 0; i < k; ++i)
      centers[static_cast<std::size_t>(i)] = means[static_cast<std::size_t>(i)].finalize();
    more = moved(before, centers);
  }
  session s(options{.threads = 2});
  const auto data = s.from(points);
  const auto result = s.do_while(
      data.take(k),
      [&](auto state) {
        return data.group_by(fn<nearest>, state.shared(), domain{k})
            .template reduce<mean_point>()
            .values();
      },
      moved);
  const auto rows = result.collect();
  ASSERT_EQ(rows.size(), centers.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t d = 0; d < 2; ++d) EXPECT_NEAR(rows[i].x[d], centers[i].x[d], 1e-9);
}

}  // namespace
}  // namespace pappus::testing
