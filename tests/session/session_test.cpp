// Settings of a session, and how long handles and results live.
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"

namespace pappus {
namespace {

using ::testing::ElementsAre;

template <typename Action>
void expect_usage_error(const char* text, Action action) {
  try {
    action();
    FAIL() << "no error";
  } catch (const usage_error& e) {
    EXPECT_STREQ(e.what(), text);
  }
}

/// Sets an environment variable for one test.
class environment {
 public:
  environment(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    ::setenv(name, value, 1);
  }
  ~environment() {
    if (old_)
      ::setenv(name_, old_->c_str(), 1);
    else
      ::unsetenv(name_);
  }
  environment(const environment&) = delete;
  environment& operator=(const environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

TEST(records, of_bool_become_a_vector) {
  session s;
  const auto odd = s.range(0, 5).map([](std::int64_t i) { return i % 2 == 1; }).collect();
  EXPECT_EQ(odd.to_vector(), (std::vector<bool>{false, true, false, true, false}));
}

TEST(session, takes_its_settings_from_options) {
  const session s(options{.threads = 3, .host_memory = 64 << 20});
  EXPECT_EQ(s.threads(), 3u);
  EXPECT_EQ(s.host_memory(), std::size_t{64} << 20);
}

TEST(session, takes_unset_options_from_the_environment) {
  const environment threads("PAPPUS_THREADS", "2"), memory("PAPPUS_HOST_MEMORY", "96MiB"),
      chunk("PAPPUS_CHUNK_ROWS", "5");
  session s;
  EXPECT_EQ(s.threads(), 2u);
  EXPECT_EQ(s.host_memory(), std::size_t{96} << 20);
  EXPECT_THAT(s.range(0, 10).sum().explain(), ::testing::HasSubstr("5 rows a chunk"));
  const session own(options{.threads = 1, .host_memory = 32 << 20});
  EXPECT_EQ(own.threads(), 1u);
  EXPECT_EQ(own.host_memory(), std::size_t{32} << 20);
}

TEST(session, knows_the_machine_where_nothing_is_set) {
  const environment threads("PAPPUS_THREADS", ""), memory("PAPPUS_HOST_MEMORY", "");
  const session s;
  EXPECT_GE(s.threads(), 1u);
  EXPECT_GT(s.host_memory(), std::size_t{1} << 20);
}

TEST(session, takes_its_arguments_and_leaves_the_others) {
  std::vector<std::string> words{"program",
                                 "--pappus-threads=2",
                                 "input.csv",
                                 "--k=3",
                                 "--pappus-host-memory=48MiB",
                                 "--pappus-chunk-rows=9",
                                 "--",
                                 "--pappus"};
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(words.size());
  session s{argc, argv.data()};
  EXPECT_EQ(s.threads(), 2u);
  EXPECT_EQ(s.host_memory(), std::size_t{48} << 20);
  EXPECT_THAT(s.range(0, 10).sum().explain(), ::testing::HasSubstr("9 rows a chunk"));
  ASSERT_EQ(argc, 5);
  EXPECT_EQ(argv[5], nullptr);
  EXPECT_THAT(std::vector<std::string>(argv.begin(), argv.begin() + argc),
              ElementsAre("program", "input.csv", "--k=3", "--", "--pappus"));
}

TEST(session, refuses_settings_that_can_not_be_right) {
  expect_usage_error("options::threads: expected at most 1024, got 5000",
                     [] { session s(options{.threads = 5000}); });
  expect_usage_error("options::chunk_rows: expected 0 (the planner's choice) or more, got -1",
                     [] { session s(options{.threads = 1, .chunk_rows = -1}); });
  {
    const environment threads("PAPPUS_THREADS", "many");
    expect_usage_error("PAPPUS_THREADS: expected a whole number from 1 to 1024, got \"many\"",
                       [] { session s; });
  }
  const environment memory("PAPPUS_HOST_MEMORY", "lots");
  expect_usage_error(
      "PAPPUS_HOST_MEMORY: expected a size such as 512MiB, 8GiB or 1000000 (bytes), got \"lots\"",
      [] { session s; });
}

TEST(session, names_the_argument_that_can_not_be_right) {
  std::string program = "program", threads = "--pappus-threads=0";
  char* argv[] = {program.data(), threads.data(), nullptr};
  int argc = 2;
  expect_usage_error("--pappus-threads: expected a whole number from 1 to 1024, got \"0\"",
                     [&] { session s(argc, argv); });
}

constexpr const char* ended =
    "this handle's session has ended; keep the session until its last query is done";

TEST(handles, say_that_their_session_has_ended) {
  std::optional<collection<int>> rows;
  std::optional<value<std::int64_t>> total;
  {
    session s(options{.threads = 2});
    rows = s.range(0, 10).map([](int x) { return x; }).materialise();
    total = rows->sum();
  }
  expect_usage_error(ended, [&] { rows->collect(); });
  expect_usage_error(ended, [&] { rows->sum(); });
  expect_usage_error(ended, [&] { rows->explain(); });
  expect_usage_error(ended, [&] { total->get(); });
  expect_usage_error(ended, [&] { total->explain_analyze(); });
}

TEST(handles, move_with_their_session) {
  session first(options{.threads = 2});
  const auto rows = first.range(0, 10);
  session second = std::move(first);
  EXPECT_EQ(rows.sum().get(), 45);
  second = session(options{.threads = 1});  // the one they belonged to ends
  expect_usage_error(ended, [&] { rows.sum(); });
}

TEST(results, outlive_their_session) {
  records<int> rows;
  std::optional<value<std::int64_t>> total;
  {
    session s(options{.threads = 2});
    rows = s.range(0, 100'000).filter([](int x) { return x % 2 == 1; }).collect();
    total = s.range(0, 10).sum();
    EXPECT_EQ(total->get(), 45);
  }
  ASSERT_EQ(rows.size(), 50'000u);
  EXPECT_EQ(rows[49'999], 99'999);
  EXPECT_EQ(total->get(), 45);
}

TEST(sessions, do_not_mix) {
  session a(options{.threads = 1}), b(options{.threads = 1});
  const auto mine = a.from(std::vector{1, 2}), theirs = b.from(std::vector{3, 4});
  expect_usage_error(
      "zip: expected inputs of its own session, got \"from\" of another one; collect() it there "
      "and pass it on with from()",
      [&] { mine.zip(theirs).collect(); });
  EXPECT_THROW(mine.concat(theirs), usage_error);
  EXPECT_THROW(mine.map([](int x, std::span<const int>) { return x; }, theirs.shared()).sum(),
               usage_error);
  const auto total = theirs.sum();
  expect_usage_error(
      "run: expected results of this session, got \"sum\" of another one; run it there",
      [&] { a.run(mine.sum(), total); });
  EXPECT_EQ(mine.concat(a.from(theirs.collect())).sum().get(), 10);
}

TEST(values, are_computed_once) {
  session s(options{.threads = 2});
  std::atomic<int> calls{0};
  const auto total = s.range(0, 100)
                         .map([&calls](int x) {
                           ++calls;
                           return x;
                         })
                         .sum();
  EXPECT_EQ(calls.load(), 0);
  EXPECT_EQ(total.get(), 4950);
  EXPECT_EQ(static_cast<std::int64_t>(total), 4950);
  EXPECT_EQ(calls.load(), 100);
}

TEST(cache, keeps_rows_for_later_queries_until_its_handle_is_gone) {
  session s(options{.threads = 2});
  std::atomic<int> calls{0};
  {
    const auto rows = s.range(0, 100'000)
                          .map([&calls](int x) {
                            ++calls;
                            return x;
                          })
                          .cache();
    EXPECT_EQ(rows.count().get(), 100'000);
    EXPECT_EQ(rows.sum().get(), 4'999'950'000);
    EXPECT_EQ(calls.load(), 100'000);
    EXPECT_GE(s.host_memory_used(), 400'000u);
  }
  EXPECT_EQ(s.host_memory_used(), 0u);
}

TEST(run, shares_collections_between_its_results) {
  session s(options{.threads = 2});
  std::atomic<int> calls{0};
  const auto rows = s.range(0, 1000)
                        .map([&calls](int x) {
                          ++calls;
                          return x;
                        })
                        .materialise();
  const auto [total, most] = s.run(rows.sum(), rows.max());
  EXPECT_EQ(total, 499'500);
  EXPECT_EQ(most, 999);
  EXPECT_EQ(calls.load(), 1000);
}

TEST(session, refuses_to_borrow_records_that_are_not_aligned) {
  session s(options{.devices = "cpu"});
  alignas(8) std::byte memory[4 * sizeof(double)] = {};
  const std::span aligned(reinterpret_cast<const double*>(memory + 8), 2);
  EXPECT_EQ(static_cast<double>(s.borrow(aligned).sum()), 0);
  const std::span between(reinterpret_cast<const double*>(memory + 4), 2);
  EXPECT_THAT([&] { s.borrow(between); },
              ::testing::ThrowsMessage<usage_error>(
                  "borrow: expected records of double at a multiple of 8 bytes, got them 4 bytes "
                  "behind one; copy them with from()"));
}

TEST(session, borrows_nothing_from_anywhere) {
  session s(options{.devices = "cpu"});
  alignas(8) std::byte memory[2 * sizeof(double)] = {};
  const std::span<const double> nothing;
  const std::span between(reinterpret_cast<const double*>(memory + 4), 0);
  for (const auto& rows : {s.borrow(nothing), s.borrow(between)}) {
    EXPECT_EQ(rows.sum().get(), 0);
    EXPECT_EQ(rows.sort().collect().size(), 0u);
  }
}

}  // namespace
}  // namespace pappus
