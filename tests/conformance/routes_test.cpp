// Loops over a join that is grouped by a key of its left records: what is kept from one iteration
// for the next changes no bit.
#include <cmath>
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>

#include "conformance/harness.h"

namespace pappus::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct edge {
  std::int32_t from, to;
  double weight;
};
struct vertex {
  std::int32_t key;
  std::int32_t iteration;
  double value;
};
struct received {
  std::int32_t to;
  double value;
};

constexpr std::int32_t many = 70'000;  // a table of as many sums exceeds a leaf's
constexpr max_iterations five{5};

std::vector<edge> random_edges(std::int64_t n, std::int32_t vertices, std::uint64_t seed) {
  random numbers(seed);
  std::vector<edge> edges(static_cast<std::size_t>(n));
  for (auto& e : edges)
    e = {static_cast<std::int32_t>(numbers.between(0, vertices - 1)),
         static_cast<std::int32_t>(numbers.between(0, numbers.between(0, vertices - 1))),
         numbers.real(-1, 1) * std::exp(numbers.real(-20, 20))};
  return edges;
}

std::vector<vertex> random_vertices(std::int32_t n) {
  random numbers(3);
  std::vector<vertex> all(static_cast<std::size_t>(n));
  for (std::int32_t i = 0; i < n; ++i)
    all[static_cast<std::size_t>(i)] = {i, 0, numbers.real(-1, 1)};
  return all;
}

bool always(std::span<const vertex>, std::span<const vertex>) { return true; }

/// What an iteration makes of the vertices and their sums.
vertex next_of(const vertex& v, double sum) {
  return {v.key, v.iteration + 1, 0.3 * v.value + 0.7 * std::tanh(sum)};
}
const auto next = [](const pair<vertex, keyed<std::int32_t, double>>& p) {
  return next_of(p.first, p.second.value);
};

/// The same sums by left(), and by a key that the join's function returns.
auto sums_by_left(const collection<edge>& edges, const collection<vertex>& now, domain keys) {
  return edges
      .join(now, &edge::from, &vertex::key,
            [](const edge& e, const vertex& v) { return e.weight * v.value; })
      .group_by(left(&edge::to), keys)
      .sum();
}
auto sums_by_record(const collection<edge>& edges, const collection<vertex>& now, domain keys) {
  return edges
      .join(now, &edge::from, &vertex::key,
            [](const edge& e, const vertex& v) { return received{e.to, e.weight * v.value}; })
      .group_by(&received::to, keys)
      .sum(&received::value);
}

template <typename Query>
auto rows_of(const Query& query) {
  return query.collect().to_vector();
}

template <typename T>
void expect_same_rows(const std::vector<T>& got, const std::vector<T>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  std::size_t different = 0;
  for (std::size_t i = 0; i < got.size(); ++i) different += same_bytes(got[i], expected[i]) ? 0 : 1;
  EXPECT_EQ(different, 0u);
}

constexpr auto by_left = [](const auto&... a) { return sums_by_left(a...); };
constexpr auto by_record = [](const auto&... a) { return sums_by_record(a...); };
constexpr auto stays = [](const collection<vertex>& now) { return now; };

/// Each iteration moves the vertices and sums over the links, sums(links, vertices, keys).
template <typename Sums, typename Move = decltype(stays)>
collection<vertex> loop_over(session& s, const collection<vertex>& start,
                             const collection<edge>& links, domain keys, Sums sums,
                             Move move = stays, max_iterations limit = five) {
  return s.do_while(
      start,
      [&](const collection<vertex>& now) {
        const collection<vertex> places = move(now);
        return places.zip(sums(links, places, keys)).map(next);
      },
      always, limit);
}

TEST(kept_routes, change_no_bit_of_a_loop) {
  for (const std::int32_t vertices : {1, 100, many})
    for (const std::int64_t n : {1, 1000, 1'400'000}) {  // of many: two leaves
      SCOPED_TRACE(::testing::Message() << vertices << " vertices, " << n << " edges");
      const auto edges = random_edges(up_to(n), vertices, 5);
      const auto all = random_vertices(vertices);
      for (const unsigned threads : {1u, 4u}) {
        session s(options{.threads = threads});
        const auto links = s.borrow(edges);
        const domain keys{vertices};
        const auto start = s.borrow(all);
        expect_same_rows(rows_of(loop_over(s, start, links, keys, by_left)),
                         rows_of(loop_over(s, start, links, keys, by_record)));
      }
    }
}

