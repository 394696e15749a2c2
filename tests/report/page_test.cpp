#include "report/page.h"

#include <string>

#include <gtest/gtest.h>

#include "report/collector.h"
#include "report/pictures.h"
#include "report/well_formed.h"
#include "support/spill_folder.h"

namespace pappus::report {
namespace {

using pappus::testing::spill_folder;
using pappus::testing::why_not_well_formed;
using kind = stage_facts::kind;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
  return n;
}

/// Stages of which each reads the one before it.
query_facts chain(std::size_t stages, double seconds) {
  query_facts q;
  q.seconds = seconds;
  for (std::size_t i = 0; i < stages; ++i) {
    auto& s = q.stages.emplace_back();
    s.label = "filter·map";
    s.rows_in = 1000;
    s.rows_out = 250;
    s.seconds = seconds / static_cast<double>(stages);
    s.threads = 2;
    if (i > 0) s.inputs = {i - 1};
  }
  return q;
}

page_content page_of(query_facts q) {
  page_content all;
  all.machine.threads = 2;
  all.runs = 1;
  all.queries = {std::move(q)};
  return all;
}

TEST(page, is_well_formed_whatever_names_hold) {
  const std::string hostile = "</script><b onclick='x()'>\" & \x01 \xff \xc3\xa9 ]]> --> .csv";
  auto q = chain(3, 0.5);
  auto& s = q.stages[0];
  s.what = kind::reads_file;
  s.label = s.path = hostile;
  q.runs = 2;
  for (auto& stage : q.stages) {
    stage.notes = stage.planned = stage.repeats = stage.refused = {hostile};
    stage.maths = hostile;
    stage.operators = {{hostile, 0.5}};
    stage.steps = {{hostile, 0.3, 1}};
  }
  auto all = page_of(q);
  all.machine.processor = hostile;
  all.device_faults = {hostile};
  all.launches = {{1, hostile, 1, 1, 0.1, 0.1, hostile}};
  trace::timeline over_time;
  const auto now = trace::clock::now();
  using std::chrono::milliseconds;
  over_time.add(trace::track_kind::worker, hostile, hostile, now, now + milliseconds(3));
  over_time.sample_by([] { return trace::memory_levels{100, 200, 50}; });
  over_time.sample();
  all.over_time = over_time.taken();
  const auto text = page_text(all);
  EXPECT_EQ(why_not_well_formed(text), "");
  EXPECT_FALSE(has(text, "<b onclick"));
  EXPECT_FALSE(has(text, "<script"));
  EXPECT_TRUE(has(text, "&lt;/script&gt;&lt;b onclick="));
}

TEST(page, needs_nothing_from_elsewhere) {
  const auto text = page_text(page_of(chain(3, 0.5)));
  for (const char* part : {"src=", "href=", "url(", "@import", "<script", "<link"})
    EXPECT_FALSE(has(text, part)) << part;
  EXPECT_EQ(count(text, "http"), count(text, "xmlns=\"http")) << "names of vocabularies alone";
}

TEST(page, tells_a_remedy_once) {
  auto q = chain(2, 0.5);
  for (auto& s : q.stages) s.repeats = {"map is recomputed here"};
  const auto text = page_text(page_of(q));
  EXPECT_EQ(count(text, "filter·map: map is recomputed here; it took"), 2u);
  EXPECT_EQ(count(text, "docs/guides/sharing.md"), 1u);
}

TEST(page, says_so_where_there_is_nothing_to_say) {
  const auto text = page_text({});
  EXPECT_EQ(why_not_well_formed(text), "");
  EXPECT_TRUE(has(text, "Nothing that Pappus knows of."));
  EXPECT_TRUE(has(text, "None ran."));
}

TEST(page, shows_equal_queries_once_with_their_longest_run_and_what_the_first_one_counted) {
  const spill_folder folder;
  collector all(folder.path() + "/run.html");
  EXPECT_TRUE(all.is_new(7));
  for (const double seconds : {0.2, 0.5, 0.3}) {
    auto q = chain(2, seconds);
    q.shape = 7;
    q.spilled = 100;
    if (seconds == 0.2) q.stages[1].operators = {{"filter", 0.25}};
    all.add(std::move(q));
  }
  EXPECT_FALSE(all.is_new(7));
  const auto content = all.content();
  ASSERT_EQ(content.queries.size(), 1u);
  const auto& q = content.queries[0];
  EXPECT_EQ(q.runs, 3);
  EXPECT_EQ(q.seconds, 0.5);
  EXPECT_EQ(q.least_s, 0.2);
  EXPECT_DOUBLE_EQ(q.sum_s, 1);
  EXPECT_EQ(q.spilled, 300);
  EXPECT_EQ(q.stages[0].seconds, 0.25);
  ASSERT_EQ(q.stages[1].operators.size(), 1u);
  EXPECT_EQ(q.stages[1].operators[0].kept, 0.25);
  const auto text = page_text(content);
  EXPECT_TRUE(has(text, "ran 3 times, 1.00 s together, from 200.00 ms to 500.00 ms"));
  EXPECT_TRUE(has(text, "filter keeps 25 %"));
}

TEST(collector, knows_which_collections_are_computed_again) {
  const spill_folder folder;
  collector all(folder.path() + "/run.html");
  for (const std::uint64_t shape : {1, 2, 3}) {
    auto q = chain(2, 0.5);
    q.shape = shape;
    q.stages[0].node = 77;
    q.stages[1].node = shape;
    all.add(std::move(q));
  }
  const auto content = all.content();
  ASSERT_EQ(content.recomputed.size(), 1u);
  EXPECT_EQ(content.recomputed[0].label, "filter·map");
  EXPECT_EQ(content.recomputed[0].times, 3);
  EXPECT_DOUBLE_EQ(content.recomputed[0].seconds, 0.75);
}

TEST(page, has_bounds_whatever_runs) {
  const spill_folder folder;
  collector all(folder.path() + "/run.html");
  using std::chrono::microseconds;
  const auto begin = trace::clock::now();
  for (int i = 0; i < 10'000; ++i) {
    auto q = chain(100, i == 5000 ? 9 : 0.001);
    q.shape = static_cast<std::uint64_t>(i);
    if (i == 5000) q.stages[0].label = "the_longest";
    all.add(std::move(q));
    for (int thread = 0; thread < 64; ++thread)
      all.timeline()->add(trace::track_kind::worker, "thread " + std::to_string(thread),
                          "step " + std::to_string((i * 7 + thread) % 1000),
                          begin + microseconds(100 * i),
                          begin + microseconds(100 * i + 30 + thread));
  }
  const auto content = all.content();
  EXPECT_EQ(content.queries.size(), collector::kept_max);
  EXPECT_EQ(content.runs, 10'000);
  EXPECT_EQ(content.other_runs, 10'000 - static_cast<std::int64_t>(collector::kept_max));
  const auto text = page_text(content);
  EXPECT_EQ(why_not_well_formed(text), "");
  EXPECT_LT(text.size(), 3'000'000u);
  EXPECT_TRUE(has(text, "the_longest"));
  EXPECT_TRUE(has(text, "... and 9,960 runs of other queries"));
  EXPECT_TRUE(has(text, "... 60 more stages"));
  EXPECT_TRUE(has(text, "... 24 more tracks"));
  EXPECT_TRUE(has(text, "640,000 spans in all"));
}

TEST(picture_of_a_query, has_a_box_a_stage_and_an_arrow_for_each_that_reads_its_rows) {
  auto q = chain(4, 0.4);
  q.stages[3].inputs = {0};
  q.stages[3].sides = {2};
  q.stages[2].label = "index";
  q.stages[2].index_bytes = 4096;
  const auto text = draw_query(q, 2);
  EXPECT_EQ(why_not_well_formed(text), "");
  EXPECT_EQ(count(text, "<rect class=\"stage\""), 4u);
  EXPECT_EQ(count(text, "<path class=\"head\""), 4u);
  EXPECT_EQ(count(text, "<path class=\"edge\""), 3u);
  EXPECT_EQ(count(text, "<path class=\"edge side\""), 1u);
  EXPECT_TRUE(has(text, ">s2 index<"));
  EXPECT_TRUE(has(text, ">1,000 rows indexed, about 4 KiB, 2 of 2 threads<"));
  EXPECT_TRUE(has(text, ">250 rows, also to s3<"));
}

TEST(picture_of_a_query, tells_of_a_stage_what_is_known) {
  auto s = chain(1, 1).stages[0];
  s.bytes = 3 << 20;
  s.windows = 12;
  s.cached = true;
  EXPECT_EQ(facts_text(s, 8),
            "1,000 → 250 rows, 3 MiB, 2 of 8 threads, 12 windows, kept by cache()");
  s.operators = {{"filter", 0.125}, {"flat_map", 2.5}};
  EXPECT_EQ(operators_text(s), "filter keeps 12.5 %, flat_map yields 2.5 for each");
  s = {};
  s.what = kind::reads_file;
  s.rows_out = 10;
  s.bytes = 2048;
  s.columns = 8;
  s.used_columns = 2;
  EXPECT_EQ(facts_text(s, 8), "10 rows of 2 KiB, 2 of 8 columns");
}

}  // namespace
}  // namespace pappus::report
