// Launches that reduce among others: who waits for whom, what fails with whom, what is refused.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <regex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "leaf_reference.h"
#include "pappus/pappus.h"

namespace pappus {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::int64_t leaves_index_count = 20'000;  // of one element: 39 leaves

const auto count_all =
    annotated([](idx<1>, reduces<std::int64_t> to) { to[0] += 1; }, "to: global i => reduce to[0]");

TEST(reductions, are_read_by_what_follows_and_added_to_again) {
  constexpr std::int64_t n = leaves_index_count;
  for (const unsigned threads : {1, 3, 8}) {
    session s({.threads = threads, .devices = "cpu"});
    const auto total = s.zeros<std::int64_t>({1}), next = s.zeros<std::int64_t>({1});
    const auto line = s.filled<std::int64_t>({n}, 1);
    std::int64_t expected = 0, other = 0;
    for (int round = 0; round < 8; ++round) {
      s.for_each({n},
                 annotated([](idx<1> i, reads<std::int64_t> x,
                              reduces<std::int64_t> to) { to[0] += x[i]; },
                           "x, to: global i => read x[i], reduce to[0]"),
                 line, total);
      s.for_each({n},
                 annotated([](idx<1> i, reads<std::int64_t> t,
                              writes<std::int64_t> x) { x[i] = t[0] % 7 + i % 3; },
                           "t, x: global i => read t[0], write x[i]"),
                 total, line);
      s.for_each({n}, count_all, next);
      s.for_each(
          {n},
          annotated([](idx<1>, reads<std::int64_t> t, reduces<std::int64_t> to) { to[0] += t[0]; },
                    "t, to: global i => read t[0], reduce to[0]"),
          next, total);
      for (std::int64_t i = 0; i < n; ++i) expected += round == 0 ? 1 : other % 7 + i % 3;
      other = expected;
      expected += n * (round + 1) * n;
    }
    EXPECT_EQ(total.host()[0], expected) << threads << " threads";
  }
}

TEST(reductions, leave_the_rows_of_collections_as_they_were) {
  session s({.threads = 4, .devices = "cpu"});
  const auto total = s.filled<std::int64_t>({3}, 5);
  const auto before = total.rows();
  s.for_each({leaves_index_count}, count_all, total[{1, 2}]);
  const auto after = total.rows();
  s.for_each({leaves_index_count}, count_all, total);
  EXPECT_THAT(before.collect(), ElementsAre(5, 5, 5));
  EXPECT_THAT(after.collect(), ElementsAre(5, 5 + leaves_index_count, 5));
  EXPECT_THAT(total.to_vector(), ElementsAre(5 + leaves_index_count, 5 + leaves_index_count, 5));
}

TEST(reductions, wait_for_host_views_alone_where_they_touch) {
  session s({.threads = 2, .devices = "cpu"});
  const auto total = s.zeros<std::int64_t>({1});
  s.for_each({leaves_index_count}, count_all, total);
  total.host_write()[0] *= 2;
  s.for_each({leaves_index_count}, count_all, total);
  EXPECT_EQ(total.host()[0], 3 * leaves_index_count);
}

TEST(reductions, that_fail_in_one_leaf_fail_as_a_whole) {
  for (const unsigned threads : {1, 2, 8}) {
    session s({.threads = threads, .devices = "cpu"});
    const auto total = s.zeros<std::int64_t>({1}), copy = s.zeros<std::int64_t>({1});
    s.for_each({leaves_index_count},
               annotated(
                   [](idx<1> i, reduces<std::int64_t> to) {
                     if (i == 7777 || i == 15'555) throw std::out_of_range("no such thing");
                     to[0] += 1;
                   },
                   "to: global i => reduce to[0]"),
               total);
    s.for_each({1},
               annotated([](idx<1>, reads<std::int64_t> from,
                            writes<std::int64_t> to) { to[0] = from[0]; },
                         "from, to: global i => read from[0], write to[0]"),
               total, copy);
    s.for_each({leaves_index_count}, count_all, total);
    for (const auto& one : {total, copy})
      EXPECT_THAT([&] { one.host(); },
                  ThrowsMessage<launch_error>(HasSubstr("at index [7777]: no such thing")));
    total.fill(1);
    s.for_each({leaves_index_count}, count_all, total);
    EXPECT_EQ(total.host()[0], leaves_index_count + 1);
  }
}

/// Can't be merged once it has seen 12'345.
struct unlucky {
  std::int64_t n = 0;
  bool odd = false;
  void accumulate(std::int64_t i) {
    ++n;
    odd |= i == 12'345;
  }
  void merge(const unlucky& other) {
    if (other.odd) throw std::runtime_error("can't be merged");
    n += other.n;
  }
};

TEST(reductions, whose_merging_throws_fail) {
  for (const unsigned threads : {1, 2, 8}) {
    session s({.threads = threads, .devices = "cpu"});
    const auto state = s.filled<unlucky>({1}, {});
    const auto accumulate = [](idx<1> i, reduces<unlucky> to) { to[0].accumulate(i); };
    s.for_each({leaves_index_count}, accumulate, state);
    EXPECT_THAT([&] { state.host(); },
                ThrowsMessage<launch_error>(HasSubstr("failed: can't be merged")));
    state.fill({});
    s.for_each({12'300}, accumulate, state);
    EXPECT_EQ(state.host()[0].n, 12'300);
  }
}

TEST(reductions, that_are_cancelled_change_nothing) {
  session s({.threads = 2, .devices = "cpu"});
  const auto total = s.zeros<std::int64_t>({1});
  for (int round = 0; round < 50; ++round)
    s.for_each({4096},
               annotated(
                   [](idx<1> i, reduces<std::int64_t> to) {
                     if (i % 64 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
                     to[0] += 1;
                   },
                   "to: global i => reduce to[0]"),
               total);
  s.cancel();
  EXPECT_THROW(total.host(), cancelled);
  total.fill(2);
  s.for_each({4096}, count_all, total);
  EXPECT_EQ(total.host()[0], 4098);
}

TEST(reductions, count_their_states_against_the_budget) {
  constexpr std::int64_t bins = 64 << 10, n = bins * 64;
  const auto histogram = [](idx<1> i, reduces<std::int32_t> to) { to[i * 7 % bins] += 1; };
  session s({.threads = 1, .host_memory = (bins * 4 * 5) / 2, .devices = "cpu", .spill = "off"});
  const auto to = s.zeros<std::int32_t>({bins});
  for (int i = 0; i < 2; ++i) {
    s.for_each({n}, histogram, to);
    try {
      to.host();
      ADD_FAILURE() << "three times 256 KiB fit 640 KiB";
    } catch (const launch_error& e) {
      EXPECT_THAT(e.what(), HasSubstr("states of for_each"));
      EXPECT_THROW(e.rethrow_nested(), memory_error);
    }
    to.fill(0);
    s.wait();
  }
  session enough({.threads = 1, .host_memory = bins * 4 * 8, .devices = "cpu"});
  const auto into = enough.zeros<std::int32_t>({bins});
  enough.for_each({n}, histogram, into);
  EXPECT_THAT(into.to_vector(), Each(64));
}

// Mistakes.

std::string refused_with(const std::function<void()>& call) {
  try {
    call();
  } catch (const usage_error& e) {
    return std::regex_replace(e.what(), std::regex("[a-z_]+.cpp:[0-9]+"), "FILE");
  }
  return "nothing";
}

TEST(reduction_checks, want_modes_that_views_have) {
  session s({.threads = 1, .devices = "cpu"});
  const auto a = s.zeros<int>({10});
  const auto reducing = [](idx<1>, reduces<int>) {};
  const auto low = [](idx<1>, reduces<smallest<int>>) {};
  const auto updating = [](idx<1>, updates<int>) {};
  const auto with = [&](const auto& f, const char* text) {
    return refused_with([&] { s.for_each({10}, annotated(f, text), a); });
  };
  EXPECT_EQ(
      with(reducing, "v: global i => readwrite v[i]"),
      "for_each at FILE: v: expected that a view of reduces<R, N> is reduced, got \"v: global "
      "i => readwrite v[i]\"; take reads<T, N>, writes<T, N> or updates<T, N>");
  EXPECT_EQ(
      with(reducing, "v: global i => reduce v[i], read v[i+1]"),
      "for_each at FILE: v: expected that a view of reduces<R, N> is reduced, got \"v: global "
      "i => reduce v[i], read v[i+1]\"; take reads<T, N>, writes<T, N> or updates<T, N>");
  EXPECT_EQ(
      with(updating, "v: global i => reduce(+) v[i]"),
      "for_each at FILE: v: expected that a view of reads<T, N>, writes<T, N> or updates<T, N> "
      "is read or written, got \"v: global i => reduce(+) v[i]\"; take reduces<R, N>");
  EXPECT_EQ(with(reducing, "v: global i => reduce(min) v[0]"),
            "for_each at FILE: v: expected reduce(+), as its view says, got \"v: global i => "
            "reduce(min) v[0]\"; write reduce without how");
  EXPECT_EQ(with(low, "v: global i => reduce(max) v[0]"),
            "for_each at FILE: v: expected reduce(min), as its view says, got \"v: global i => "
            "reduce(max) v[0]\"; write reduce without how");
  EXPECT_EQ(with(low, "v: global i => reduce(min) v[0]"), "nothing");
}

TEST(reduction_checks, want_reducers_merged_by_themselves) {
  session s({.threads = 1, .devices = "cpu"});
  const auto a = s.zeros<reducers::count>({1});
  const auto reducing = [](idx<1>, reduces<reducers::count>) {};
  EXPECT_EQ(
      refused_with(
          [&] { s.for_each({10}, annotated(reducing, "v: global i => reduce(+) v[0]"), a); }),
      "for_each at FILE: v: expected reduce with its reducer's merge(), as its view says, got "
      "\"v: global i => reduce(+) v[0]\"; write reduce without how");
  EXPECT_EQ(
      refused_with([&] { s.for_each({10}, annotated(reducing, "v: global i => reduce v[0]"), a); }),
      "nothing");
}

TEST(reduction_checks, want_elements_that_were_written) {
  session s({.threads = 1, .devices = "cpu"});
  const auto a = s.unwritten<int>({10});
  const auto reducing = [](idx<1> i, reduces<int> to) { to[i] += 1; };
#ifdef PAPPUS_TEST_INFERRED
  const std::string known = "reduce a[i]";
#else
  const std::string known = "nothing is known of what it touches";
#endif
  EXPECT_EQ(refused_with([&] { s.for_each({10}, reducing, a); }),
            "for_each at FILE: a: expected elements that were written before, got [0:9] of "
            "array<int> of 10 that nobody has written (" +
                known + "); write them first, or make the array with zeros()");
  a[{0, 5}].fill(1);
  const auto text = "v: global i => reduce v[i]";
  EXPECT_EQ(refused_with([&] { s.for_each({10}, annotated(reducing, text), a); }),
            "for_each at FILE: v: expected elements that were written before, got [5:9] of "
            "array<int> of 10 that nobody has written (v: global i => reduce v[i]); write them "
            "first, or make the array with zeros()");
  s.for_each({5}, annotated(reducing, text), a);
  EXPECT_THAT((a[{0, 5}].to_vector()), Each(2));
}

TEST(reduction_checks, refuse_one_array_twice_where_both_touch_the_same) {
  session s({.threads = 1, .devices = "cpu"});
  const auto a = s.zeros<int>({10});
  const auto twice = [](idx<1> i, reduces<int> b, reduces<int> c) { b[i] += 1, c[i] += 1; };
  const auto reads_too = [](idx<1> i, reads<int> b, reduces<int> c) { c[i] += b[i]; };
  EXPECT_THAT(refused_with([&] { s.for_each({10}, twice, a, a); }),
              HasSubstr("expected another array than that of a"));
  EXPECT_THAT(refused_with([&] { s.for_each({10}, reads_too, a, a); }),
              HasSubstr("expected another array than that of a"));
  EXPECT_EQ(refused_with([&] { s.for_each({10}, twice, a[{0, 5}], a[{5, 10}]); }), "nothing");
}

}  // namespace
}  // namespace pappus
