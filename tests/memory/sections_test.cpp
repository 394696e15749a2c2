#include "memory/sections.h"

#include <sys/mman.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/rows_in.h"
#include "memory/store.h"
#include "pappus/error.h"
#include "support/spill_folder.h"

namespace pappus::memory {
namespace {

using graph::lease_time;
using graph::leased_bytes;
using ::testing::HasSubstr;
using testing::spill_folder;

constexpr std::size_t one_mib = std::size_t{1} << 20, section_size = std::size_t{64} << 10;

struct array_machine {
  spill_folder folder;
  std::shared_ptr<pool> memory;
  std::shared_ptr<store> rows;
  explicit array_machine(std::size_t limit, std::string io = "", std::size_t disk = 0,
                         bool off = false)
      : memory(std::make_shared<pool>(limit)),
        rows(store::make(memory, {off, folder.path(), disk, std::move(io)})) {}

  sections& arrays() const { return *rows->arrays(); }
  std::shared_ptr<graph::pageable> make(std::size_t bytes) const {
    return arrays().make(bytes, "an array");
  }
  graph::lease_ptr take(const std::shared_ptr<graph::pageable>& of, std::size_t begin,
                        std::size_t end, bool writes, lease_time lasts = lease_time::brief) const {
    const leased_bytes one{of.get(), begin, end, true, writes};
    return arrays().take({&one, 1}, lasts, "a test");
  }
};

void put_numbers(const graph::pageable& to, std::size_t begin, std::size_t end,
                 std::uint64_t seed) {
  for (auto at = begin; at < end; at += 8) {
    const auto value = seed * 1'000'003 + at;
    std::memcpy(to.data() + at, &value, 8);
  }
}
bool has_numbers(const graph::pageable& of, std::size_t begin, std::size_t end,
                 std::uint64_t seed) {
  for (auto at = begin; at < end; at += 8) {
    std::uint64_t value = 0;
    std::memcpy(&value, of.data() + at, 8);
    if (value != seed * 1'000'003 + at) return false;
  }
  return true;
}

TEST(sections, go_to_the_disk_and_come_back) {
  const array_machine m(4 * one_mib);
  constexpr std::size_t bytes = 16 * one_mib + 4096 + 8;  // of the last section: little
  const auto array = m.make(bytes);
  ASSERT_NE(array, nullptr);
  EXPECT_EQ(m.memory->in_use(), 0U) << "nothing is taken before somebody needs it";
  for (int pass = 0; pass < 3; ++pass) {
    for (std::size_t at = 0; at < bytes; at += one_mib) {
      const auto end = std::min(bytes, at + one_mib);
      const auto lease = m.take(array, at, end, pass != 1);
      if (pass > 0) {
        ASSERT_TRUE(has_numbers(*array, at, end, pass == 2 ? 0 : pass - 1)) << pass << ' ' << at;
      }
      if (pass != 1) put_numbers(*array, at, end, static_cast<std::uint64_t>(pass));
    }
    EXPECT_LE(m.memory->peak(), 4 * one_mib);
  }
  EXPECT_GE(m.rows->spilled_bytes(), 12 * one_mib);
  EXPECT_GE(m.rows->bytes_read_back(), 2 * 12 * one_mib);
}

TEST(sections, that_nobody_changed_are_written_once) {
  const array_machine m(4 * one_mib);
  const auto array = m.make(8 * one_mib);
  const auto pass = [&](bool writes) {
    for (std::size_t at = 0; at < 8 * one_mib; at += section_size) {
      const auto lease = m.take(array, at, at + section_size, writes);
      if (writes) put_numbers(*array, at, at + section_size, 7);
      ASSERT_TRUE(has_numbers(*array, at, at + section_size, 7));
    }
  };
  pass(true);
  pass(false);
  const auto written = m.rows->spilled_bytes();
  EXPECT_LE(written, 8 * one_mib);
  for (int i = 0; i < 3; ++i) pass(false);
  EXPECT_EQ(m.rows->spilled_bytes(), written);
}

/// A loop over more than fits must not miss with every access.
TEST(sections, of_arrays_that_launches_wait_for_stay_in_part) {
  const array_machine m(8 * one_mib);
  const auto array = m.make(16 * one_mib);
  array->expect_users(1);
  for (int pass = 0; pass < 6; ++pass)
    for (std::size_t at = 0; at < 16 * one_mib; at += section_size)
      m.take(array, at, at + section_size, true);
  // The half that fits would be 40 MiB in five passes; what was used longest ago: 80.
  EXPECT_LE(m.rows->bytes_read_back(), 60 * one_mib);
  EXPECT_GE(m.rows->bytes_read_back(), 40 * one_mib);
}

TEST(sections, of_arrays_that_no_launch_waits_for_go_first) {
  const array_machine m(8 * one_mib);
  const auto idle = m.make(3 * one_mib), busy = m.make(4 * one_mib);
  busy->expect_users(1);
  m.take(busy, 0, 4 * one_mib, true);
  m.take(idle, 0, 3 * one_mib, true);
  const detail::buffer needed(*m.memory, 2 * one_mib, "somebody");
  EXPECT_EQ(m.rows->bytes_read_back(), 0U);
  m.take(busy, 0, 4 * one_mib, true);
  EXPECT_EQ(m.rows->bytes_read_back(), 0U) << "all of it was still there";
}

TEST(sections, that_were_never_written_cost_no_disk) {
  const array_machine m(4 * one_mib);
  const auto array = m.make(64 * one_mib);
  for (std::size_t at = 0; at < 64 * one_mib; at += one_mib) m.take(array, at, at + one_mib, false);
  EXPECT_EQ(m.rows->spilled_bytes(), 0U);
}

TEST(sections, that_are_written_over_are_not_read) {
  const array_machine m(4 * one_mib);
  const auto array = m.make(16 * one_mib);
  for (int pass = 0; pass < 3; ++pass)
    for (std::size_t at = 0; at < 16 * one_mib; at += one_mib) {
      const leased_bytes one{array.get(), at, at + one_mib, false, true};
      m.arrays().take({&one, 1}, lease_time::brief, "a test");
      put_numbers(*array, at, at + one_mib, 1);
    }
  EXPECT_EQ(m.rows->bytes_read_back(), 0U);
  // But a part of a section is no whole one.
  const leased_bytes part{array.get(), 8, section_size, false, true};
  const auto before = m.rows->bytes_read_back();
  for (std::size_t at = one_mib; at < 16 * one_mib; at += one_mib)
    m.take(array, at, at + one_mib, false);
  m.arrays().take({&part, 1}, lease_time::brief, "a test");
  EXPECT_GT(m.rows->bytes_read_back(), before);
  EXPECT_TRUE(has_numbers(*array, 0, 8, 1));
}

TEST(sections, are_read_where_one_of_those_who_want_them_reads) {
  const array_machine m(4 * one_mib);
  const auto array = m.make(8 * one_mib);
  for (std::size_t at = 0; at < 8 * one_mib; at += one_mib) {
    const auto lease = m.take(array, at, at + one_mib, true);
    put_numbers(*array, at, at + one_mib, 1);
  }
  const leased_bytes over{array.get(), 0, one_mib, false, true};
  const leased_bytes reads{array.get(), 8, one_mib / 2, true, false};
  for (const auto& both : {std::array{over, reads}, std::array{reads, over}}) {
    auto lease = m.arrays().take(both, lease_time::brief, "a test");
    EXPECT_TRUE(has_numbers(*array, 8, one_mib / 2, 1));
    put_numbers(*array, 0, one_mib, 1);
    lease.reset();
    m.take(array, 4 * one_mib, 8 * one_mib, false);
  }
}

TEST(sections, that_are_few_or_have_no_disk_are_none) {
  EXPECT_EQ(array_machine(4 * one_mib).make(4 * section_size - 1), nullptr);
  EXPECT_NE(array_machine(4 * one_mib).make(4 * section_size), nullptr);
  EXPECT_EQ(array_machine(4 * one_mib, "", 0, true).make(one_mib), nullptr);
  const array_machine small(4 * one_mib, "", 2 * one_mib);
  EXPECT_NE(small.make(6 * one_mib), nullptr);
  try {
    small.make(7 * one_mib);
    FAIL();
  } catch (const memory_error& e) {
    EXPECT_EQ(std::string(e.what()),
              "an array: needs 7 MiB, but the memory limit is 4 MiB (PAPPUS_HOST_MEMORY or "
              "options::host_memory) and the spill file in " +
                  small.folder.path() +
                  " may take 2 MiB (PAPPUS_SPILL_SIZE or options::spill_size)");
  }
}

TEST(sections, that_cant_be_there_together_are_refused_and_the_next_ones_are_not) {
  const array_machine m(4 * one_mib);
  const auto array = m.make(8 * one_mib);
  try {
    m.take(array, 0, 5 * one_mib, true);
    FAIL();
  } catch (const memory_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("a test: needs 5 MiB more"));
  }
  const auto open = m.take(array, 0, 3 * one_mib, true, lease_time::open);
  EXPECT_THROW(m.take(array, 3 * one_mib, 5 * one_mib, true), memory_error)
      << "nobody waits for the host";
  const auto fits = m.take(array, 3 * one_mib, 4 * one_mib, true);
  EXPECT_EQ(m.memory->in_use(), 4 * one_mib);
}

TEST(sections, wait_for_leases_that_end) {
  const array_machine m(4 * one_mib);
  const auto array = m.make(8 * one_mib);
  auto first = m.take(array, 0, 3 * one_mib, true);
  std::atomic<bool> done{false};
  std::thread other([&] {
    m.take(array, 4 * one_mib, 7 * one_mib, true);
    done = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_FALSE(done);
  first.reset();
  other.join();
  EXPECT_TRUE(done);
}

TEST(sections, whose_disk_is_full_stay_and_the_error_says_so) {
  const array_machine m(4 * one_mib, "", 2 * one_mib);
  const auto array = m.make(6 * one_mib), other = m.make(one_mib);
  std::size_t at = 0;
  try {
    for (; at < 6 * one_mib; at += section_size) {
      const auto lease = m.take(array, at, at + section_size, true);
      put_numbers(*array, at, at + section_size, 3);
    }
    m.take(other, 0, one_mib, true);
    FAIL();
  } catch (const spill_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("would take more than 2 MiB"));
  }
  const auto lease = m.take(array, at - section_size, at, false);
  EXPECT_TRUE(has_numbers(*array, at - section_size, at, 3));
}

TEST(sections, whose_disk_is_full_leave_it_to_rows_that_are_there_to_go) {
  const array_machine m(8 * one_mib, "", 2 * one_mib);
  auto rows = std::make_shared<detail::row_set>(detail::record_type{8, 8, "unsigned long"});
  rows->keep(m.memory);
  algorithms::append_buffer(*rows, {*m.memory, 2 * one_mib, "rows"}, 2 * one_mib / 8);
  const auto kept = m.rows->keep(std::move(rows));
  detail::buffer(*m.memory, 8 * one_mib, "somebody");
  EXPECT_NE(kept->wake("a test"), nullptr);
  const auto array = m.make(5 * one_mib);
  m.take(array, 0, 5 * one_mib, true);
  EXPECT_NO_THROW(detail::buffer(*m.memory, 2 * one_mib, "somebody"));
  EXPECT_EQ(kept->in_memory(), nullptr);
}

TEST(sections, take_about_as_much_of_the_disk_as_they_have_bytes) {
  const array_machine m(4 * one_mib, "", 18 * one_mib);
  const auto array = m.make(16 * one_mib);
  for (int pass = 0; pass < 4; ++pass)
    for (std::size_t at = 0; at < 16 * one_mib; at += section_size)
      ASSERT_NO_THROW(m.take(array, at, at + section_size, true)) << pass << ' ' << at;
}

TEST(sections, that_the_disk_lost_are_told_by_an_error) {
  const array_machine m(4 * one_mib, "faulty:seed=3+flip=1");
  const auto array = m.make(8 * one_mib);
  for (std::size_t at = 0; at < 8 * one_mib; at += one_mib) {
    const auto lease = m.take(array, at, at + one_mib, true);
    put_numbers(*array, at, at + one_mib, 3);
  }
  int lost = 0;
  for (std::size_t at = 0; at < 8 * one_mib; at += one_mib) try {
      const auto lease = m.take(array, at, at + one_mib, false);
      EXPECT_TRUE(has_numbers(*array, at, at + one_mib, 3));
    } catch (const spill_error&) {
      ++lost;
    }
  EXPECT_GE(lost, 1);
}

TEST(sections, give_all_memory_back) {
  const array_machine m(4 * one_mib);
  {
    const auto a = m.make(2 * one_mib), b = m.make(16 * one_mib);
    for (std::size_t at = 0; at < 16 * one_mib; at += one_mib) m.take(b, at, at + one_mib, true);
    m.take(a, 0, 2 * one_mib, true);
    EXPECT_GT(m.memory->in_use(), 0U);
  }
  EXPECT_EQ(m.memory->in_use(), 0U);
}

/// What fits when it is made gets memory of the pool, which rounds.
TEST(sections, that_went_leave_nothing_in_memory) {
  const array_machine m(8 * one_mib);
  std::vector<std::shared_ptr<graph::pageable>> arrays;
  for (std::size_t i = 0; i < 6; ++i) {
    arrays.push_back(m.make(4 * one_mib + 8));
    EXPECT_EQ(m.memory->in_use(), 6 * one_mib);
    m.take(arrays[i], 0, 4 * one_mib + 8, true);
    put_numbers(*arrays[i], 0, 4 * one_mib + 8, i);
    const detail::buffer all(*m.memory, 8 * one_mib, "somebody");
  }
  EXPECT_EQ(m.memory->in_use(), 0U);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const auto lease = m.take(arrays[i], 0, 4 * one_mib + 8, false);
    EXPECT_TRUE(has_numbers(*arrays[i], 0, 4 * one_mib + 8, i));
  }
  arrays.clear();
  EXPECT_EQ(m.memory->in_use(), 0U);
}

/// Wherever the system puts them: a page more before each shifts those that follow.
TEST(sections, leave_addresses_of_others_alone) {
  constexpr std::size_t page = 4096;
  const array_machine m(4 * one_mib);
  std::vector<void*> pages;
  for (int i = 0; i < 600; ++i) {
    pages.push_back(
        ::mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    m.make(16 * one_mib + 8);
    ASSERT_EQ(::msync(pages.back(), page, MS_ASYNC), 0) << "unmapped after " << i;
  }
  for (auto* const one : pages) ::munmap(one, page);
}

/// Threads that add to random bytes of several arrays, of which two or three sections fit.
TEST(sections, hold_what_many_threads_put_there) {
  constexpr std::size_t bytes = 5 * section_size, threads = 8, rounds = 150;
  const array_machine m(8 * section_size, "faulty:seed=5+short=0.2");
  std::vector<std::shared_ptr<graph::pageable>> arrays;
  for (int i = 0; i < 3; ++i) arrays.push_back(m.make(bytes));
  std::array<std::vector<std::atomic<int>>, 3> expected{std::vector<std::atomic<int>>(bytes / 4),
                                                        std::vector<std::atomic<int>>(bytes / 4),
                                                        std::vector<std::atomic<int>>(bytes / 4)};
  for (auto& one : arrays)
    for (std::size_t at = 0; at < bytes; at += section_size) {
      const auto lease = m.take(one, at, at + section_size, true);
      std::memset(one->data() + at, 0, section_size);
    }
  const auto work = [&](unsigned seed) {
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < rounds; ++i) {
      std::vector<leased_bytes> wanted;
      std::vector<std::pair<std::size_t, std::size_t>> places;
      for (std::size_t n = 0; n < 1 + random() % 2; ++n) {
        const auto a = random() % 3, at = random() % (bytes / 4 - 100) * 4;
        wanted.push_back({arrays[a].get(), at, at + 400, true, true});
        places.emplace_back(a, at);
      }
      const auto lease = m.arrays().take(wanted, lease_time::brief, "a test");
      for (const auto& [a, at] : places)
        for (auto k = at / 4; k < at / 4 + 100; ++k) {
          std::atomic_ref(reinterpret_cast<int*>(arrays[a]->data())[k]).fetch_add(1);
          expected[a][k].fetch_add(1);
        }
      if (random() % 10 == 0) try {
          const detail::buffer other(*m.memory, section_size * (1 + random() % 3), "somebody else");
        } catch (const memory_error&) {
        }
    }
  };
  std::vector<std::thread> all;
  for (unsigned t = 0; t < threads; ++t) all.emplace_back(work, t);
  for (auto& one : all) one.join();
  for (std::size_t a = 0; a < 3; ++a) {
    const auto lease = m.take(arrays[a], 0, bytes, false);
    const auto* const got = reinterpret_cast<const int*>(arrays[a]->data());
    for (std::size_t k = 0; k < bytes / 4; ++k) ASSERT_EQ(got[k], expected[a][k].load());
  }
  EXPECT_GT(m.rows->bytes_read_back(), 0U);
}

}  // namespace
}  // namespace pappus::memory