TEST(kept_routes, are_told_with_their_bytes) {
  const auto edges = random_edges(1000, many, 5);
  const auto all = random_vertices(many);
  session s;
  const auto links = s.borrow(edges);
  const auto routed = loop_over(s, s.borrow(all), links, domain{many}, by_left);
  EXPECT_THAT(routed.explain(),
              AllOf(HasSubstr("note: for the next iteration it keeps its index while keys stay the "
                              "same: about 1.6 MiB"),
                    HasSubstr("note: for the next iteration it keeps pairs and their groups while "
                              "they stay the same: about 281 KiB")));
  EXPECT_THAT(routed.explain_analyze(),
              HasSubstr("5 iterations; kept from one to the next: 281 KiB of join·group_by.sum"));
}

/// In the third iteration other vertices have the keys; before and afterwards nothing moves.
TEST(kept_routes, are_found_anew_when_keys_change) {
  const auto edges = random_edges(up_to(300'000), many, 6);
  const auto all = random_vertices(many);
  const auto moves = [](const collection<vertex>& now) -> collection<vertex> {
    return now.map([](const vertex& v) {
      return vertex{v.iteration == 2 ? (v.key + 12'345) % many : v.key, v.iteration, v.value};
    });
  };
  session s(options{.threads = 3});
  const auto links = s.borrow(edges);
  const domain keys{many};
  for (const bool shuffled : {false, true}) {  // or keys are consecutive at first
    const auto start =
        shuffled ? s.borrow(all).sort_by([](const vertex& v) { return v.value; }).materialise()
                 : collection<vertex>(s.borrow(all));
    const max_iterations six{6};
    expect_same_rows(rows_of(loop_over(s, start, links, keys, by_left, moves, six)),
                     rows_of(loop_over(s, start, links, keys, by_record, moves, six)));
  }
}

TEST(kept_routes, are_given_up_where_keys_change_in_each_iteration) {
  const auto edges = random_edges(up_to(200'000), many, 7);
  const auto all = random_vertices(many);
  const auto moves = [](const collection<vertex>& now) -> collection<vertex> {
    return now.map(
        [](const vertex& v) { return vertex{(v.key + 1001) % many, v.iteration, v.value}; });
  };
  session s;
  const auto links = s.borrow(edges);
  const auto routed = loop_over(s, s.borrow(all), links, domain{many}, by_left, moves);
  const auto plain = loop_over(s, s.borrow(all), links, domain{many}, by_record, moves);
  expect_same_rows(rows_of(routed), rows_of(plain));
  EXPECT_THAT(routed.explain_analyze(), Not(HasSubstr("kept")));
}

/// Labels spread to the least; right keys repeat, and some edges have no match.
TEST(kept_routes, serve_exact_reducers_and_right_keys_that_repeat) {
  struct label {
    std::int64_t key, least;
  };
  const auto edges = random_edges(up_to(250'000), many, 8);
  std::vector<label> labels(static_cast<std::size_t>(many));
  for (std::int32_t i = 0; i < many; ++i)
    labels[static_cast<std::size_t>(i)] = {
        i % 50'000 * 2, i * 7919LL % many};  // some twice, some beyond, odd ones missing
  session s(options{.threads = 3});
  const auto links = s.borrow(edges);
  const domain keys{many};
  const auto from = [](const edge& e) { return std::int64_t{e.from}; };
  const auto step = [](const pair<label, keyed<std::int32_t, std::int64_t>>& p) {
    return label{p.first.key, p.first.least * 3 / 4 + p.second.value % 1000};
  };
  const auto go_on = [](std::span<const label>, std::span<const label>) { return true; };
  const auto loop_over_labels = [&](auto sums) {
    return rows_of(s.do_while(
        s.borrow(labels),
        [&](const collection<label>& now) { return now.zip(sums(now)).map(step); }, go_on, five));
  };
  const auto routed = loop_over_labels([&](const collection<label>& now) {
    return links
        .left_join(now, from, &label::key,
                   [](const edge& e, const label* l) {
                     return l == nullptr ? -std::int64_t{e.from} : l->least;
                   })
        .group_by(left(&edge::to), keys)
        .sum();
  });
  struct told {
    std::int32_t to;
    std::int64_t least;
  };
  const auto plain = loop_over_labels([&](const collection<label>& now) {
    return links
        .left_join(now, from, &label::key,
                   [](const edge& e, const label* l) {
                     return told{e.to, l == nullptr ? -std::int64_t{e.from} : l->least};
                   })
        .group_by(&told::to, keys)
        .sum(&told::least);
  });
  expect_same_rows(routed, plain);
}

/// Two joins with one state, one of them behind a filter: only the other is routed.
TEST(kept_routes, serve_loops_of_two_joins) {
  using totals = keyed<std::int32_t, double>;
  const auto edges = random_edges(up_to(200'000), many, 9);
  const auto all = random_vertices(many);
  session s(options{.threads = 2});
  const auto links = s.borrow(edges);
  const domain keys{many};
  const auto make = [&](auto sums) {
    return s.do_while(
        s.borrow(all),
        [&](const collection<vertex>& now) {
          const auto light = links.filter([](const edge& e) { return e.weight < 0; })
                                 .join(now, &edge::from, &vertex::key,
                                       [](const edge& e, const vertex& v) {
                                         return received{e.to, e.weight + v.value};
                                       })
                                 .group_by(&received::to, keys)
                                 .sum(&received::value);
          return now.zip(sums(links, now, keys).zip(light))
              .map([](const pair<vertex, pair<totals, totals>>& p) {
                return next_of(p.first, p.second.first.value + p.second.second.value);
              });
        },
        always, five);
  };
  expect_same_rows(rows_of(make(by_left)), rows_of(make(by_record)));
}

TEST(kept_routes, go_when_memory_is_short) {
  const auto edges = random_edges(up_to(400'000), many, 10);
  const auto all = random_vertices(many);
  const auto run = [&](auto sums, std::size_t memory) {
    session s(options{.threads = 2, .host_memory = memory});
    const auto links = s.borrow(edges);
    return rows_of(loop_over(s, s.borrow(all), links, domain{many}, sums));
  };
  const auto expected = run(by_record, 0);
  std::size_t worked = 0;
  for (std::size_t memory = 4 << 20; memory <= 24 << 20; memory += 1 << 20) {
    SCOPED_TRACE(memory);
    bool fits = true;
    try {
      (void)run(by_record, memory);
    } catch (const memory_error&) {
      fits = false;
    }
    if (!fits) continue;
    ++worked;
    expect_same_rows(run(by_left, memory), expected);
  }
  EXPECT_GT(worked, 0u);
}

/// Without a loop, and where groups aren't known, it is a key as any other.
TEST(left_keys, group_as_keys_of_the_combined_record_do) {
  for (const std::int64_t n : {1, 5000, 100'000}) {
    SCOPED_TRACE(n);
    const auto edges = random_edges(up_to(n), 1000, 11);
    const auto all = random_vertices(900);
    for (const auto& setting : settings()) {
      SCOPED_TRACE(setting);
      session s(setting.as_options());
      const auto by_left =
          s.borrow(edges)
              .join(s.borrow(all), &edge::from, &vertex::key,
                    [](const edge& e, const vertex& v) { return e.weight * v.value; })
              .group_by(left(&edge::to));
      const auto by_record = s.borrow(edges)
                                 .join(s.borrow(all), &edge::from, &vertex::key,
                                       [](const edge& e, const vertex& v) {
                                         return received{e.to, e.weight * v.value};
                                       })
                                 .group_by(&received::to);
      const auto keys = [](const auto& groups) { return rows_of(groups.keys()); };
      expect_same_rows(keys(by_left), keys(by_record));
      const auto least = rows_of(by_left.min().values());
      expect_same_rows(least, rows_of(by_record.min(&received::value).values()));
      const auto counts = rows_of(by_left.count().values());
      expect_same_rows(counts, rows_of(by_record.count().values()));
    }
  }
}

}  // namespace
}  // namespace pappus::testing
