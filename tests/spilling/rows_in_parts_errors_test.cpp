// What becomes of rows in parts where disks fail, queries are cancelled and functions throw.
#include <cstdint>
#include <cstdlib>
#include <stdexcept>

#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "spilling/items_on_disk.h"
#include "support/bad_disks.h"
#include "support/cancels.h"

namespace pappus::rows_in_parts {
namespace {

TEST(rows_in_parts, that_are_lost_are_computed_again) {
  const a_disk disk;
  const double expected =
      session(settings(disk.folder, plenty)).raw<item>(disk.path).sum(&item::value).get();
  ::setenv("PAPPUS_IO", "faulty:seed=3+eio=0.01", 1);
  session s(settings(disk.folder, little));
  ::unsetenv("PAPPUS_IO");
  int good = 0, failed = 0;
  const auto kept = s.raw<item>(disk.path).cache();
  for (int i = 0; i < 60 && (good == 0 || failed == 0); ++i) try {
      EXPECT_EQ(kept.sum(&item::value).get(), expected);
      ++good;
    } catch (const spill_error&) {
      ++failed;
    }
  EXPECT_GT(good, 0);
  EXPECT_GT(failed, 0);
}

TEST(rows_in_parts, on_bad_disks_are_right_or_an_error) {
  const a_disk disk;
  session with_plenty(settings(disk.folder, plenty));
  const auto run = [&](session& s) {
    const collection<item> kept =
        s.raw<item>(disk.path).map([](const item& one) { return item{one.key + 1, one.value}; });
    const auto sums = kept.group_by(&item::key).sum(&item::value);
    return kept
        .join(
            sums, &item::key, [](const auto& g) { return g.key; },
            [](const item& one, const auto& g) { return one.value - g.value; })
        .sum()
        .get();
  };
  const auto expected = run(with_plenty);
  testing::expect_right_or_spill_error(
      {.faults = "+eio=0.0001+flip=0.0001", .little = "2MiB", .count = 6},
      settings(disk.folder, little), "", [&](session& s) { return run(s) == expected; });
}

TEST(rows_in_parts, are_cancelled) {
  const a_disk disk;
  session s(settings(disk.folder, little));
  testing::expect_cancellable_at_any_time(s, 25'000, 1'250, [&] {
    const auto kept = s.raw<item>(disk.path).cache();
    const auto all = kept.count().get();
    EXPECT_EQ(kept.sort_by(&item::value).map(&item::key).count().get(), all);
  });
}

TEST(rows_in_parts, of_functions_that_throw_leave_nothing) {
  const a_disk disk;
  session s(settings(disk.folder, little));
  const auto bad = [&](std::int64_t row) {
    return s.raw<item>(disk.path)
        .map([row](const item& one) {
          if (one.value == item_of(row).value) throw std::runtime_error("bad row");
          return one;
        })
        .cache();
  };
  for (const std::int64_t row : {0L, 62'500L, file_rows - 1}) {
    const auto kept = bad(row);
    EXPECT_THROW(kept.count().get(), std::runtime_error);
    EXPECT_EQ(s.host_memory_used(), 0u);
  }
}

}  // namespace
}  // namespace pappus::rows_in_parts
