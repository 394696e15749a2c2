// Launches whose states stay in registers while several rows run (detail/loops/reduced_rows.h),
// against one loop over the indices: the same bits, whatever the shapes.
#include <cstdint>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"

namespace pappus {
namespace {

/// Counts, sums and the order in which values came.
struct history {
  std::uint64_t order = 0;
  double sum = 0;
  std::int32_t n = 0;
  void accumulate(float x) {
    order = order * 31 + static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
    sum += static_cast<double>(x);
    ++n;
  }
  /// Of states of which one has nothing only: their values can't be told apart from one's own.
  void merge(const history& o) {
    if (n != 0 && o.n != 0) throw std::logic_error("states were merged");
    if (n == 0) *this = o;
  }
  friend bool operator==(const history&, const history&) = default;
};

/// What may come in any order.
struct extremes {
  static constexpr bool commutative = true;
  std::int64_t sum = 0;
  std::int32_t least = INT32_MAX;
  std::uint8_t n = 0;
  void accumulate(std::int32_t x) {
    sum += x;
    if (x < least) least = x;
    ++n;
  }
  void merge(const extremes& o) {
    sum += o.sum;
    if (o.least < least) least = o.least;
    n = static_cast<std::uint8_t>(n + o.n);
  }
  friend bool operator==(const extremes&, const extremes&) = default;
};

class reduced_rows : public ::testing::Test {
 protected:
  std::int64_t from(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  template <typename T>
  std::vector<T> numbers(std::int64_t n) {
    std::vector<T> result(static_cast<std::size_t>(n));
    for (auto& x : result) x = static_cast<T>(from(0, 30000));
    return result;
  }

  std::mt19937_64 random_{20};
};

template <typename T>
T& at(std::vector<T>& of, std::int64_t i) {
  return of[static_cast<std::size_t>(i)];
}
template <typename T>
const T& at(const std::vector<T>& of, std::int64_t i) {
  return of[static_cast<std::size_t>(i)];
}

TEST_F(reduced_rows, of_shared_elements_keep_each_ones_order) {
  const auto add = [](idx<3> p, reads<float, 3> x, reduces<history, 2> to) {
    to(p[0], p[2]).accumulate(x[p]);
  };
  for (int turn = 0; turn < 150; ++turn) {
    // So many along the first dimension that strips of it are cut and nothing is merged.
    const std::int64_t n = from(64, 80), m = from(1, 40), l = from(1, 40);
    const auto x = numbers<float>(n * m * l);
    std::vector<history> expected(static_cast<std::size_t>(n * l));
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < m; ++j)
        for (std::int64_t k = 0; k < l; ++k)
          at(expected, i * l + k).accumulate(at(x, (i * m + j) * l + k));
    session s({.threads = 1 + static_cast<unsigned>(turn % 3), .devices = "cpu"});
    const auto to = s.zeros<history, 2>({n, l});
    const auto [i, j, k] = launch_index<3>();
    s.for_each({n, m, l}, add, s.to_array<3>(x, {n, m, l}).at(i, j, k), to.at(i, k));
    ASSERT_EQ(to.to_vector(), expected) << n << ' ' << m << ' ' << l;
  }
}

TEST_F(reduced_rows, start_anywhere_and_go_into_parts) {
  for (int turn = 0; turn < 150; ++turn) {
    const std::int64_t n = from(1, 50), m = from(1, 60), low = from(-9, 9), first = from(-9, 9);
    const std::int64_t before = from(0, 5), behind = from(0, 5);
    const auto x = numbers<std::int32_t>(n * m);
    std::vector<std::int64_t> expected(static_cast<std::size_t>(before + m + behind), 7);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < m; ++j) at(expected, before + j) += at(x, i * m + j);
    session s({.threads = 1 + static_cast<unsigned>(turn % 3), .devices = "cpu"});
    const auto all = s.filled<std::int64_t>({before + m + behind}, 7);
    const auto part = all[box<1>{{before}, {before + m}}];
    const auto [i, j] = launch_index<2>();
    s.for_each(
        box<2>{{low, first}, {low + n, first + m}},
        [low, first](idx<2> p, reads<std::int32_t, 2> from, reduces<std::int64_t> to) {
          to[p[1] - first] += from(p[0] - low, p[1] - first);
        },
        s.to_array<2>(x, {n, m}).at(i - low, j - first), part.at(j - first));
    ASSERT_EQ(all.to_vector(), expected) << n << ' ' << m << ' ' << low << ' ' << first;
  }
}

/// Into several arrays, of which some have other strides.
TEST_F(reduced_rows, of_several_arrays_keep_each_ones_order) {
  const auto add = [](idx<3> p, reads<float, 3> x, reduces<history, 2> to, reduces<double, 2> sum,
                      reduces<extremes, 2> ends) {
    to(p[0], p[2]).accumulate(x[p]);
    sum(p[0], p[2]) += static_cast<double>(x[p]) / 3;
    ends(p[0], p[2]).accumulate(static_cast<std::int32_t>(x[p]));
  };
  for (int turn = 0; turn < 150; ++turn) {
    const std::int64_t n = from(64, 80), m = from(1, 40), l = from(1, 40);
    const std::int64_t more = turn % 3 == 0 ? from(1, 9) : 0;
    const auto x = numbers<float>(n * m * l);
    std::vector<history> orders(static_cast<std::size_t>(n * l));
    std::vector<double> sums(orders.size(), 0.25);
    std::vector<extremes> ends(orders.size());
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < m; ++j)
        for (std::int64_t k = 0; k < l; ++k) {
          const auto value = at(x, (i * m + j) * l + k);
          at(orders, i * l + k).accumulate(value);
          at(sums, i * l + k) += static_cast<double>(value) / 3;
          at(ends, i * l + k).accumulate(static_cast<std::int32_t>(value));
        }
    session s({.threads = 1 + static_cast<unsigned>(turn % 3), .devices = "cpu"});
    const auto to = s.zeros<history, 2>({n, l});
    const auto wide = s.filled<double, 2>({n, l + more}, 0.25);
    const auto sum = wide[box<2>{{0, 0}, {n, l}}];
    const auto last = s.filled<extremes, 2>({n, l}, {});
    const auto [i, j, k] = launch_index<3>();
    s.for_each({n, m, l}, add, s.to_array<3>(x, {n, m, l}).at(i, j, k), to.at(i, k), sum.at(i, k),
               last.at(i, k));
    ASSERT_EQ(to.to_vector(), orders) << n << ' ' << m << ' ' << l;
    ASSERT_EQ(sum.to_vector(), sums) << n << ' ' << m << ' ' << l << ' ' << more;
    ASSERT_EQ(last.to_vector(), ends) << n << ' ' << m << ' ' << l;
  }
}

