// What stays good whatever else happens: elements beside failures, views beside moves, waits beside
// the session's end.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"

namespace pappus {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr const char* update_text = "a: global i => readwrite a[i]";

/// Not for long where the test fails.
void wait_for(const std::atomic<bool>& flag) {
  for (int i = 0; i < 2000 && !flag; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(failures, stay_where_later_launches_leave_gaps) {
  session s({.threads = 2});
  const auto a = s.zeros<int>({10});
  s.for_each({10},
             annotated([](idx<1>, updates<int>) { throw std::runtime_error("odd"); }, update_text),
             a);
  s.for_each(
      {5},
      annotated([](idx<1> i, writes<int> to) { to[2 * i] = 1; }, "to: global i => write to[2*i]"),
      a);
  EXPECT_THROW((a[{1, 2}].host()), launch_error);
}

TEST(failures, are_those_of_the_lowest_index) {
  session s({.threads = 8});
  const auto a = s.zeros<int>({1000});
  for (int round = 0; round < 100; ++round) {
    s.for_each({1000},
               annotated(
                   [](idx<1> i, writes<int> to) {
                     if (i == 41) std::this_thread::sleep_for(std::chrono::microseconds(200));
                     if (i >= 41) throw std::out_of_range("beyond");
                     to[i] = 1;
                   },
                   "to: global i => write to[i]"),
               a);
    EXPECT_THAT([&] { a.host(); }, ThrowsMessage<launch_error>(HasSubstr("at index [41]")));
  }
}

std::atomic<bool> slow_runs{false}, overwritten{false};

TEST(failures, hold_back_who_overwrites_what_an_older_launch_still_writes) {
  session s({.threads = 3});
  const auto bad = s.zeros<int>({1}), a = s.filled<int>({1}, 0);
  slow_runs = overwritten = false;
  s.for_each({1},
             annotated(
                 [](idx<1> i, updates<int> to) {
                   slow_runs = true;
                   for (int n = 0; n < 50 && !overwritten; ++n)
                     std::this_thread::sleep_for(std::chrono::milliseconds(1));
                   to[i] = 1;
                 },
                 update_text),
             a);
  s.for_each({1},
             annotated([](idx<1>, updates<int>) { throw std::runtime_error("odd"); }, update_text),
             bad);
  s.for_each({1},
             annotated([](idx<1> i, reads<int> in, updates<int> to) { to[i] += in[i]; },
                       "in, to: global i => read in[i], readwrite to[i]"),
             bad, a);
  s.for_each({1},
             annotated(
                 [](idx<1> i, writes<int> to) {
                   to[i] = 2;
                   overwritten = true;
                 },
                 "to: global i => write to[i]"),
             a);
  EXPECT_EQ(a.host()[0], 2);
}

TEST(failures, leave_other_elements_good_when_an_array_moves) {
  session s({.threads = 2});
  const auto a = s.filled<int>({100}, 5);
  const auto fill = annotated([](idx<1> i, updates<int> to) { to[i] += 1; }, update_text);
  s.for_each({100}, fill, a);
  s.for_each({10},
             annotated([](idx<1>, updates<int>) { throw std::runtime_error("odd"); }, update_text),
             a);
  const auto rows = a[{50, 60}].rows();
  s.for_each(box<1>{20, 30}, fill, a);  // moves the array, of which some has failed or will
  EXPECT_THAT((a[{20, 30}].to_vector()), Each(7));
  EXPECT_THAT((a[{30, 100}].to_vector()), Each(6));
  EXPECT_THROW((a[{0, 10}].host()), launch_error);
  EXPECT_EQ(rows.sum().get(), 60);
  a[{0, 10}].fill(6);
  EXPECT_EQ(a.host()[9], 6);
}

TEST(host_view, outlives_a_move_of_its_array) {
  session s({.threads = 2});
  const auto a = s.filled<int>({1000}, 5);
  std::optional<collection<int>> rows = a.rows();
  const auto seen = a.host();
  a.fill(6);
  EXPECT_THAT(a.to_vector(), Each(6));
  rows.reset();
  const auto other = s.filled<int>({1000}, 7);  // may be given the memory
  EXPECT_THAT(other.to_vector(), Each(7));
  EXPECT_THAT(std::vector(seen.begin(), seen.end()), Each(5));
}

TEST(launches, cant_look_at_rows_of_arrays) {
  session s({.threads = 2});
  const auto a = s.filled<int>({10}, 1), b = s.zeros<int>({1});
  s.for_each({10}, annotated([](idx<1> i, updates<int> to) { to[i] = 2; }, update_text), a);
  const auto rows = a.rows();
  s.for_each({1},
             annotated([&rows](idx<1> i, updates<int> to) { to[i] = static_cast<int>(rows.sum()); },
                       update_text),
             b);
  EXPECT_THAT([&] { b.host(); }, ThrowsMessage<launch_error>(
                                     HasSubstr("an array's rows: expected a call from outside")));
}

std::atomic<bool> may_end{false}, is_running{false}, quick_ran{false};

void run_until_told() {
  is_running = true;
  wait_for(may_end);
}

TEST(session, ends_while_a_thread_waits_for_a_launch) {
  for (const bool in_time : {true, false}) {
    std::optional<session> s(std::in_place, options{.threads = 2});
    const auto slow = s->zeros<int>({1}), a = s->zeros<int>({1});
    may_end = is_running = false;
    s->for_each({1}, annotated([](idx<1>, updates<int>) { run_until_told(); }, update_text), slow);
    if (in_time) wait_for(is_running);
    s->for_each({1}, annotated([](idx<1> i, updates<int> to) { to[i] = 1; }, update_text), a);
    std::atomic<bool> begun{false};
    std::string got = "nothing";
    std::thread waiting([&] {
      begun = true;
      try {
        got = std::to_string(a.host()[0]);
      } catch (const cancelled&) {
        got = "cancelled";
      } catch (const usage_error&) {
        got = "ended";
      }
    });
    wait_for(begun);
    std::thread telling([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      may_end = true;
    });
    s.reset();
    waiting.join();
    telling.join();
    EXPECT_THAT(got, ::testing::AnyOf("1", "cancelled", "ended"));
  }
}

TEST(launches, run_after_a_long_wait_though_nobody_waits_for_them) {
  session s({.threads = 2});
  const auto slow = s.zeros<int>({1}), quick = s.zeros<int>({1});
  may_end = is_running = quick_ran = false;
  s.for_each({1}, annotated([](idx<1>, updates<int>) { run_until_told(); }, update_text), slow);
  std::thread waiting([&] { s.wait(); });
  wait_for(is_running);
  s.for_each({1}, annotated([](idx<1>, updates<int>) { quick_ran = true; }, update_text), quick);
  // Longer than the session's own thread looks for work by itself.
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  may_end = true;
  waiting.join();
  wait_for(quick_ran);
  EXPECT_TRUE(quick_ran);
}

TEST(host_write, leaves_what_is_launched_meanwhile_to_others) {
  session s({.threads = 2});
  const auto a = s.zeros<int>({2});
  may_end = is_running = false;
  s.for_each({2},
             annotated(
                 [](idx<1> i, updates<int>) {
                   if (i == 0) run_until_told();
                 },
                 update_text),
             a);
  wait_for(is_running);
  std::thread writing([&] { a.host_write(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  s.for_each({2},
             annotated(
                 [](idx<1> i, updates<int> to) {
                   std::this_thread::sleep_for(std::chrono::milliseconds(20));
                   to[i] = 3;
                 },
                 update_text),
             a);
  may_end = true;
  writing.join();
  EXPECT_THAT(a.to_vector(), Each(3));
}

}  // namespace
}  // namespace pappus
