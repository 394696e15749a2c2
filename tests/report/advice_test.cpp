#include "report/advice.h"

#include <string>

#include <gtest/gtest.h>

namespace pappus::report {
namespace {

using kind = stage_facts::kind;

constexpr machine_facts two_threads{
    .processor = {}, .threads = 2, .budget = 512 << 20, .last_cache = 16 << 20};

stage_facts stage(const std::string& label, double seconds) {
  stage_facts s;
  s.label = label;
  s.seconds = seconds;
  s.rows_in = s.rows_out = 1'000'000;
  return s;
}

stage_facts file(const std::string& path, double seconds) {
  auto s = stage(path, seconds);
  s.what = kind::reads_file;
  s.path = path;
  s.bytes = 480 << 20;
  s.columns = s.used_columns = 8;
  return s;
}

query_facts query(std::vector<stage_facts> stages) {
  query_facts q;
  for (const auto& s : stages) q.seconds += s.seconds;
  q.sum_s = q.least_s = q.seconds;
  q.stages = std::move(stages);
  return q;
}

TEST(advice, tells_of_a_long_step_on_one_thread_where_there_are_more) {
  auto s = stage("map_groups", 1.2);
  s.steps = {{"sort", 0.2, 2}, {"call functions", 1, 1}};
  const auto found = ran_on_one_thread("s1", s, 2);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->finding, "s1: its step \"call functions\" took 1.00 s on 1 of 2 threads");
  EXPECT_EQ(found->page, "guides/environment.md");
  EXPECT_EQ(found->seconds, 0.5);
  EXPECT_FALSE(ran_on_one_thread("s1", s, 1)) << "there is no other";
  s.steps[1].threads = 2;
  EXPECT_FALSE(ran_on_one_thread("s1", s, 2));
  s.steps[1] = {"call functions", 0.001, 1};
  EXPECT_FALSE(ran_on_one_thread("s1", s, 2)) << "it was over at once";
  s.steps[1] = {"call functions", 1, 1};
  s.place = "opencl:0";
  EXPECT_FALSE(ran_on_one_thread("s1", s, 2));
}

TEST(advice, tells_why_a_stage_was_kept_off_devices) {
  auto s = stage("map·sum", 1.5);
  EXPECT_FALSE(kept_off_devices("s1", s));
  s.refused = {"opencl:0: its function calls malloc"};
  const auto found = kept_off_devices("s1", s);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->finding, "s1: 1.50 s on the CPU; not on opencl:0: its function calls malloc");
  s.place = "opencl:1";
  EXPECT_FALSE(kept_off_devices("s1", s)) << "it ran on another one";
  s.place = "cpu";
  s.seconds = 0.001;
  EXPECT_FALSE(kept_off_devices("s1", s));
}

TEST(advice, tells_of_a_stage_that_a_device_handed_over) {
  auto s = stage("sort_by", 0.5);
  EXPECT_FALSE(moved_to_cpu("s1", s));
  s.moved_to_cpu = true;
  s.notes = {"opencl:0: memory was short"};
  const auto found = moved_to_cpu("s1", s);
  ASSERT_TRUE(found);
  EXPECT_EQ(
      found->finding,
      "s1: a device was to run it, and the CPU did, in 500.00 ms: opencl:0: memory was short");
}

TEST(advice, passes_on_what_fast_floats_would_gain) {
  auto s = stage("map", 0.5);
  EXPECT_FALSE(maths_one_at_a_time("s1", s));
  s.maths = "std::exp stays scalar";
  const auto found = maths_one_at_a_time("s1", s);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->finding, "s1: std::exp stays scalar; it took 500.00 ms");
  EXPECT_EQ(found->page, "guides/compiler.md#numbers");
  s.seconds = 0.001;
  EXPECT_FALSE(maths_one_at_a_time("s1", s));
}

TEST(advice, tells_of_copies_that_were_to_take_longer_than_kernels) {
  auto s = stage("map", 0.5);
  s.place = "opencl:0";
  s.copies_s = 0.4;
  s.kernels_s = 0.1;
  const auto found = copies_longer_than_kernels("s1", s);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->finding,
            "s1: took 500.00 ms on opencl:0, of which copies were predicted to "
            "take 400.00 ms, kernels 100.00 ms");
  s.kernels_s = 0.4;
  EXPECT_FALSE(copies_longer_than_kernels("s1", s));
  s.kernels_s = 0.1;
  s.place = "cpu";
  EXPECT_FALSE(copies_longer_than_kernels("s1", s));
}