/// Rows of a few indices, which are one where they follow each other in the array, and of more.
TEST_F(reduced_rows, of_few_indices_keep_each_ones_order) {
  const auto add = [](idx<4> p, reads<float, 4> x, reads<float> weight, reduces<history, 3> to) {
    to(p[0], p[2], p[3]).accumulate(x[p]);
    to(p[0], p[2], p[3]).accumulate(weight[p[1]] * static_cast<float>(p[3] + 2 * p[2]));
  };
  for (int turn = 0; turn < 200; ++turn) {
    const std::int64_t n = from(64, 70), m = from(1, 20), l = from(1, 12), k = from(1, 6);
    const std::int64_t more = from(0, 3) == 0 ? 1 : 0, low = from(0, 2);
    const auto x = numbers<float>(n * m * (l + more) * (k + low)), weight = numbers<float>(m);
    std::vector<history> expected(static_cast<std::size_t>(n * l * k));
    for (std::int64_t a = 0; a < n; ++a)
      for (std::int64_t b = 0; b < m; ++b)
        for (std::int64_t c = 0; c < l; ++c)
          for (std::int64_t d = 0; d < k; ++d) {
            auto& to = at(expected, (a * l + c) * k + d);
            to.accumulate(at(x, ((a * m + b) * (l + more) + c) * (k + low) + low + d));
            to.accumulate(at(weight, b) * static_cast<float>(d + 2 * c));
          }
    session s({.threads = 1 + static_cast<unsigned>(turn % 3), .devices = "cpu"});
    const auto to = s.zeros<history, 3>({n, l, k});
    const auto all = s.to_array<4>(x, {n, m, l + more, k + low});
    const auto part = all[box<4>{{0, 0, 0, low}, {n, m, l, low + k}}];
    const auto [a, b, c, d] = launch_index<4>();
    s.for_each({n, m, l, k}, add, part.at(a, b, c, d), s.to_array(weight).at(b), to.at(a, c, d));
    ASSERT_EQ(to.to_vector(), expected) << n << ' ' << m << ' ' << l << ' ' << k << ' ' << low;
  }
}

