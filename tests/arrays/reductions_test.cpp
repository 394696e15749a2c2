// Launches that reduce, against the rule of where leaves are cut (leaf_reference.h): the same bits
// for any number of threads.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "leaf_reference.h"
#include "pappus/pappus.h"

namespace pappus {
namespace {

using regions::point;
using testing::in_index_order;
using testing::leaf_by_leaf;
using testing::leaves_of;
using testing::states_of;
using testing::sums;
using testing::uneven_numbers;

regions::box all_of(std::initializer_list<std::int64_t> extents) {
  regions::box result(extents.size());
  std::copy(extents.begin(), extents.end(), result.high.begin());
  return result;
}

template <typename T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// \param run  session → the elements of what it reduced into
template <typename T, typename Run>
void expect_for_any_threads(const std::vector<T>& expected, Run run) {
  for (unsigned threads = 1; threads <= 8; ++threads) {
    session s({.threads = threads, .devices = "cpu"});
    const std::vector<T> got = run(s);
    EXPECT_TRUE(same_bits(got, expected)) << threads << " threads";
  }
}

/// Where the multiplicative hash of a number falls.
std::int64_t bin_of(std::int64_t i, std::int64_t bins) {
  return static_cast<std::int64_t>(static_cast<std::uint32_t>(i) * 2654435761U) % bins;
}

TEST(reductions, of_a_total_are_merged_by_eights) {
  const auto add = [](idx<1> i, reads<float> x, reduces<float> total) { total[0] += x[i]; };
  for (const std::int64_t n : {0, 1, 2, 63, 127, 128, 129, 511, 4096, 4097, 70'001}) {
    const auto x = uneven_numbers(n);
    const auto expected =
        n == 0 ? std::vector{3.5F}
               : leaf_by_leaf<sums<float>>(std::vector{3.5F}, all_of({n}), 1, 1,
                                           [&](const point& i, auto& to) { to[0] += x[i[0]]; });
    expect_for_any_threads(expected, [&](session& s) {
      const auto in = s.to_array(x), total = s.filled<float>({1}, 3.5F);
      s.for_each({n}, add, in, total);
      return total.to_vector();
    });
  }
}

TEST(reductions, of_a_million_numbers_differ_from_one_long_chain) {
  constexpr std::int64_t n = 1'000'003;
  const auto x = uneven_numbers(n);
  const auto body = [&](const point& i, auto& to) { to[0] += x[i[0]]; };
  const auto expected = leaf_by_leaf<sums<float>>(std::vector{0.0F}, all_of({n}), 1, 1, body);
  EXPECT_NE(expected, in_index_order(std::vector{0.0F}, all_of({n}), n, body));
  for (const unsigned threads : {1, 5}) {
    session s({.threads = threads, .devices = "cpu"});
    const auto in = s.to_array(x), total = s.zeros<float>({1});
    s.for_each(
        {n}, [](idx<1> i, reads<float> from, reduces<float> to) { to[0] += from[i]; }, in, total);
    EXPECT_TRUE(same_bits(total.to_vector(), expected));
  }
}

TEST(reductions, are_the_same_however_it_is_known_what_they_touch) {
  constexpr std::int64_t n = 5000;
  const auto x = uneven_numbers(n);
  const auto add = [](idx<1> i, reads<float> from, reduces<float> to) { to[0] += from[i]; };
  session s({.threads = 3, .devices = "cpu"});
  const auto in = s.to_array(x);
  const auto assumed = s.zeros<float>({1}), annotated_with = s.zeros<float>({1});
  const auto how = s.zeros<float>({1}), given = s.zeros<float>({1});
  s.for_each({n}, add, in, assumed);
  s.for_each({n}, annotated(add, "x, total: global i => read x[i], reduce total[0]"), in,
             annotated_with);
  s.for_each({n}, annotated(add, "x, total: global i => read x[i], reduce(+) total"), in, how);
  const auto [i] = launch_index<1>();
  s.for_each({n}, add, in.at(i), given.at(0));
  EXPECT_TRUE(same_bits(assumed.to_vector(), annotated_with.to_vector()));
  EXPECT_TRUE(same_bits(assumed.to_vector(), how.to_vector()));
  EXPECT_TRUE(same_bits(assumed.to_vector(), given.to_vector()));
}

TEST(reductions, go_into_bins_that_depend_on_data) {
  constexpr std::int64_t n = 30'000, bins = 37;
  std::vector<int> at(n);
  for (std::int64_t i = 0; i < n; ++i) at[i] = static_cast<int>(bin_of(i, bins));
  const auto x = uneven_numbers(n);
  const auto weights =
      leaf_by_leaf<sums<float>>(std::vector<float>(bins, 1.25F), all_of({n}), 2 * bins, bins,
                                [&](const point& i, auto& to) { to[at[i[0]]] += x[i[0]]; });
  std::vector<std::int16_t> counts(bins, 32'000);  // they wrap
  for (const auto b : at) counts[b] = static_cast<std::int16_t>(counts[b] + 7);
  expect_for_any_threads(weights, [&](session& s) {
    const auto weight = s.filled<float>({bins}, 1.25F);
    const auto count = s.filled<std::int16_t>({bins}, 32'000);
    s.for_each({n},
               annotated(
                   [](idx<1> i, reads<int> bin, reads<float> in, reduces<float> w,
                      reduces<std::int16_t> c) {
                     w[bin[i]] += in[i];
                     c[bin[i]] += 7;
                   },
                   "bin, in, w, c: global i => read bin[i], read in[i], reduce w, reduce c"),
               s.to_array(at), s.to_array(x), weight, count);
    EXPECT_EQ(count.to_vector(), counts);
    return weight.to_vector();
  });
}

TEST(reductions, leave_elements_as_they_are_into_which_nothing_comes) {
  session s({.threads = 2, .devices = "cpu"});
  const auto total = s.filled<double>({8}, -0.0);
  const auto low = s.filled<double>({8}, std::nan("7"));
  s.for_each(
      {10'000},
      [](idx<1> i, reduces<double> sum, reduces<smallest<double>> least) {
        if (i % 3 == 0) {
          sum[i % 4] += -0.0;
          least[i % 4].accumulate(std::numeric_limits<double>::quiet_NaN());
        }
      },
      total, low);
  EXPECT_TRUE(same_bits(total.to_vector(), std::vector<double>(8, -0.0)));
  EXPECT_TRUE(same_bits(low.to_vector(), std::vector<double>(8, std::nan("7"))));
}

/// The greatest, the smallest, and how often the float that was the greatest so far changed.
struct climb {
  float low = INFINITY, high = -INFINITY, total = -0.0F;
  int steps = 0;
  void accumulate(float x) {
    low = std::min(low, x);
    if (x > high) ++steps;
    high = std::max(high, x);
    total += x;
  }
  void merge(const climb& other) {
    low = std::min(low, other.low);
    if (other.high > high) steps += other.steps;
    high = std::max(high, other.high);
    total += other.total;
  }
};

TEST(reductions, take_reducers_and_finalise_them) {
  constexpr std::int64_t n = 20'001;
  const auto x = uneven_numbers(n);
  const auto climbs = leaf_by_leaf<states_of<climb>>(
      std::vector<climb>(2), all_of({n}), 4, 2,
      [&](const point& i, auto& to) { to[i[0] % 2].accumulate(x[i[0]]); });
  const auto means = leaf_by_leaf<states_of<reducers::mean<float>>>(
      std::vector<reducers::mean<float>>(1), all_of({n}), 4, 1,
      [&](const point& i, auto& to) { to[0].accumulate(x[i[0]]); });
  expect_for_any_threads(climbs, [&](session& s) {
    const auto climbing = s.filled<climb>({2}, {});
    const auto mean = s.zeros<reducers::mean<float>>({1});
    const auto count = s.zeros<reducers::count>({1});
    s.for_each(
        {n},
        [](idx<1> i, reads<float> in, reduces<climb> c, reduces<reducers::mean<float>> m,
           reduces<reducers::count> k) {
          c[i % 2].accumulate(in[i]);
          m[0].accumulate(in[i]);
          k[0].accumulate(in[i]);
        },
        s.to_array(x), climbing, mean, count);
    EXPECT_TRUE(same_bits(mean.to_vector(), std::vector<double>{means[0].finalize()}));
    EXPECT_EQ(count.to_vector(), std::vector<std::int64_t>{n});
    EXPECT_EQ(count.host()[0].n, n);
    return climbing.to_vector();
  });
}

TEST(reductions, of_bools_are_finalised_too) {
  session s({.threads = 2, .devices = "cpu"});
  const auto any = s.filled<reducers::any, 2>({2, 3}, {});
  s.for_each(
      {9000},
      [](idx<1> i, reduces<reducers::any, 2> to) {
        to(i % 2, i % 3).accumulate(i % 6 == 0 || i == 4321);
      },
      any);
  EXPECT_THAT(any.to_vector(), ::testing::ElementsAre(true, false, false, false, true, false));
}

using coldest = reducers::argmin<float, std::int32_t>;  // and when
using hottest = reducers::argmax<double, std::int64_t>;

TEST(reductions, keep_what_was_greatest_and_least_at_any_place) {
  constexpr std::int64_t n = 20'001, places = 35;
  const auto x = uneven_numbers(n);
  std::vector<coldest> cold(places, coldest(0, -1));
  std::vector<hottest> hot(1);
  for (std::int64_t i = 0; i < n; ++i) {
    cold[static_cast<std::size_t>(bin_of(i, places))].accumulate(x[static_cast<std::size_t>(i)],
                                                                 static_cast<std::int32_t>(i));
    hot[0].accumulate(x[static_cast<std::size_t>(i)], i);
  }
  std::vector<reducers::extreme<float, std::int32_t>> expected;
  for (const auto& one : cold) expected.push_back(one.finalize());
  expect_for_any_threads(expected, [&](session& s) {
    const auto least = s.filled<coldest, 2>({5, 7}, {0, -1});
    const auto most = s.filled<hottest>({1}, {});
    s.for_each(
        {n},
        [](idx<1> i, reads<float> x, reduces<coldest, 2> least, reduces<hottest> most) {
          const auto place = bin_of(i, 35);
          least(place / 7, place % 7).accumulate(x[i], static_cast<std::int32_t>(i));
          most[0].accumulate(x[i], i);
        },
        s.to_array(x), least, most);
    EXPECT_EQ(most.to_vector().front(), hot.front().finalize());
    return least.to_vector();
  });
}

template <typename Kind, typename How, typename T>
void expect_extreme(const std::vector<T>& x, T held) {
  const auto n = static_cast<std::int64_t>(x.size());
  const auto expected =
      leaf_by_leaf<How>(std::vector<T>(3, held), all_of({n}), 3, 3,
                        [&](const point& i, auto& to) { How::merge(to[i[0] * 3 / n], x[i[0]]); });
  expect_for_any_threads(expected, [&](session& s) {
    const auto out = s.filled<T>({3}, held);
    s.for_each(
        {n}, [n](idx<1> i, reads<T> in, reduces<Kind> to) { to[i * 3 / n].accumulate(in[i]); },
        s.to_array(x), out);
    return out.to_vector();
  });
}

TEST(reductions, find_the_smallest_and_the_largest_with_nan_above_all) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> x(3000);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = i < 1000 || i % 7 == 0 ? nan : (i % 2 == 0 ? 0.0 : -0.0) + static_cast<double>(i / 1500);
  for (const double held : {nan, 0.5, -0.0, std::numeric_limits<double>::infinity()}) {
    expect_extreme<smallest<double>, testing::smallest_ones<double>>(x, held);
    expect_extreme<largest<double>, testing::largest_ones<double>>(x, held);
  }
  std::erase_if(x, [](double one) { return one != one; });
  expect_extreme<largest<double>, testing::largest_ones<double>>(x, -2.0);
}

// Grids.

TEST(reductions, of_many_rows_come_in_the_order_of_the_indices) {
  const auto add = [](idx<2> p, reads<float, 2> in, reduces<float> to) { to[p[0]] += in[p]; };
  const char* text = "in, to: global [i,j] => read in[i,j], reduce to[i]";
  for (const auto& [n, m] :
       {std::pair{64L, 300L}, {71L, 1L}, {10L, 3000L}, {1L, 5000L}, {70L, 700L}}) {
    const auto x = uneven_numbers(n * m);
    const auto body = [&, m = m](const point& p, auto& to) { to[p[0]] += x[p[0] * m + p[1]]; };
    const std::vector<float> held(static_cast<std::size_t>(n), 0.75F);
    const auto expected = n >= 64 ? in_index_order(held, all_of({n, m}), 1, body)
                                  : leaf_by_leaf<sums<float>>(held, all_of({n, m}), n, 1, body);
    expect_for_any_threads(expected, [&, n = n, m = m](session& s) {
      const auto out = s.filled<float>({n}, 0.75F);
      s.for_each({n, m}, annotated(add, text), s.to_array<2>(x, {n, m}), out);
      return out.to_vector();
    });
  }
}

/// Forgets: values in another order come to another state.
struct fading {
  double value = 0;
  void accumulate(float x) { value = value * 0.75 + static_cast<double>(x); }
  void merge(const fading& later) { value = value * 0.5 + later.value; }
};
struct fading_ones {
  static fading none() { return {}; }
  static void merge(fading& to, const fading& from) { to.merge(from); }
};

TEST(reductions, of_rows_dont_change_the_order_of_others) {
  constexpr std::int64_t n = 90, m = 701;  // no multiple of the lanes
  const auto x = uneven_numbers(n * m);
  const auto of_rows =
      leaf_by_leaf<sums<float>>(std::vector<float>(n, 0.25F), all_of({n, m}), n + 1, 1,
                                [&](const point& p, auto& to) { to[p[0]] += x[p[0] * m + p[1]]; });
  const auto all = leaf_by_leaf<fading_ones>(
      std::vector<fading>(1), all_of({n, m}), n + 1, 1,
      [&](const point& p, auto& to) { to[0].accumulate(x[p[0] * m + p[1]]); });
  expect_for_any_threads(of_rows, [&](session& s) {
    const auto to = s.filled<float>({n}, 0.25F);
    const auto faded = s.filled<fading>({1}, {});
    s.for_each({n, m},
               annotated(
                   [](idx<2> p, reads<float, 2> in, reduces<float> rows, reduces<fading> all) {
                     rows[p[0]] += in[p];
                     all[0].accumulate(in[p]);
                   },
                   "in, rows, all: global [i,j] => read in[i,j], reduce rows[i], reduce all[0]"),
               s.to_array<2>(x, {n, m}), to, faded);
    EXPECT_EQ(faded.to_vector()[0].value, all[0].value);
    return to.to_vector();
  });
}

TEST(reductions, of_columns_come_in_the_order_of_the_rows) {
  const auto add = [](idx<2> p, reads<float, 2> in, reduces<float> to) { to[p[1]] += in[p]; };
  for (const auto& [n, m] : {std::pair{300L, 67L}, {3001L, 5L}, {1L, 200L}, {3L, 16'200L}}) {
    const auto x = uneven_numbers(n * m);
    const auto body = [&, m = m](const point& p, auto& to) { to[p[1]] += x[p[0] * m + p[1]]; };
    const std::vector<float> held(static_cast<std::size_t>(m), -1);
    // Not cut into strips of less than 256 columns, unless there is one row.
    const bool straight = (n == 1 ? m : (m + 255) / 256) >= 64;
    const auto expected = straight ? in_index_order(held, all_of({n, m}), m, body)
                                   : leaf_by_leaf<sums<float>>(held, all_of({n, m}), m, m, body);
    expect_for_any_threads(expected, [&, n = n, m = m](session& s) {
      const auto out = s.filled<float>({m}, -1);
      const auto [i, j] = launch_index<2>();
      s.for_each({n, m}, add, s.to_array<2>(x, {n, m}).at(i, j), out.at(j));
      return out.to_vector();
    });
  }
}

TEST(reductions, of_a_matrix_product_come_in_the_order_of_k) {
  const auto multiply = [](idx<3> p, reads<float, 2> a, reads<float, 2> b, reduces<float, 2> c) {
    c(p[0], p[2]) += a(p[0], p[1]) * b(p[1], p[2]);
  };
  const char* text = "a, b, c: global [i,k,j] => read a[i,k], read b[k,j], reduce c[i,j]";
  for (const auto& [n, l, m] : {std::array{9L, 33L, 8L}, std::array{3L, 900L, 5L},
                                std::array{1L, 5000L, 1L}, std::array{64L, 7L, 3L}}) {
    const auto x = uneven_numbers(n * l, 3), y = uneven_numbers(l * m, 4);
    const auto body = [&, l = l, m = m](const point& p, auto& to) {
      const float product = x[p[0] * l + p[1]] * y[p[1] * m + p[2]];
      to[p[0] * m + p[2]] += product;
    };
    const std::vector<float> held(static_cast<std::size_t>(n * m), 0.0F);
    const auto indices = all_of({n, l, m});
    const auto expected = n >= 64 ? in_index_order(held, indices, m, body)
                                  : leaf_by_leaf<sums<float>>(held, indices, n * m, m, body);
    expect_for_any_threads(expected, [&, n = n, l = l, m = m](session& s) {
      const auto c = s.zeros<float, 2>({n, m});
      s.for_each({n, l, m}, annotated(multiply, text), s.to_array<2>(x, {n, l}),
                 s.to_array<2>(y, {l, m}), c);
      return c.to_vector();
    });
  }
}

TEST(reductions, of_several_shapes_are_merged_where_they_meet) {
  constexpr std::int64_t n = 12, m = 180, l = 40;
  const auto x = uneven_numbers(n * m * l);
  const auto value = [&](const point& p) { return x[(p[0] * m + p[1]) * l + p[2]]; };
  const auto indices = all_of({n, m, l});
  // Leaves are cut along i alone, so into[i,l] is reduced straight.
  ASSERT_EQ(leaves_of(indices, n * l + m + 1).size(), 6);
  const auto planes =
      in_index_order(std::vector<float>(n * l), indices, l,
                     [&](const point& p, auto& to) { to[p[0] * l + p[2]] += value(p); });
  const auto lines =
      leaf_by_leaf<sums<float>>(std::vector<float>(m, 5), indices, n * l + m + 1, 1,
                                [&](const point& p, auto& to) { to[p[1]] += value(p); });
  const auto least = leaf_by_leaf<testing::smallest_ones<float>>(
      std::vector<float>(1, 5), indices, n * l + m + 1, 1,
      [&](const point& p, auto& to) { testing::smallest_ones<float>::merge(to[0], value(p)); });
  expect_for_any_threads(planes, [&](session& s) {
    const auto plane = s.zeros<float, 2>({n, l}), line = s.filled<float, 2>({m, 1}, 5);
    const auto low = s.filled<float, 4>({1, 1, 1, 1}, 5);
    s.for_each({n, m, l},
               annotated(
                   [](idx<3> p, reads<float, 3> in, reduces<float, 2> a, reduces<float, 2> b,
                      reduces<smallest<float>, 4> c) {
                     a(p[0], p[2]) += in[p];
                     b(p[1], 0) += in[p];
                     c(0, 0, 0, 0).accumulate(in[p]);
                   },
                   "in, a, b, c: global [i,j,k] => read in[i,j,k], reduce a[i,k], reduce b[j,0], "
                   "reduce(min) c[0,0,0,0]"),
               s.to_array<3>(x, {n, m, l}), plane, line, low);
    EXPECT_TRUE(same_bits(line.to_vector(), lines));
    EXPECT_TRUE(same_bits(low.to_vector(), least));
    return plane.to_vector();
  });
}

TEST(reductions, of_two_accesses_meet_in_one_element) {
  constexpr std::int64_t n = 10, m = 4000;
  const auto x = uneven_numbers(n * m);
  const auto indices = all_of({n, m});
  const auto expect = [&](const char* text, auto other, std::int64_t elements) {
    const auto expected = leaf_by_leaf<sums<float>>(std::vector<float>(n + 1, 2), indices, elements,
                                                    elements, [&](const point& p, auto& to) {
                                                      to[p[0]] += x[p[0] * m + p[1]];
                                                      to[other(p[0])] += 1 / x[p[0] * m + p[1]];
                                                    });
    expect_for_any_threads(expected, [&](session& s) {
      const auto out = s.filled<float>({n + 1}, 2);
      s.for_each({n, m},
                 annotated(
                     [other](idx<2> p, reads<float, 2> in, reduces<float> to) {
                       to[p[0]] += in[p];
                       to[other(p[0])] += 1 / in[p];
                     },
                     text),
                 s.to_array<2>(x, {n, m}), out);
      return out.to_vector();
    });
  };
  expect(
      "x, v: global [i,j] => read x[i,j], reduce v[i], reduce v[i+1]",
      [](std::int64_t i) { return i + 1; }, n + 1);
  expect(
      "x, v: global [i,j] => read x[i,j], reduce v[i], reduce v[9-i]",
      [](std::int64_t i) { return 9 - i; }, n);
}

TEST(reductions, go_into_parts_of_arrays_from_any_box_of_indices) {
  constexpr std::int64_t n = 30, m = 500;
  const box<2> indices{{7, -90}, {7 + n, -90 + m}};
  const auto x = uneven_numbers(n * m);
  const auto expected = leaf_by_leaf<sums<float>>(
      std::vector<float>(5, 1), regions::box({7, -90}, {7 + n, -90 + m}), 5, 5,
      [&](const point& p, auto& to) { to[p[0] / 8] += x[(p[0] - 7) * m + p[1] + 90]; });
  expect_for_any_threads(expected, [&](session& s) {
    const auto all = s.filled<float, 2>({4, 9}, 1);
    const auto part = all[{{2, 3}, {3, 8}}];
    s.for_each(
        indices,
        [](idx<2> p, reads<float, 2> in, reduces<float, 2> to) {
          to(0, p[0] / 8) += in(p[0] - 7, p[1] + 90);
        },
        s.to_array<2>(x, {n, m}), part);
    auto outside = all.to_vector();
    outside.erase(outside.begin() + 2 * 9 + 3, outside.begin() + 2 * 9 + 8);
    EXPECT_THAT(outside, ::testing::Each(1.0F));
    return part.to_vector();
  });
}

TEST(reductions, have_one_to_four_dimensions) {
  constexpr std::int64_t n = 6, m = 5, l = 7, h = 50;
  const auto x = uneven_numbers(n * m * l * h);
  const auto expected = leaf_by_leaf<sums<float>>(
      std::vector<float>(n * m), all_of({n, m, l, h}), n * m, 1, [&](const point& p, auto& to) {
        to[p[0] * m + p[1]] += x[((p[0] * m + p[1]) * l + p[2]) * h + p[3]];
      });
  expect_for_any_threads(expected, [&](session& s) {
    const auto out = s.zeros<float, 4>({n, 1, m, 1});
    s.for_each({n, m, l, h},
               annotated([](idx<4> p, reads<float, 4> in,
                            reduces<float, 4> to) { to(p[0], 0, p[1], 0) += in[p]; },
                         "in, to: global [i,j,k,l] => read in[i,j,k,l], reduce to[i,0,j,0]"),
               s.to_array<4>(x, {n, m, l, h}), out);
    return out.to_vector();
  });
}

}  // namespace
}  // namespace pappus
