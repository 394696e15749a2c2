// Launches over arrays, from the call to the elements.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"

namespace pappus {
namespace {

using ::testing::ContainsRegex;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Says what a function of (i, in, out) touches, for compilers without the plugin.
constexpr const char* map_annotation = "in, out: global i => read in[i], write out[i]";
constexpr const char* update_annotation = "a: global i => readwrite a[i]";

TEST(launches, write_what_they_say) {
  session s;
  const auto out = s.unwritten<int>({5});
  s.for_each({5},
             annotated([](idx<1> i, writes<int> to) { to[i] = static_cast<int>(i * i); },
                       "to: global i => write to[i]"),
             out);
  EXPECT_THAT(out.to_vector(), ElementsAre(0, 1, 4, 9, 16));
}

TEST(launches, run_without_knowledge_of_what_they_touch) {
  session s;
  const auto in = s.to_array(std::vector{1, 2, 3}), out = s.unwritten<int>({3});
  s.for_each({3}, [](int i, reads<int> from, writes<int> to) { to[i] = 2 * from[i]; }, in, out);
  EXPECT_THAT(out.to_vector(), ElementsAre(2, 4, 6));
}

TEST(launches, are_told_by_arguments_what_they_touch) {
  session s;
  const auto a = s.to_array<2>(std::vector{1, 2, 3, 4, 5, 6}, {2, 3});
  const auto sums = s.unwritten<int>({2}), shifted = s.unwritten<int>({2});
  const auto [i] = launch_index<1>();
  s.for_each(
      {2},
      [](idx<1> at, reads<int, 2> from, writes<int> to) {
        to[at] = from(at, 0) + from(at, 1) + from(at, 2);
      },
      a.at(i, everything), sums.at(i));
  s.for_each(
      {2}, [](idx<1> at, reads<int> from, writes<int> to) { to[at] = from[1 - at]; },
      sums.at(1 - i), shifted.at(i, i));
  EXPECT_THAT(shifted.to_vector(), ElementsAre(15, 6));
  EXPECT_THAT(
      [&] {
        s.for_each({2}, [](idx<1>, reads<int>, writes<int>) {}, sums.at(2 * i + 5), shifted.at(i));
      },
      ThrowsMessage<usage_error>(HasSubstr("(read a[2*i+5], write b[i])")));
  EXPECT_THAT(
      [&] { s.for_each({2}, [](idx<1>, writes<int>) {}, shifted.at(0, 1)); },
      ThrowsMessage<usage_error>(HasSubstr("expected that each index writes elements of its own")));
}

TEST(launches, have_one_to_four_dimensions) {
  session s;
  const auto a2 = s.zeros<int, 2>({3, 4});
  s.for_each(
      {3, 4}, [](idx<2> p, writes<int, 2> a) { a[p] = static_cast<int>(10 * p[0] + p[1]); }, a2);
  EXPECT_EQ(a2.host()(2, 3), 23);
  const auto a3 = s.zeros<int, 3>({2, 3, 4});
  s.for_each(
      {2, 3, 4},
      [](idx<3> p, writes<int, 3> a) { a[p] = static_cast<int>(100 * p[0] + 10 * p[1] + p[2]); },
      a3);
  EXPECT_EQ(a3.host()(1, 2, 3), 123);
  const auto a4 = s.zeros<int, 4>({2, 2, 3, 2});
  s.for_each(
      {2, 2, 3, 2},
      [](idx<4> p, writes<int, 4> a) {
        a[p] = static_cast<int>(1000 * p[0] + 100 * p[1] + 10 * p[2] + p[3]);
      },
      a4);
  EXPECT_EQ(a4.host()(1, 1, 2, 1), 1121);
  EXPECT_EQ(a4.to_vector()[11], 121);
}

TEST(launches, follow_one_another) {
  session s;
  const auto a = s.zeros<std::uint64_t>({100'000});
  for (unsigned round = 0; round < 200; ++round)
    s.for_each(
        {100'000},
        annotated([round](idx<1> i, updates<std::uint64_t> to) { to[i] = to[i] * 3 + round; },
                  update_annotation),
        a);
  std::uint64_t expected = 0;
  for (unsigned round = 0; round < 200; ++round) expected = expected * 3 + round;
  EXPECT_THAT(a.to_vector(), Each(expected));
}

TEST(launches, take_parts_of_arrays_and_of_indices) {
  session s;
  const auto a = s.zeros<int, 2>({4, 6});
  const auto inner = a[{{1, 1}, {3, 5}}];
  EXPECT_EQ(inner.extents(), idx<2>(2, 4));
  s.for_each(box<2>{{0, 1}, {2, 3}},
             annotated([](idx<2> p, writes<int, 2> to) { to[p] = 7; },
                       "to: global [i,j] => write to[i,j]"),
             inner);
  EXPECT_THAT(a.to_vector(), ElementsAre(0, 0, 0, 0, 0, 0,  //
                                         0, 0, 7, 7, 0, 0,  //
                                         0, 0, 7, 7, 0, 0,  //
                                         0, 0, 0, 0, 0, 0));
  EXPECT_THAT(inner.to_vector(), ElementsAre(0, 7, 7, 0, 0, 7, 7, 0));
}

TEST(launches, of_nothing_do_nothing) {
  session s;
  const auto none = s.zeros<int>({0});
  s.for_each({0}, [](idx<1> i, updates<int> a) { a[i] = 1; }, none);
  EXPECT_TRUE(none.to_vector().empty());
  const auto some = s.filled<int>({3}, 4);
  s.for_each({0}, [](idx<1> i, updates<int> a) { a[i] = 1; }, some);
  EXPECT_THAT(some.to_vector(), Each(4));
}

TEST(launches, copy_what_they_capture) {
  session s;
  const auto a = s.zeros<int>({1000});
  {
    int value = 5;
    s.for_each(
        {1000},
        annotated([&value](idx<1> i, updates<int> to) { to[i] += value; }, update_annotation), a);
    value = 6;
    s.for_each({1000},
               annotated([value](idx<1> i, updates<int> to) { to[i] *= value; }, update_annotation),
               a);
    value = 7;
  }
  EXPECT_THAT(a.to_vector(), Each(30));
}

TEST(host, writes_before_and_after_launches) {
  session s;
  const auto a = s.filled<int>({4}, 1), b = s.zeros<int>({4});
  const auto twice = annotated([](idx<1> i, reads<int> in, writes<int> out) { out[i] = 2 * in[i]; },
                               map_annotation);
  s.for_each({4}, twice, a, b);
  a.host_write()[2] = 10;  // the launch has read what was there before
  EXPECT_THAT(b.to_vector(), ElementsAre(2, 2, 2, 2));
  s.for_each({4}, twice, a, b);
  EXPECT_THAT(b.to_vector(), ElementsAre(2, 2, 20, 2));
}

// Not on the stack: launches that refer to that are waited for.
std::atomic<bool> first_runs{false}, first_may_end{false}, slow_may_end{false};

TEST(host, waits_for_what_it_needs_alone) {
  session s({.threads = 2});
  const auto first = s.zeros<int>({1}), slow = s.zeros<int>({1}), quick = s.zeros<int>({1});
  s.for_each({1},
             annotated(
                 [](idx<1> i, updates<int> a) {
                   first_runs = true;
                   while (!first_may_end) std::this_thread::yield();
                   a[i] = 1;
                 },
                 update_annotation),
             first);
  while (!first_runs) std::this_thread::yield();
  // While that runs two more gather, and somebody waits for the second.
  s.for_each({1},
             annotated(
                 [](idx<1> i, updates<int> a) {
                   while (!slow_may_end) std::this_thread::yield();
                   a[i] = 1;
                 },
                 update_annotation),
             slow);
  s.for_each({1}, annotated([](idx<1> i, updates<int> a) { a[i] = 2; }, update_annotation), quick);
  std::thread ending([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    first_may_end = true;
    for (int i = 0; i < 1000 && !slow_may_end; ++i)  // so that a failure ends
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    slow_may_end = true;
  });
  EXPECT_EQ(quick.host()[0], 2);
  EXPECT_FALSE(slow_may_end);
  slow_may_end = true;
  EXPECT_EQ(slow.host()[0], 1);
  ending.join();
}

TEST(array, is_filled_and_copied) {
  session s;
  const auto a = s.zeros<double, 2>({2, 2});
  const auto b = a.copy();
  a.fill(1.5);
  a[{{0, 0}, {1, 1}}].fill(2.5);
  EXPECT_THAT(a.to_vector(), ElementsAre(2.5, 1.5, 1.5, 1.5));
  EXPECT_THAT(b.to_vector(), Each(0.0));
}

TEST(array, comes_from_containers_and_queries) {
  session s;
  std::vector<float> numbers(6);
  std::iota(numbers.begin(), numbers.end(), 0.0F);
  EXPECT_EQ((s.to_array<2>(numbers, {2, 3}).host()(1, 2)), 5);
  EXPECT_THAT((([&] { s.to_array<2>(numbers, {2, 2}); })),
              ThrowsMessage<usage_error>(HasSubstr("expected 4 elements")));
  const auto squares = s.range(0, 5).map([](int i) { return i * i; }).to_array();
  EXPECT_THAT(squares.to_vector(), ElementsAre(0, 1, 4, 9, 16));
  EXPECT_EQ(squares.rows().map([](int i) { return i + 1; }).sum().get(), 35);
}

/// As std::mdspan with layout_stride has it.
struct strided_numbers {
  static constexpr std::size_t rank() { return 2; }
  const int* numbers;
  int extents[2], strides[2];
  int extent(std::size_t d) const { return extents[d]; }
  int stride(std::size_t d) const { return strides[d]; }
  const int* data_handle() const { return numbers; }
};

TEST(arrays, are_made_of_elements_in_strides) {
  const int numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  session s;
  const auto columns = s.to_array(strided_numbers{numbers, {3, 2}, {1, 6}});
  EXPECT_EQ(columns.extents(), idx<2>(3, 2));
  EXPECT_THAT(columns.to_vector(), ElementsAre(0, 6, 1, 7, 2, 8));
  const auto backwards = s.to_array(strided_numbers{numbers + 11, {2, 2}, {-4, -1}});
  EXPECT_THAT(backwards.to_vector(), ElementsAre(11, 10, 7, 6));
  EXPECT_EQ(s.to_array(strided_numbers{numbers, {0, 5}, {5, 1}}).size(), 0);
}

TEST(array, of_rows_that_others_have_is_a_copy) {
  session s;
  std::vector<int> mine{1, 2, 3};
  const auto a = s.borrow(mine).to_array();
  a.fill(9);
  EXPECT_THAT(a.to_vector(), Each(9));
  EXPECT_THAT(mine, ElementsAre(1, 2, 3));
}

TEST(array, gives_queries_the_elements_of_the_time_of_the_call) {
  session s;
  const auto a = s.filled<int>({1000}, 1);
  const auto before = a.rows();
  a.fill(2);
  const auto after = a.rows();
  s.for_each({1000}, annotated([](idx<1> i, updates<int> to) { to[i] += 5; }, update_annotation),
             a);
  EXPECT_EQ(before.sum().get(), 1000);
  EXPECT_EQ(after.sum().get(), 2000);
  EXPECT_THAT(a.to_vector(), Each(7));
  a.host_write()[0] = 0;
  EXPECT_EQ(after.sum().get(), 2000);
}

TEST(host, view_outlives_the_arrays_memory) {
  session s;
  const auto a = s.filled<int>({1000}, 1);
  const auto view = a.host();
  {
    const auto rows = a.rows();
    a.fill(2);  // in new memory, for the collection's sake
    EXPECT_THAT(a.to_vector(), Each(2));
  }
  EXPECT_THAT(view, Each(1));
}

TEST(failures, are_told_where_results_are_looked_at) {
  session s;
  const auto a = s.zeros<int>({1000}), b = s.zeros<int>({1000}), c = s.zeros<int>({1000});
  s.for_each({1000},
             annotated(
                 [](idx<1> i, updates<int> to) {
                   if (i == 321) throw std::out_of_range("no such thing");
                   to[i] = 1;
                 },
                 update_annotation),
             a);
  const auto twice = annotated([](idx<1> i, reads<int> in, writes<int> out) { out[i] = 2 * in[i]; },
                               map_annotation);
  s.for_each({1000}, twice, a, b);
  s.for_each({1000}, annotated([](idx<1> i, updates<int> to) { to[i] = 3; }, update_annotation), c);
  EXPECT_THAT(c.to_vector(), Each(3));
  for (const auto& array : {a, b}) {
    try {
      array.host();
      FAIL();
    } catch (const launch_error& e) {
      EXPECT_THAT(e.what(), ContainsRegex("launches_test.cpp:[0-9]+ failed at index \\[321\\]: "
                                          "no such thing; so array<int> of 1000"));
      EXPECT_THROW(e.rethrow_nested(), std::out_of_range);
    }
  }
  // What is written anew is well again.
  a.fill(4);
  s.for_each({1000}, twice, a, b);
  EXPECT_THAT(b.to_vector(), Each(8));
}

TEST(failures, of_two_dimensions_name_the_index) {
  session s;
  const auto a = s.zeros<int, 2>({30, 40});
  s.for_each(box<2>{{10, 10}, {20, 20}},
             annotated(
                 [](idx<2> p, updates<int, 2> to) {
                   if (p == idx<2>(12, 17)) throw std::runtime_error("odd");
                   to[p] = 1;
                 },
                 "to: global [i,j] => readwrite to[i,j]"),
             a);
  EXPECT_THAT([&] { a.host(); }, ThrowsMessage<launch_error>(HasSubstr("at index [12,17]: odd")));
}

TEST(failures, are_thrown_by_wait_once) {
  session s;
  const auto a = s.zeros<int>({10});
  s.for_each({10}, [](idx<1>, updates<int>) { throw std::runtime_error("odd"); }, a);
  EXPECT_THROW(s.wait(), launch_error);
  s.wait();
}

std::atomic<int> calls{0};

TEST(cancel, ends_items_that_take_long_while_the_host_waits) {
  static std::atomic<std::int64_t> done;
  for (const unsigned threads : {1u, 2u}) {
    done = 0;
    session s({.threads = threads});
    const auto a = s.zeros<int, 2>({1'000, 100});  // 10 s
    s.for_each({1'000, 100},
               annotated(
                   [](idx<2> i, updates<int, 2> to) {
                     ++done;
                     std::this_thread::sleep_for(std::chrono::microseconds(100));
                     to[i] = 1;
                   },
                   "to: global [i,j] => readwrite to[i,j]"),
               a);
    std::thread other([&] {
      while (done == 0) std::this_thread::yield();
      s.cancel();
    });
    EXPECT_THROW(a.host(), cancelled);
    other.join();
    EXPECT_LT(done, 20'000);
    EXPECT_THAT(s.zeros<int>({10}).to_vector(), Each(0));
  }
}

TEST(cancel, leaves_out_what_has_not_run) {
  session s({.threads = 2});
  const auto a = s.zeros<int>({64});
  for (int round = 0; round < 50; ++round)
    s.for_each({64},
               annotated(
                   [](idx<1> i, updates<int> to) {
                     ++calls;
                     std::this_thread::sleep_for(std::chrono::microseconds(100));
                     to[i] = 1;
                   },
                   update_annotation),
               a);
  s.cancel();
  EXPECT_THROW(a.host(), cancelled);
  EXPECT_LT(calls, 50 * 64);
  a.fill(2);
  EXPECT_THAT(a.to_vector(), Each(2));
}

TEST(launches, count_in_the_order_of_calls_from_several_threads) {
  session s;
  const auto a = s.zeros<std::int64_t>({1000});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int round = 0; round < 100; ++round)
        s.for_each(
            {1000},
            annotated([](idx<1> i, updates<std::int64_t> to) { ++to[i]; }, update_annotation), a);
    });
  for (auto& thread : threads) thread.join();
  EXPECT_THAT(a.to_vector(), Each(400));
}

}  // namespace
}  // namespace pappus