/// Values that come from several dimensions of the index, or from overlapping ones, stay in order.
TEST_F(reduced_rows, of_elements_that_more_dimensions_share_keep_each_ones_order) {
  const auto add_over_two = [](idx<4> p, reads<float, 4> x, reduces<history, 2> to) {
    to(p[0], p[3]).accumulate(x[p]);
  };
  const auto add_overlapping = [](idx<4> p, reads<float, 4> x, reduces<history, 2> to) {
    to(p[0], p[2] + p[3]).accumulate(x[p]);
  };
  for (int turn = 0; turn < 200; ++turn) {
    const bool overlap = turn % 2 == 0;
    const std::int64_t n = from(64, 70), m = from(1, 20), l = from(1, 9), k = from(1, 40);
    const auto x = numbers<float>(n * m * l * k);
    const auto columns = overlap ? l + k - 1 : k;
    std::vector<history> expected(static_cast<std::size_t>(n * columns));
    for (std::int64_t a = 0; a < n; ++a)
      for (std::int64_t b = 0; b < m; ++b)
        for (std::int64_t c = 0; c < l; ++c)
          for (std::int64_t d = 0; d < k; ++d)
            at(expected, a * columns + d + (overlap ? c : 0))
                .accumulate(at(x, ((a * m + b) * l + c) * k + d));
    session s({.threads = 1 + static_cast<unsigned>(turn % 3), .devices = "cpu"});
    const auto to = s.zeros<history, 2>({n, columns});
    const auto [a, b, c, d] = launch_index<4>();
    const auto read = s.to_array<4>(x, {n, m, l, k}).at(a, b, c, d);
    if (overlap)
      s.for_each({n, m, l, k}, add_overlapping, read, to.at(a, c + d));
    else
      s.for_each({n, m, l, k}, add_over_two, read, to.at(a, d));
    ASSERT_EQ(to.to_vector(), expected) << n << ' ' << m << ' ' << l << ' ' << k << ' ' << overlap;
  }
}

/// Where one argument alone goes on from row to row, its rows aren't one.
TEST_F(reduced_rows, of_few_indices_may_be_turned_and_start_anywhere) {
  for (int turn = 0; turn < 200; ++turn) {
    const std::int64_t m = from(1, 30), l = from(1, 90), k = from(2, 4), low = from(-5, 5);
    const auto x = numbers<std::int32_t>(m * l * k), y = numbers<std::int32_t>(k * l);
    const bool turned = from(0, 1) == 0;
    std::vector<std::int64_t> expected(static_cast<std::size_t>(l * k), 3);
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < l; ++j)
        for (std::int64_t c = 0; c < k; ++c)
          at(expected, j * k + c) +=
              std::int64_t{at(x, (i * l + j) * k + c)} * at(y, turned ? c * l + j : j * k + c);
    session s({.threads = 1 + static_cast<unsigned>(turn % 3), .devices = "cpu"});
    const auto to = s.filled<std::int64_t, 2>({l, k}, 3);
    const auto weight = turned ? s.to_array<2>(y, {k, l}) : s.to_array<2>(y, {l, k});
    const auto [i, j, c] = launch_index<3>();
    s.for_each(
        box<3>{{low, low, low}, {low + m, low + l, low + k}},
        [low, turned](idx<3> p, reads<std::int32_t, 3> x, reads<std::int32_t, 2> y,
                      reduces<std::int64_t, 2> to) {
          const auto j = p[1] - low, c = p[2] - low;
          to(j, c) += std::int64_t{x(p[0] - low, j, c)} * (turned ? y(c, j) : y(j, c));
        },
        s.to_array<3>(x, {m, l, k}).at(i - low, j - low, c - low),
        turned ? weight.at(c - low, j - low) : weight.at(j - low, c - low),
        to.at(j - low, c - low));
    ASSERT_EQ(to.to_vector(), expected) << m << ' ' << l << ' ' << k << ' ' << turned;
  }
}

