#include "report/collector.h"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "report/well_formed.h"
#include "support/spill_folder.h"

namespace pappus {
namespace {

using testing::spill_folder;
using testing::why_not_well_formed;

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct sale {
  int shop;
  double price;
};

TEST(report_of_a_session, tells_operators_and_rows_of_its_queries_when_it_ends) {
  const spill_folder folder;
  const auto path = folder.path() + "/run.html";
  std::vector<sale> sales;
  for (int i = 0; i < 20'000; ++i) sales.push_back({i % 10, i * 0.5});
  {
    session s(options{.threads = 2, .report = path});
    auto groups = s.borrow(sales)
                      .filter([](const sale& x) { return x.shop < 5; })
                      .group_by(&sale::shop)
                      .sum(&sale::price);
    EXPECT_EQ(groups.collect().size(), 5u);
    EXPECT_FALSE(std::filesystem::exists(path)) << "not before it is complete";
  }
  const auto text = text_of(path);
  EXPECT_EQ(why_not_well_formed(text), "");
  for (const char* part :
       {">s0 borrow<", ">s1 filter·group_by.sum<", ">20,000 rows<", "20,000 → 5 rows",
        "filter keeps 50 %", "accumulate", "What to improve", "Timeline", "Memory"})
    EXPECT_TRUE(has(text, part)) << part;
}

TEST(report_of_a_session, is_asked_for_by_the_environment_or_arguments_too) {
  const spill_folder folder;
  const auto path = folder.path() + "/run.html";
  ASSERT_EQ(::setenv("PAPPUS_REPORT", path.c_str(), 1), 0);
  {
    session s(options{.threads = 1});
  }
  ASSERT_EQ(::unsetenv("PAPPUS_REPORT"), 0);
  EXPECT_TRUE(has(text_of(path), "None ran."));
  std::string own = "program", option = "--pappus-report=" + path + "2";
  char* arguments[] = {own.data(), option.data(), nullptr};
  int count = 2;
  {
    session s(count, arguments);
  }
  EXPECT_EQ(count, 1);
  EXPECT_TRUE(std::filesystem::exists(path + "2"));
}

TEST(report_of_a_session, is_written_where_somebody_asks_for_it_alone) {
  const spill_folder folder;
  {
    session s(options{.threads = 2});
    EXPECT_EQ(s.range(0, 1000).count(), 1000);
  }
  EXPECT_TRUE(folder.empty());
}

TEST(report_of_a_session, is_refused_where_it_could_not_be_written) {
  const spill_folder folder;
  const auto refusal = [](const std::string& path) -> std::string {
    try {
      session s(options{.threads = 1, .report = path});
    } catch (const usage_error& e) {
      return e.what();
    }
    return "";
  };
  const auto missing = folder.path() + "/missing/run.html";
  EXPECT_EQ(refusal(missing),
            "PAPPUS_REPORT or options::report: expected a file that can be written, got " +
                missing + ": can't be created: No such file or directory");
  EXPECT_EQ(refusal(folder.path()),
            "PAPPUS_REPORT or options::report: expected a file that can be written, got " +
                folder.path() +
                ": can't be replaced: expected a regular file or none, got a folder");
  EXPECT_TRUE(folder.empty());
}

TEST(report_of_a_session, is_shared_by_those_that_name_the_same_file) {
  const spill_folder folder;
  const auto path = folder.path() + "/run.html";
  {
    session a(options{.threads = 1, .report = path});
    {
      session b(options{.threads = 2, .report = path});
      EXPECT_EQ(b.range(0, 10).map([](int x) { return x * 2L; }).sum(), 90);
    }
    EXPECT_FALSE(std::filesystem::exists(path)) << "another session goes on";
    EXPECT_EQ(a.range(0, 10).filter([](int x) { return x > 4; }).count(), 5);
  }
  const auto text = text_of(path);
  for (const char* part : {"in 2 sessions", "range·map·sum", "range·filter·count"})
    EXPECT_TRUE(has(text, part)) << part;
}

TEST(report_of_a_session, tells_what_went_to_the_disk) {
  const spill_folder folder;
  const auto path = folder.path() + "/run.html";
  {
    session s(
        options{.threads = 2, .host_memory = 24 << 20, .spill = folder.path(), .report = path});
    std::vector<collection<double>> kept;
    for (int i = 0; i < 4; ++i)
      kept.push_back(s.range(0, 1'000'000).map([i](int x) { return x * 0.5 + i; }).cache());
    double first = 0, again = 0;
    for (const auto& rows : kept) first += rows.sum();
    for (const auto& rows : kept) again += rows.sum();
    EXPECT_EQ(first, again);
  }
  const auto text = text_of(path);
  EXPECT_EQ(why_not_well_formed(text), "");
  for (const char* part :
       {"memory was short of 24 MiB", "went to the spill file", "docs/guides/memory.md",
        "went to the disk", "spill: writes", "written to spill files"})
    EXPECT_TRUE(has(text, part)) << part;
}

TEST(report_of_a_session, escapes_the_names_of_files) {
  const spill_folder folder;
  const auto path = folder.path() + "/run.html";
  const auto table = folder.path() + "/<i>a&b'\".csv";
  std::ofstream(table) << "shop,price\n1,2\n3,4\n";
  {
    session s(options{.threads = 1, .report = path});
    EXPECT_EQ(s.csv<sale>(table).count(), 2);
  }
  const auto text = text_of(path);
  EXPECT_EQ(why_not_well_formed(text), "");
  EXPECT_TRUE(has(text, "&lt;i&gt;a&amp;b'\".csv"));
  EXPECT_FALSE(has(text, "<i>"));
}

TEST(report_of_a_session, counts_records_between_operators_in_the_first_run_of_a_query_alone) {
  const spill_folder folder;
  static std::atomic<int> calls{0};
  session s(options{.threads = 1, .report = folder.path() + "/run.html"});
  const auto run = [&] {
    return s.range(0, 1000)
        .filter([](int x) {
          ++calls;
          return x % 2 == 0;
        })
        .map([](int x) { return x; })
        .sum()
        .get();
  };
  calls = 0;
  run();
  const int first = calls.exchange(0);
  run();
  EXPECT_EQ(calls.load(), 1000);
  EXPECT_EQ(first, 2000);
}

TEST(report_of_a_session, tells_of_queries_that_failed) {
  const spill_folder folder;
  const auto path = folder.path() + "/run.html";
  {
    session s(options{.threads = 1, .report = path});
    const auto fails = s.range(0, 10).map([](int x) -> int {
      if (x == 7) throw std::runtime_error("no <seven>");
      return x;
    });
    EXPECT_THROW(fails.sum().get(), std::runtime_error);
  }
  const auto text = text_of(path);
  EXPECT_EQ(why_not_well_formed(text), "");
  EXPECT_TRUE(has(text, "1 failed; the last: "));
  EXPECT_TRUE(has(text, "no &lt;seven&gt;"));
}

TEST(report_of_a_session, has_the_queries_of_all_threads) {
  const spill_folder folder;
  const auto path = folder.path() + "/run.html";
  constexpr int threads = 4, queries = 100;
  {
    session s(options{.threads = 2, .report = path});
    const auto ask = [&] {
      for (int i = 0; i < queries; ++i)
        EXPECT_EQ(s.range(0, 100).filter([](int x) { return x % 4 == 0; }).count(), 25);
    };
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t) all.emplace_back(ask);
    for (auto& one : all) one.join();
    EXPECT_EQ(report::open_collector(path)->content().runs, threads * queries);
  }
  const auto text = text_of(path);
  EXPECT_EQ(why_not_well_formed(text), "");
  EXPECT_TRUE(has(text, "ran 400 times"));
}

TEST(report_of_a_session, has_launches) {
  const spill_folder folder;
  const auto path = folder.path() + "/run.html";
  {
    session s(options{.threads = 2, .report = path});
    auto numbers = s.zeros<float>({1000});
    s.for_each({1000}, [](idx<1> i, updates<float> v) { v[i] += 1; }, numbers);
    s.wait();
  }
  const auto text = text_of(path);
  EXPECT_EQ(why_not_well_formed(text), "");
  EXPECT_TRUE(has(text, "<th>launches over arrays</th>"));
  EXPECT_TRUE(has(text, "of launches ran"));
}

/// The facts of the one query that `run` runs.
template <typename Run>
report::query_facts facts_of_one(Run&& run) {
  const spill_folder folder;
  const auto path = folder.path() + "/run.html";
  session s(options{.threads = 2, .report = path});
  run(s);
  const auto all = report::open_collector(path)->content();
  EXPECT_EQ(all.queries.size(), 1u);
  return all.queries.empty() ? report::query_facts{} : all.queries.front();
}

TEST(facts_of_a_query, say_what_stages_yield_and_what_explain_says_of_them) {
  const auto q = facts_of_one([](session& s) {
    std::vector<long> numbers;
    for (long i = 0; i < 1000; ++i) numbers.push_back(i * 7919 % 1'003);
    EXPECT_EQ(s.from(numbers).sort_by([](long x) { return x; }).take(3).collect().size(), 3u);
  });
  ASSERT_EQ(q.stages.size(), 3u);
  EXPECT_EQ(q.stages[1].planned, std::vector<std::string>{"only the first 3 rows are read"});
  EXPECT_TRUE(q.stages[1].repeats.empty());
  EXPECT_EQ(q.stages[2].inputs, std::vector<std::size_t>{1});
  EXPECT_EQ(q.stages[1].rows_in, 1000);
  EXPECT_EQ(q.stages[1].rows_out, 3);
  EXPECT_EQ(q.stages[2].rows_out, 3);
  EXPECT_EQ(q.stages[1].place, "cpu");
  EXPECT_GT(q.stages[1].seconds, 0);
  EXPECT_LE(q.stages[1].seconds, q.seconds);
}

TEST(facts_of_a_query, say_what_is_read_of_a_file_and_what_an_index_takes) {
  const spill_folder folder;
  const auto table = folder.path() + "/sales.csv";
  std::ofstream(table) << "shop,price\n1,2\n3,4\n1,6\n";
  const auto q = facts_of_one([&](session& s) {
    const std::vector<sale> shops{{1, 0.5}, {2, 0.25}};
    auto both =
        s.csv<sale>(table).join(s.from(shops), &sale::shop, &sale::shop,
                                [](const sale& a, const sale& b) { return a.price * b.price; });
    EXPECT_EQ(both.sum(), 4);
  });
  std::size_t files = 0, indexes = 0, joins = 0;
  for (const auto& s : q.stages) {
    if (s.what == report::stage_facts::kind::reads_file) {
      ++files;
      EXPECT_EQ(s.path, table);
      EXPECT_EQ(s.columns, 2u);
      EXPECT_TRUE(s.text);
      EXPECT_EQ(s.rows_out, 3);
      EXPECT_EQ(s.bytes, 23);
    }
    if (s.index_bytes > 0) {
      ++indexes;
      EXPECT_EQ(s.rows_in, 2);
    }
    if (s.sides.empty()) continue;
    ++joins;
    EXPECT_GT(q.stages[s.sides[0]].index_bytes, 0);
    ASSERT_EQ(s.operators.size(), 1u);
    EXPECT_EQ(s.operators[0].name, "join");
    EXPECT_NEAR(s.operators[0].kept, 2.0 / 3, 1e-12);
  }
  EXPECT_EQ(files, 1u);
  EXPECT_EQ(indexes, 1u);
  EXPECT_EQ(joins, 1u);
}

TEST(facts_of_a_query, tell_collections_apart_however_equal_they_are) {
  const spill_folder folder;
  const auto path = folder.path() + "/run.html";
  session s(options{.threads = 1, .report = path});
  const auto nodes = [&] {
    std::set<std::uint64_t> all;
    for (const auto& q : report::open_collector(path)->content().queries)
      for (const auto& stage : q.stages)
        if (stage.label == "sort_by") all.insert(stage.node);
    return all.size();
  };
  const std::vector<long> numbers{3, 1, 2};
  const auto sorted = s.from(numbers).sort_by([](long x) { return x; });
  EXPECT_EQ(sorted.count(), 3);
  EXPECT_EQ(sorted.sum(), 6);
  EXPECT_EQ(nodes(), 1u) << "two queries read it";
  const auto again = s.from(numbers).sort_by([](long x) { return x; });
  EXPECT_EQ(again.min(), 1);
  EXPECT_EQ(nodes(), 2u);
}

TEST(facts_of_a_query, are_those_of_a_shape_for_queries_that_are_made_again) {
  const spill_folder folder;
  const auto path = folder.path() + "/run.html";
  session s(options{.threads = 1, .report = path});
  const auto odd = [&](int n) {
    return s.range(0, n).filter([](int x) { return x % 2 == 1; }).count().get();
  };
  const auto third = [&](int n) {
    return s.range(0, n).filter([](int x) { return x % 3 == 0; }).count().get();
  };
  for (int i = 1; i <= 5; ++i) odd(100 * i);
  third(100);
  const auto all = report::open_collector(path)->content();
  ASSERT_EQ(all.queries.size(), 2u) << "of functions that differ";
  EXPECT_EQ(all.queries[0].runs, 5);
  EXPECT_EQ(all.queries[1].runs, 1);
  EXPECT_EQ(all.runs, 6);
}

}  // namespace
}  // namespace pappus