TEST(advice, tells_of_an_index_that_the_shared_cache_has_no_room_for) {
  auto index = stage("index", 0.1);
  index.index_bytes = 80 << 20;
  const auto joins = stage("join·sum", 0.5);
  const auto found = index_beyond_caches("s2", index, joins, two_threads);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->finding,
            "s2: looks keys up in an index of 1,000,000 rows, about 80 MiB, while "
            "cores share 16 MiB of cache; it took 500.00 ms");
  index.index_bytes = 8 << 20;
  EXPECT_FALSE(index_beyond_caches("s2", index, joins, two_threads));
  index.index_bytes = 0;  // it is no index
  EXPECT_FALSE(index_beyond_caches("s2", index, joins, two_threads));
}

TEST(advice, tells_of_text_that_is_read_for_few_of_its_columns) {
  auto s = file("a.csv", 2);
  s.text = true;
  EXPECT_FALSE(text_of_unused_columns("s0", s)) << "all are used";
  s.used_columns = 2;
  const auto found = text_of_unused_columns("s0", s);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->finding, "s0: 480 MiB of text took 2.00 s to read for 2 of its 8 columns");
  EXPECT_EQ(found->seconds, 1.5);
  s.text = false;
  EXPECT_FALSE(text_of_unused_columns("s0", s)) << "columns are read one by one";
}

TEST(advice, passes_on_what_is_computed_twice) {
  auto s = stage("map·sum", 0.5);
  EXPECT_FALSE(computed_twice("s2", s));
  s.repeats = {"map is recomputed here and in s1"};
  const auto found = computed_twice("s2", s);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->finding, "s2: map is recomputed here and in s1; it took 500.00 ms");
  EXPECT_EQ(found->page, "guides/sharing.md");
}

TEST(advice, tells_of_rows_that_went_to_the_disk) {
  auto q = query({stage("sort_by", 1)});
  EXPECT_FALSE(went_to_the_disk("query 1", q, two_threads));
  q.spilled = 700 << 20;
  q.read_back = 600 << 20;
  const auto found = went_to_the_disk("query 1", q, two_threads);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->finding,
            "query 1: memory was short of 512 MiB: 700 MiB went to the spill file, "
            "600 MiB came back");
}

TEST(advice, tells_of_many_short_runs) {
  auto q = query({stage("count", 0)});
  q.runs = 10'000;
  q.sum_s = 0.5;
  const auto found = many_short_runs("query 1", q);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->finding, "query 1: ran 10,000 times, 50.0 us each, 500.00 ms together");
  q.sum_s = 500;
  EXPECT_FALSE(many_short_runs("query 1", q)) << "they weren't short";
  q.runs = 10;
  q.sum_s = 0.0005;
  EXPECT_FALSE(many_short_runs("query 1", q));
}

TEST(advice, tells_of_a_file_that_several_runs_read) {
  auto q = query({file("a.csv", 1)});
  EXPECT_TRUE(read_again(std::vector{q}).empty());
  q.runs = 3;
  const std::vector queries{q, query({file("b.csv", 1)}), query({file("a.csv", 1)})};
  const auto found = read_again(queries);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].finding, "a.csv: was read 4 times, in about 4.00 s");
  EXPECT_EQ(found[0].seconds, 3);
}

TEST(advice, tells_of_a_collection_that_several_runs_computed) {
  const auto found = computed_again({"sort_by", 4, 2});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->finding, "sort_by: one collection was computed 4 times, in 2.00 s");
  EXPECT_EQ(found->seconds, 1.5);
  EXPECT_FALSE(computed_again({"sort_by", 1, 2}));
  EXPECT_FALSE(computed_again({"sort_by", 4, 0.001}));
}

TEST(advice, tells_of_reading_that_waited_for_decompression) {
  const std::vector compressed{query({file("a.csv.gz", 2)})}, plain{query({file("a.csv", 2)})};
  const auto found = waited_for_decompression(compressed, 1.9);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->finding,
            "Decompression took 1.90 s of about 2.00 s in which compressed text was read");
  EXPECT_FALSE(waited_for_decompression(compressed, 0.5));
  EXPECT_FALSE(waited_for_decompression(plain, 1.9));
}

TEST(advice, begins_with_what_takes_most_and_leaves_out_what_hardly_matters) {
  page_content all;
  all.machine = two_threads;
  auto little = stage("map·sum", 0.02), much = stage("map·sum", 3), some = stage("map·sum", 1);
  for (auto* s : {&little, &much, &some}) s->repeats = {"map is recomputed here and in s0"};
  all.queries = {query({little}), query({some}), query({much})};
  all.runs_s = 4.02;
  const auto found = advice_on(all);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].finding.substr(0, 19), "query 3, s0 map·su");
  EXPECT_EQ(found[1].finding.substr(0, 19), "query 2, s0 map·su");
  EXPECT_EQ(advice_on(all, 1).size(), 1u);
  all.queries = {query({stage("sum", 3)})};
  EXPECT_TRUE(advice_on(all).empty());
}

}  // namespace
}  // namespace pappus::report