TEST_F(reduced_rows, leave_out_what_the_function_leaves_out) {
  constexpr std::int64_t n = 40, m = 70;
  const auto x = numbers<std::int32_t>(n * m);
  session s({.threads = 2, .devices = "cpu"});
  // Elements below 0 and behind the end are named, but never touched.
  const auto out = s.filled<std::int32_t>({50}, 1000);
  const auto [i, j] = launch_index<2>();
  s.for_each(
      {n, m},
      [](idx<2> p, reads<std::int32_t, 2> from, reduces<smallest<std::int32_t>> to) {
        if (p[1] >= 10 && p[1] < 60 && from[p] % 2 == 0) to[p[1] - 10].accumulate(from[p]);
      },
      s.to_array<2>(x, {n, m}).at(i, j), out.at(j - 10));
  std::vector<std::int32_t> expected(50, 1000);
  for (std::int64_t r = 0; r < n; ++r)
    for (std::int64_t c = 10; c < 60; ++c) {
      const auto value = at(x, r * m + c);
      if (value % 2 == 0) at(expected, c - 10) = std::min(at(expected, c - 10), value);
    }
  EXPECT_EQ(out.to_vector(), expected);
}

TEST_F(reduced_rows, make_blocks_of_states_that_commute) {
  const auto add = [](idx<2> p, std::int64_t k, std::int64_t l, idx<2> low,
                      const reads<std::int32_t, 2>& x, const reduces<extremes, 2>& to) {
    to((p[0] - low[0]) / k, (p[1] - low[1]) / l).accumulate(x[p]);
  };
  for (int turn = 0; turn < 200; ++turn) {
    const std::int64_t k = from(1, 20), l = from(2, turn % 5 == 0 ? 700 : 20);
    const std::int64_t n = from(1, 60), m = from(1, turn % 4 == 0 ? 2000 : 90);
    const std::int64_t top = from(0, 7), left = from(0, 7);
    const auto x = numbers<std::int32_t>((top + n) * (left + m));
    const std::int64_t rows = (n - 1) / k + 1, columns = (m - 1) / l + 1;
    std::vector<extremes> expected(static_cast<std::size_t>(rows * columns));
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < m; ++j)
        at(expected, i / k * columns + j / l).accumulate(at(x, (top + i) * (left + m) + left + j));
    session s({.threads = 1 + static_cast<unsigned>(turn % 3), .devices = "cpu"});
    const auto to = s.filled<extremes, 2>({rows, columns}, {});
    s.for_each(
        box<2>{{top, left}, {top + n, left + m}},
        annotated([=](idx<2> p, reads<std::int32_t, 2> x,
                      reduces<extremes, 2> to) { add(p, k, l, {top, left}, x, to); },
                  "x, to: global [i, j] => read x[i, j], reduce to[(i - top) / k, (j - left) / l]",
                  {{"top", top}, {"left", left}, {"k", k}, {"l", l}}),
        s.to_array<2>(x, {top + n, left + m}), to);
    ASSERT_EQ(to.to_vector(), expected) << k << ' ' << l << ' ' << n << ' ' << m;
  }
}

TEST_F(reduced_rows, tell_which_index_failed) {
  const auto [i, j] = launch_index<2>();
  for (const std::int64_t row : {0, 3, 8, 17}) {
    session s({.threads = 1, .devices = "cpu"});
    const auto to = s.zeros<std::int64_t>({50});
    s.for_each(
        {18, 50},
        [row](idx<2> p, reduces<std::int64_t> to) {
          if (p[0] == row && p[1] == 31) throw std::runtime_error("no more");
          to[p[1]] += 1;
        },
        to.at(j));
    try {
      to.to_vector();
      FAIL();
    } catch (const std::exception& e) {
      EXPECT_THAT(std::string(e.what()),
                  ::testing::HasSubstr("index [" + std::to_string(row) + ",31]"));
    }
  }
}

TEST_F(reduced_rows, tell_which_index_of_few_failed) {
  const auto [i, j, k] = launch_index<3>();
  for (const std::int64_t width : {2, 3, 4})
    for (const std::int64_t row : {0, 9, 17}) {
      session s({.threads = 1, .devices = "cpu"});
      const auto to = s.zeros<std::int64_t, 2>({7, width});
      s.for_each(
          {18, 7, width},
          [row](idx<3> p, reduces<std::int64_t, 2> to) {
            if (p[0] == row && p[1] == 5 && p[2] == 1) throw std::runtime_error("no more");
            to(p[1], p[2]) += 1;
          },
          to.at(j, k));
      try {
        to.to_vector();
        FAIL();
      } catch (const std::exception& e) {
        EXPECT_THAT(std::string(e.what()),
                    ::testing::HasSubstr("index [" + std::to_string(row) + ",5,1]"));
      }
    }
}

}  // namespace
}  // namespace pappus
