#include "trace/timeline.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace {

using pappus::trace::clock;
using pappus::trace::timeline;
using pappus::trace::track_kind;
using std::chrono::microseconds;
using std::chrono::seconds;

double busy(const timeline::track& of) {
  double all = 0;
  for (const auto& slot : of.slots) all += static_cast<double>(slot.busy_s);
  return all;
}

TEST(timeline, keeps_how_long_a_track_was_busy_however_long_time_goes_on) {
  const auto start = clock::now();
  timeline all(start);
  for (int i = 0; i < 1000; ++i)
    all.add(track_kind::worker, "thread 0", "sort", start + seconds(i),
            start + seconds(i) + microseconds(250'000));
  const auto content = all.taken();
  ASSERT_EQ(content.tracks.size(), 1u);
  const auto& track = content.tracks[0];
  EXPECT_EQ(track.spans, 1000);
  EXPECT_LE(track.slots.size(), timeline::slots_max);
  EXPECT_GT(track.slots.size(), timeline::slots_max / 2 - 1);
  EXPECT_NEAR(busy(track), 250, 0.1);
  EXPECT_NEAR(track.busy_s, 250, 0.1);
  EXPECT_NEAR(content.labels[0].seconds, 250, 0.1);
}

TEST(timeline, has_each_span_where_it_was) {
  const auto start = clock::now();
  timeline all(start);
  all.add(track_kind::worker, "thread 0", "a", start + microseconds(100),
          start + microseconds(200));
  all.add(track_kind::worker, "thread 0", "b", start + microseconds(300),
          start + microseconds(900));
  const auto content = all.taken();
  const auto& slots = content.tracks[0].slots;
  EXPECT_NEAR(content.slot_s, 1e-6, 1e-12);
  const auto label = [&](std::size_t slot) {
    const auto number = slots[slot].label;
    return number == timeline::no_label ? std::string() : content.labels[number].text;
  };
  EXPECT_EQ(label(50), "");
  EXPECT_EQ(label(150), "a");
  EXPECT_EQ(label(250), "");
  EXPECT_EQ(label(600), "b");
}

TEST(timeline, keeps_the_label_that_a_slot_had_longest) {
  const auto start = clock::now();
  timeline all(start);
  for (int i = 0; i < 1000; ++i) {
    const auto begin = start + microseconds(1000 * i);
    all.add(track_kind::worker, "thread 0", "short", begin, begin + microseconds(100));
    all.add(track_kind::worker, "thread 0", "long", begin + microseconds(100),
            begin + microseconds(900));
  }
  const auto content = all.taken();
  int of_long = 0, of_short = 0;
  for (const auto& slot : content.tracks[0].slots)
    if (slot.label != timeline::no_label)
      ++(content.labels[slot.label].text == "long" ? of_long : of_short);
  EXPECT_GT(of_long, 20 * of_short);
}

TEST(timeline, takes_spans_that_overlap_for_one) {
  const auto start = clock::now();
  timeline all(start);
  for (int i = 0; i < 4; ++i)
    all.add(track_kind::disk, "writes", "write", start, start + seconds(2));
  EXPECT_NEAR(busy(all.taken().tracks[0]), 2, 0.01);
}

TEST(timeline, counts_spans_of_tracks_and_labels_that_are_too_many) {
  const auto start = clock::now();
  timeline all(start);
  for (std::size_t i = 0; i < timeline::tracks_max + 10; ++i)
    all.add(track_kind::worker, "thread " + std::to_string(i), "label " + std::to_string(i), start,
            start + microseconds(1));
  for (std::size_t i = 0; i < 2 * timeline::labels_max; ++i)
    all.add(track_kind::worker, "thread 0", "name " + std::to_string(i), start,
            start + microseconds(1));
  const auto content = all.taken();
  EXPECT_EQ(content.tracks.size(), timeline::tracks_max);
  EXPECT_EQ(content.left_out, 10);
  EXPECT_EQ(content.labels.size(), timeline::labels_max);
  EXPECT_EQ(content.labels.back().text, "others");
}

TEST(timeline, looks_at_memory_no_more_than_once_in_a_while) {
  timeline all;
  int asked = 0;
  all.sample_by([&] {
    ++asked;
    return pappus::trace::memory_levels{static_cast<double>(asked), 0, 0};
  });
  for (int i = 0; i < 1000; ++i) all.sample_if_due();
  EXPECT_GE(asked, 1);
  EXPECT_LT(asked, 1000);
  all.sample();
  EXPECT_EQ(all.taken().most.in_use, asked);
  all.sample_by(nullptr);
  const int before = asked;
  all.sample();
  EXPECT_EQ(asked, before);
}

}  // namespace
