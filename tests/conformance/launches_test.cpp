// Launches over arrays of one to four dimensions against sequential code: extents around the
// lengths of vectors, whole arrays and parts of wider ones, elements of 1, 4, 8 and 12 bytes. Where
// lambdas are compiled by the plugin, what they touch is inferred.
#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "conformance/placed_arrays.h"
#include "pappus/footprint.h"

namespace pappus::testing {
namespace {

template <typename To, typename T>
void add(To&& to, const T& x) {
  if constexpr (std::same_as<T, twelve_bytes>)
    to.accumulate(x);
  else
    to += x;
}

template <std::size_t N>
idx<N> moved(idx<N> at, std::size_t dimension, std::int64_t by) {
  at[dimension] += by;
  return at;
}

// What the launches do, to any kind of view.

template <std::size_t N>
struct map {
  template <typename T>
  static T of(const idx<N>& p, const idx<N>&, const auto& in) {
    return mixed<T>(in[p], element<T>(p[N - 1]));
  }
};
/// All neighbours, behind guards.
template <std::size_t N>
struct stencil {
  template <typename T>
  static T of(const idx<N>& p, const idx<N>& extents, const auto& in) {
    T all = in[p];
    [&]<std::size_t... D>(std::index_sequence<D...>) {
      ((all = mixed<T>(all, p[D] > 0 ? in[moved(p, D, -1)] : in[p]),
        all = mixed<T>(all, p[D] + 1 < extents[D] ? in[moved(p, D, 1)] : all)),
       ...);
    }(std::make_index_sequence<N>());
    return all;
  }
};
template <std::size_t N>
struct clamped {
  template <typename T>
  static T of(const idx<N>& p, const idx<N>& extents, const auto& in) {
    idx<N> before = p, behind = p;
    before[N - 1] = std::max<std::int64_t>(p[N - 1] - 2, 0);
    behind[0] = std::min<std::int64_t>(p[0] + 3, extents[0] - 1);
    return mixed<T>(in[before], in[behind]);
  }
};

/// Whole numbers exactly, floats as far as they go.
template <typename T>
struct added {
  using exact = std::conditional_t<std::floating_point<T>, long double, T>;
  exact all{};
  void operator+=(const T& x) {
    if constexpr (std::integral<T>)
      all = static_cast<T>(all + x);
    else
      add(all, x);
  }
  bool is(const T& got) const {
    if constexpr (std::floating_point<T>)
      return std::abs(got - all) <= all * (std::same_as<T, float> ? 1e-4L : 1e-12L);
    else
      return same_bytes(got, all);
  }
};
template <>
void added<twelve_bytes>::operator+=(const twelve_bytes& x) {
  all.accumulate(x);
}

template <typename T>
void expect_sums(const array<T>& got, const std::vector<added<T>>& expected) {
  const auto found = got.host();
  ASSERT_EQ(found.size(), static_cast<std::int64_t>(expected.size()));
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (!expected[i].is(found[static_cast<std::int64_t>(i)])) {
      ADD_FAILURE() << "sum " << i << " of " << expected.size() << " differs";
      return;
    }
}

/// All launches over one shape of array.
template <typename T, std::size_t N>
class shape {
 public:
  explicit shape(const idx<N>& extents)
      : extents_(extents),
        values_(values_of<T>(volume(extents))),
        totals_(1),
        first_(static_cast<std::size_t>(extents[0])),
        last_(static_cast<std::size_t>(extents[N - 1])) {
    const row_major<T, N> in{values_, extents_};
    mapped_ = computed<map<N>>(in);
    stencil_ = computed<stencil<N>>(in);
    clamped_ = computed<clamped<N>>(in);
    each_place(extents_, [&](const idx<N>& p, std::int64_t) {
      totals_[0] += in[p];
      first_[static_cast<std::size_t>(p[0])] += in[p];
      last_[static_cast<std::size_t>(p[N - 1])] += in[p];
    });
  }

