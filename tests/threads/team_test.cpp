// The promises of detail::workers, kept by the cpu device with 1 to 8 threads.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "pappus/error.h"
#include "threads/team.h"

namespace pappus::threads {
namespace {

class workers_of : public ::testing::TestWithParam<unsigned> {
 protected:
  std::unique_ptr<team> threads = make_team(GetParam());
  cancel_count cancels{0};
  query_workers workers{*threads, cancels};
};

INSTANTIATE_TEST_SUITE_P(threads, workers_of, ::testing::Values(1u, 2u, 3u, 8u));

TEST_P(workers_of, call_the_body_once_for_each_item) {
  for (const std::size_t items : {0u, 1u, 2u, 7u, 1000u, 20'000u}) {
    std::vector<std::atomic<int>> calls(items);
    detail::parallel_chunks(workers, items, [&](std::size_t item, unsigned) { ++calls[item]; });
    for (const auto& count : calls) ASSERT_EQ(count.load(), 1);
  }
}

TEST_P(workers_of, never_run_two_items_on_one_worker_index) {
  ASSERT_EQ(workers.count(), GetParam());
  std::vector<std::atomic<int>> inside(workers.count());
  std::atomic<int> clashes{0};
  detail::parallel_chunks(workers, 2000, [&](std::size_t, unsigned worker) {
    if (worker >= workers.count() || inside[worker].fetch_add(1) != 0) ++clashes;
    for (volatile int spin = 0; spin < 200;) spin = spin + 1;
    --inside[worker];
  });
  EXPECT_EQ(clashes.load(), 0);
}

TEST_P(workers_of, start_items_in_ascending_order) {
  // A worker takes tickets in ascending order, and nobody starts an item before all lower ones were
  // taken: the item a worker takes next is above all it saw done.
  std::vector<std::vector<std::size_t>> taken(workers.count());
  detail::parallel_chunks(
      workers, 5000, [&](std::size_t item, unsigned worker) { taken[worker].push_back(item); });
  std::size_t all = 0;
  for (const auto& items : taken) {
    EXPECT_TRUE(std::is_sorted(items.begin(), items.end()));
    all += items.size();
  }
  EXPECT_EQ(all, 5000u);
}

TEST_P(workers_of, rethrow_the_exception_of_the_lowest_item) {
  for (int round = 0; round < 20; ++round) {
    try {
      detail::parallel_chunks(workers, 100, [&](std::size_t item, unsigned) {
        // Item 3 throws late, when others may have thrown before.
        if (item == 3) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (item >= 3) throw std::out_of_range("item " + std::to_string(item));
      });
      FAIL() << "no exception";
    } catch (const std::out_of_range& e) {
      EXPECT_STREQ(e.what(), "item 3");
    }
  }
}

TEST_P(workers_of, drop_items_that_had_not_started_when_one_threw) {
  std::atomic<int> started{0};
  EXPECT_THROW(detail::parallel_chunks(workers, 1'000'000,
                                       [&](std::size_t item, unsigned) {
                                         ++started;
                                         if (item == 10) throw std::runtime_error("stop");
                                       }),
               std::runtime_error);
  EXPECT_LT(started.load(), 1'000'000);
  // And they work again afterwards.
  std::atomic<int> calls{0};
  detail::parallel_chunks(workers, 50, [&](std::size_t, unsigned) { ++calls; });
  EXPECT_EQ(calls.load(), 50);
}

TEST_P(workers_of, stop_when_their_query_is_cancelled) {
  std::atomic<int> started{0};
  EXPECT_THROW(detail::parallel_chunks(workers, 1'000'000,
                                       [&](std::size_t, unsigned) {
                                         if (++started == 5) ++cancels;
                                       }),
               cancelled);
  EXPECT_LT(started.load(), 1'000'000);
  EXPECT_TRUE(workers.stopping());
  EXPECT_THROW(detail::parallel_chunks(workers, 1, [](std::size_t, unsigned) {}), cancelled);

  query_workers later(*threads, cancels);  // queries that begin afterwards run
  EXPECT_FALSE(later.stopping());
  EXPECT_NO_THROW(detail::parallel_chunks(later, 10, [](std::size_t, unsigned) {}));
}

TEST_P(workers_of, run_nested_calls) {
  std::atomic<int> calls{0};
  detail::parallel_chunks(workers, 20, [&](std::size_t, unsigned) {
    detail::parallel_chunks(workers, 20, [&](std::size_t, unsigned) {
      detail::parallel_chunks(workers, 3, [&](std::size_t, unsigned) { ++calls; });
    });
  });
  EXPECT_EQ(calls.load(), 20 * 20 * 3);
}

TEST_P(workers_of, keep_worker_indices_apart_in_nested_calls) {
  // Scratch of the outer call must not be shared while an item waits for its inner call.
  std::vector<std::atomic<int>> inside(workers.count());
  std::atomic<int> clashes{0};
  detail::parallel_chunks(workers, 50, [&](std::size_t, unsigned worker) {
    if (inside[worker].fetch_add(1) != 0) ++clashes;
    detail::parallel_chunks(workers, 50, [](std::size_t, unsigned) {
      for (volatile int spin = 0; spin < 50;) spin = spin + 1;
    });
    --inside[worker];
  });
  EXPECT_EQ(clashes.load(), 0);
}

TEST_P(workers_of, pass_an_exception_through_nested_calls) {
  EXPECT_THROW(detail::parallel_chunks(workers, 8,
                                       [&](std::size_t, unsigned) {
                                         detail::parallel_chunks(
                                             workers, 8, [](std::size_t item, unsigned) {
                                               if (item == 4) throw std::domain_error("inner");
                                             });
                                       }),
               std::domain_error);
}

void share_chunks(detail::workers& team, std::size_t items, auto body) {
  team.share(items, detail::call_body<decltype(body)>, &body);
}

TEST_P(workers_of, call_the_body_once_for_each_shared_item) {
  std::vector<std::atomic<int>> calls(20 * 30);
  std::atomic<int> clashes{0};
  detail::parallel_chunks(workers, 20, [&](std::size_t outer, unsigned) {
    std::vector<std::atomic<int>> inside(workers.count());
    share_chunks(workers, 30, [&](std::size_t item, unsigned worker) {
      if (worker >= workers.count() || inside[worker].fetch_add(1) != 0) ++clashes;
      ++calls[outer * 30 + item];
      --inside[worker];
    });
  });
  for (const auto& count : calls) ASSERT_EQ(count.load(), 1);
  EXPECT_EQ(clashes.load(), 0);
}

/// Threads meet in it: true once `wanted` of them are there, false when they never come.
class meeting {
 public:
  explicit meeting(std::size_t wanted) : wanted_(wanted) {}
  bool attend() {
    std::unique_lock lock(mutex_);
    there_.insert(std::this_thread::get_id());
    changed_.notify_all();
    return changed_.wait_for(lock, std::chrono::minutes(1),
                             [&] { return there_.size() >= wanted_; });
  }

 private:
  const std::size_t wanted_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::thread::id> there_;
};

TEST_P(workers_of, help_with_shared_items_while_they_wait_for_others) {
  // All items but the last are done at once, so that all other threads wait for it: the caller of
  // run(), too, which takes no part in anything else.
  for (const std::size_t outer : {std::size_t{1}, std::size_t{2}, std::size_t{20}}) {
    meeting all(workers.count());
    std::atomic<int> met{0};
    detail::parallel_chunks(workers, outer, [&](std::size_t item, unsigned) {
      if (item + 1 < outer) return;
      share_chunks(workers, 64, [&](std::size_t, unsigned) { met += all.attend() ? 1 : 0; });
    });
    EXPECT_EQ(met.load(), 64) << outer << " items";
  }
}

TEST_P(workers_of, help_from_within_an_item_that_waits_for_another) {
  if (workers.count() < 2) GTEST_SKIP() << "nobody waits";
  meeting two(2);
  std::atomic<bool> done{false};
  std::atomic<int> met{0};
  detail::parallel_chunks(workers, 2, [&](std::size_t item, unsigned) {
    if (item == 1) {
      while (!done) workers.help();
      return;
    }
    share_chunks(workers, 64, [&](std::size_t, unsigned) { met += two.attend() ? 1 : 0; });
    done = true;
  });
  EXPECT_EQ(met.load(), 64);
  EXPECT_FALSE(workers.help());
}

TEST_P(workers_of, rethrow_the_exception_of_the_lowest_shared_item) {
  for (int round = 0; round < 20; ++round) {
    try {
      detail::parallel_chunks(workers, 3, [&](std::size_t outer, unsigned) {
        share_chunks(workers, 50, [&](std::size_t item, unsigned) {
          if (item >= 7) throw std::out_of_range(fmt::format("item {} of {}", item, outer));
        });
      });
      FAIL() << "no exception";
    } catch (const std::out_of_range& e) {
      EXPECT_STREQ(e.what(), "item 7 of 0");
    }
  }
}

TEST_P(workers_of, serve_several_callers_at_once) {
  std::vector<std::thread> callers;
  std::atomic<int> calls{0};
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      query_workers own(*threads, cancels);
      for (int round = 0; round < 20; ++round)
        detail::parallel_chunks(own, 50, [&](std::size_t, unsigned) { ++calls; });
    });
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(calls.load(), 4 * 20 * 50);
}

TEST(workers, really_use_several_threads) {
  const auto threads = make_team(3);
  const cancel_count cancels{0};
  query_workers workers(*threads, cancels);
  std::set<std::thread::id> seen;
  std::mutex mutex;
  std::atomic<int> arrived{0};  // each item waits for the others
  detail::parallel_chunks(workers, 3, [&](std::size_t, unsigned) {
    ++arrived;
    {
      std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    }
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (arrived.load() < 3 && std::chrono::steady_clock::now() < deadline)
      std::this_thread::yield();
  });
  EXPECT_EQ(seen.size(), 3u);
}

TEST(available_cores, is_at_least_one) { EXPECT_GE(available_cores(), 1u); }

}  // namespace
}  // namespace pappus::threads