  void expect_launches(session& s, lies where) const {
    const placed<T, N> in(s, where, extents_, values_);
    expect_one<map<N>>(s, in, mapped_);
    expect_one<stencil<N>>(s, in, stencil_);
    expect_one<clamped<N>>(s, in, clamped_);
    in.expect(values_);
    update(s, where);
    reduce(s, in);
  }

 private:
  template <typename What>
  std::vector<T> computed(const row_major<T, N>& in) const {
    std::vector<T> result;
    result.reserve(values_.size());
    each_place(extents_, [&](const idx<N>& p, std::int64_t) {
      result.push_back(What::template of<T>(p, extents_, in));
    });
    return result;
  }

  template <typename What>
  void expect_one(session& s, const placed<T, N>& in, const std::vector<T>& expected) const {
    const placed<T, N> out(s, in.where, extents_, values_);
    s.for_each(
        extents_,
        [extents = extents_](idx<N> p, reads<T, N> from, writes<T, N> to) {
          to[p] = What::template of<T>(p, extents, from);
        },
        in.part, out.part);
    SCOPED_TRACE(&expected == &mapped_ ? "map" : &expected == &stencil_ ? "stencil" : "clamped");
    out.expect(expected);
  }

  void update(session& s, lies where) const {
    const placed<T, N> both(s, where, extents_, values_);
    s.for_each(
        extents_, [](idx<N> p, updates<T, N> a) { a[p] = mixed<T>(a[p], element<T>(p[N - 1])); },
        both.part);
    SCOPED_TRACE("update");
    both.expect(mapped_);
  }

  void reduce(session& s, const placed<T, N>& in) const {
    const auto total = s.zeros<T>({1}), first = s.zeros<T>({extents_[0]});
    s.for_each(
        extents_, [](idx<N> p, reads<T, N> from, reduces<T> to) { add(to[0], from[p]); }, in.part,
        total);
    s.for_each(
        extents_, [](idx<N> p, reads<T, N> from, reduces<T> to) { add(to[p[0]], from[p]); },
        in.part, first);
    expect_sums(total, totals_);
    expect_sums(first, first_);
    if constexpr (N > 1) {
      const auto last = s.zeros<T>({extents_[N - 1]});
      s.for_each(
          extents_, [](idx<N> p, reads<T, N> from, reduces<T> to) { add(to[p[N - 1]], from[p]); },
          in.part, last);
      expect_sums(last, last_);
    }
  }

  idx<N> extents_;
  std::vector<T> values_, mapped_, stencil_, clamped_;
  std::vector<added<T>> totals_, first_, last_;
};

template <std::size_t N>
std::vector<idx<N>> shapes() {
  std::vector<idx<N>> all;
  for (std::size_t d = 0; d < N; ++d)
    for (const std::int64_t n : {0, 1, 2, 17, 63, 64, 65, 4097}) {
      constexpr std::array<std::int64_t, 4> others{3, 2, 3, 5};
      idx<N> one;
      for (std::size_t e = 0; e < N; ++e) one[e] = others[e];
      one[d] = n;
      all.push_back(one);
    }
  return all;
}

/// By sessions that the shapes share.
const std::vector<std::unique_ptr<session>>& sessions() {
  static const auto all = [] {
    std::vector<std::unique_ptr<session>> made;
    for (const unsigned threads : {1, 2, 5})
      made.push_back(std::make_unique<session>(options{.threads = threads, .devices = "cpu"}));
    return made;
  }();
  return all;
}

template <typename T, std::size_t N>
void expect_shape(const idx<N>& extents) {
  const shape<T, N> one(extents);
  for (const auto& s : sessions())
    for (const auto where : {lies::whole, lies::within, lies::wide}) {
      ::testing::Message text;
      for (std::size_t d = 0; d < N; ++d) text << extents[d] << " x ";
      SCOPED_TRACE(text << (where == lies::whole    ? "whole"
                            : where == lies::within ? "within"
                                                    : "of a wide one")
                        << ", " << s->threads() << " threads");
      one.expect_launches(*s, where);
    }
}

template <typename T, std::size_t N>
void expect_rank() {
  for (const auto& extents : shapes<N>()) expect_shape<T>(extents);
}

TEST(launches, over_lines) {
  expect_rank<float, 1>();
  expect_rank<double, 1>();
  expect_rank<std::int8_t, 1>();
  expect_rank<twelve_bytes, 1>();
}

TEST(launches, over_grids) {
  expect_rank<float, 2>();
  expect_rank<double, 2>();
  expect_rank<std::int8_t, 2>();
  expect_rank<twelve_bytes, 2>();
}

TEST(launches, over_cubes) {
  expect_rank<float, 3>();
  expect_rank<twelve_bytes, 3>();
}

TEST(launches, over_four_dimensions) {
  expect_rank<double, 4>();
  expect_rank<std::int8_t, 4>();
}

// What a launch writes goes past the caches, whose lines neither rows nor parts begin with.
TEST(launches, with_results_larger_than_caches) {
  const auto expect_large = []<typename T, std::size_t N>(const shape<T, N>& one) {
    one.expect_launches(*sessions()[1], lies::whole);
    one.expect_launches(*sessions()[2], lies::within);
  };
  expect_large(shape<float, 1>(5'000'003));
  expect_large(shape<double, 2>({1501, 1503}));
  expect_large(shape<std::int8_t, 2>({4099, 4129}));
  expect_large(shape<twelve_bytes, 3>({7, 401, 601}));
}

// Numbers of 32 bits don't tell one row from another.
TEST(launches, over_rows_gigabytes_apart) {
  session s({.threads = 2, .devices = "cpu"});
  const idx<2> extents(3, 65);
  const std::int64_t far = (std::int64_t{1} << 31) + 128;
  array<std::int8_t, 2> all;
  try {
    all = s.unwritten<std::int8_t, 2>({6, far});
  } catch (const memory_error& e) {
    GTEST_SKIP() << e.what();
  }
  const auto in = all[around(extents, 0)], out = all[{{3, far - 65}, {6, far}}];
  const auto values = values_of<std::int8_t>(volume(extents));
  in.fill(0);
  const auto to = in.host_write();
  each_place(extents,
             [&](const auto& at, auto i) { to[at] = values[static_cast<std::size_t>(i)]; });
  const row_major<std::int8_t, 2> from{values, extents};
  s.for_each(
      extents,
      [extents](idx<2> p, reads<std::int8_t, 2> from, writes<std::int8_t, 2> to) {
        to[p] = stencil<2>::of<std::int8_t>(p, extents, from);
      },
      in, out);
  const auto got = out.host();
  each_place(extents, [&](const auto& at, auto i) {
    EXPECT_EQ(got[at], stencil<2>::of<std::int8_t>(at, extents, from)) << i;
    EXPECT_EQ(in.host()[at], values[static_cast<std::size_t>(i)]) << i;
  });
}

#ifdef PAPPUS_TEST_LAMBDAS_ON_OPENCL
// So what the tests above launch was cut and ordered by what is inferred.
TEST(launches, of_what_they_touch_as_inferred) {
  const auto found = []<typename What>(What) {
    return footprint_of<idx<2>, reads<float, 2>, writes<float, 2>>(
        [extents = idx<2>(9, 9)](idx<2> p, reads<float, 2> from, writes<float, 2> to) {
          to[p] = What::template of<float>(p, extents, from);
        });
  };
  EXPECT_EQ(found(map<2>()), "read a[i,j], write b[i,j]");
  EXPECT_EQ(found(stencil<2>()), "read a[i,j-1:j+1], read a[i-1:i+1,j], write b[i,j]");
  EXPECT_EQ(found(clamped<2>()),
            "read a[i,max(j,2)-2], read a[min(i+3,captured_0-1),j], write b[i,j]");
}
#endif

}  // namespace
}  // namespace pappus::testing
