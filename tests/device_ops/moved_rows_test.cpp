// Rows that a stage left on a device and that were moved to the host, or on to the disk: whoever
// reads them finds the same, as a whole or in part, and so does the stage after it.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "conformance/harness.h"
#include "device_ops/stage_runner.h"
#include "memory/store.h"
#include "pappus/device_code.h"
#include "support/spill_folder.h"

namespace pappus::testing {
namespace {

constexpr std::int64_t rows_made = 30'000, chunk_rows = 10'000;
constexpr std::size_t device_bytes = std::size_t{1} << 20;

std::int64_t tripled(std::int64_t x) { return 3 * x; }
std::int64_t increased(std::int64_t x, std::int64_t by) { return x + by; }
int is_even(std::int64_t x) { return x % 2 == 0 ? 1 : 0; }

template <typename... Values>
auto by_text(auto function, const char* name, Values... values) {
  constexpr const char* text = R"(
long tripled(long x) { return 3 * x; }
long increased(long x, long by) { return x + by; }
int is_even(long x) { return x % 2 == 0; }
)";
  return with_device_code(function, device_text(name, text), values...);
}

/// Takes all of a device's memory for a moment.
void fill(chunk_loop::device_session& on) {
  for (std::size_t bytes = device_bytes; bytes >= 4096; bytes /= 2) {
    std::vector<memory::device_buffer_ptr> all;
    try {
      while (true) all.push_back(on.memory().acquire(bytes, "fill"));
    } catch (const devices::device_error& full) {
      if (full.what_failed != devices::fault::out_of_memory) throw;
    }
  }
}

/// A session on one device with little memory, and stages that it runs.
class on_one_device {
 public:
  /// \param spill_to  where rows go that the host has no memory for; null: nowhere
  on_one_device(const chosen_device& device, const std::string* spill_to = nullptr,
                std::size_t host_bytes = std::size_t{64} << 20)
      : lock_(device.real->lock),
        memory(std::make_shared<memory::pool>(host_bytes)),
        on(device.used, device_bytes, memory) {
    if (spill_to != nullptr) store = memory::store::make(memory, {.folder = *spill_to});
  }

  chunk_loop::stage_run run(const detail::node& n, std::vector<chunk_loop::stage_input> inputs,
                            std::int64_t rows_a_chunk, bool stays) {
    chunk_loop::stage_run run{.node = n,
                              .inputs = std::move(inputs),
                              .sides = {},
                              .devices = {&on},
                              .team = team,
                              .host_memory = memory,
                              .chunk_rows = rows_a_chunk,
                              .stays = stays,
                              .store = store.get(),
                              .rows_on_cpu = run::rows_on_cpu,
                              .owner = n.name};
    run.rows = ops::stage_rows(n, run.inputs);
    n.op->run_by(n).devices->run(run);
    return run;
  }
  void fill() { testing::fill(on); }

 private:
  const std::lock_guard<std::recursive_mutex> lock_;

 public:
  const std::shared_ptr<memory::pool> memory;
  chunk_loop::device_session on;
  std::shared_ptr<memory::store> store;
  test_workers team{2};
};

template <typename T>
std::vector<T> records_in(const detail::rows_ptr& rows) {
  std::vector<T> records;
  for (const auto& chunk : rows->chunks()) {
    const auto* const data = reinterpret_cast<const T*>(chunk.data);
    records.insert(records.end(), data, data + chunk.rows);
  }
  return records;
}

std::vector<std::int64_t> numbers() {
  std::vector<std::int64_t> all(rows_made);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i * 7919 % 1009);
  return all;
}

std::size_t parts_there(const chunk_loop::device_rows& rows) {
  std::size_t n = 0;
  for (const auto& chunk : rows.chunks()) n += chunk.part->block() != nullptr;
  return n;
}

/// Threefold numbers, of which the second stage makes something.
struct two_stages {
  session cpu{options{.threads = 2, .devices = "cpu"}};
  const std::vector<std::int64_t> in = numbers();
  const collection<std::int64_t> first =
      cpu.borrow(in).map(by_text(fn<tripled>, "tripled")).materialise();
  const collection<std::int64_t> mapped =
      first.map(by_text(fn<increased>, "increased", std::int64_t{5})).materialise();
  const collection<std::int64_t> kept = first.filter(by_text(fn<is_even>, "is_even")).materialise();
  const collection<std::int64_t> sorted = first.sort().materialise();
  const std::vector<std::int64_t> expected = first.collect().to_vector();

  detail::rows_ptr rows_in() const {
    return std::make_shared<detail::row_set>(detail::access::node(first)->stage.inputs.front()->out,
                                             in.data(), rows_made);
  }
  /// Leaves the first stage's rows on the device, in three parts.
  chunk_loop::device_rows_ptr leave(on_one_device& device) const {
    return device.run(*detail::access::node(first), {{rows_in(), nullptr}}, chunk_rows, true)
        .device_rows_left;
  }
};

TEST(moved_rows, are_read_as_a_whole_and_in_parts) {
  const two_stages stages;
  for (const auto& chosen : devices_of_all_kinds()) {
    SCOPED_TRACE(chosen.name);
    on_one_device device(chosen);
    const auto rows = stages.leave(device);
    EXPECT_EQ(parts_there(*rows), 3u);
    device.fill();
    EXPECT_EQ(parts_there(*rows), 0u);
    EXPECT_EQ(device.on.moved_bytes, 8.0 * rows_made);
    EXPECT_EQ(device.on.downloaded_bytes, 8.0 * rows_made);
    EXPECT_TRUE(
        same_rows(records_in<std::int64_t>(download(*rows, device.memory, device.team, "test")),
                  stages.expected));
    for (const auto& [first, n] : {std::pair<std::int64_t, std::int64_t>{0, 1},
                                   {9'999, 2},
                                   {10'000, 10'000},
                                   {123, 29'000},
                                   {29'999, 1}}) {
      const auto at = stages.expected.begin() + first;
      EXPECT_TRUE(same_rows(
          records_in<std::int64_t>(download(*rows, first, n, device.memory, device.team, "test")),
          std::vector<std::int64_t>(at, at + n)));
    }
  }
}

TEST(moved_rows, are_an_input_like_those_on_the_device) {
  const two_stages stages;
  for (const auto& chosen : devices_of_all_kinds())
    for (const auto* asked : {&stages.mapped, &stages.kept, &stages.sorted}) {
      const auto expected = asked->collect().to_vector();
      for (const std::int64_t rows_a_chunk : {std::int64_t{0}, chunk_rows, std::int64_t{3'333}}) {
        const bool stays = rows_a_chunk != 0;
        const auto& node = *detail::access::node(*asked);
        SCOPED_TRACE(chosen.name + ", " + node.name + ", chunks of " +
                     std::to_string(rows_a_chunk));
        on_one_device device(chosen);
        const auto rows = stages.leave(device);
        device.fill();
        EXPECT_EQ(parts_there(*rows), 0u);
        for (int time = 0; time < 2; ++time) {
          auto run = device.run(node, {{nullptr, rows}}, rows_a_chunk, stays);
          if (run.device_rows_left) {
            device.fill();
            run.host_rows = download(*run.device_rows_left, device.memory, device.team, "test");
          }
          EXPECT_TRUE(same_rows(records_in<std::int64_t>(run.host_rows), expected));
        }
      }
    }
}

TEST(moved_rows, that_come_back_stay_until_there_is_no_room_again_and_go_for_nothing) {
  const two_stages stages;
  for (const auto& chosen : devices_of_all_kinds()) {
    SCOPED_TRACE(chosen.name);
    on_one_device device(chosen);
    const auto rows = stages.leave(device);
    device.fill();
    const auto sent = device.on.uploaded_bytes.load();
    for (int time = 0; time < 3; ++time) {
      device.run(*detail::access::node(stages.mapped), {{nullptr, rows}}, chunk_rows, false);
      EXPECT_EQ(parts_there(*rows), 3u);
      EXPECT_EQ(device.on.uploaded_bytes, sent + 8.0 * rows_made);
    }
    device.fill();
    EXPECT_EQ(parts_there(*rows), 0u);
    EXPECT_EQ(device.on.moved_bytes, 8.0 * rows_made);
    EXPECT_TRUE(
        same_rows(records_in<std::int64_t>(download(*rows, device.memory, device.team, "test")),
                  stages.expected));
  }
}

TEST(moved_rows, go_on_to_the_disk_and_are_read_from_there) {
  const spill_folder folder;
  const auto to = folder.path();
  const two_stages stages;
  const auto expected = stages.mapped.collect().to_vector();
  for (const auto& chosen : devices_of_all_kinds())
    for (const std::int64_t rows_a_chunk : {chunk_rows, std::int64_t{3'333}}) {
      SCOPED_TRACE(chosen.name + ", chunks of " + std::to_string(rows_a_chunk));
      // Less than the three parts, each of which takes 128 KiB.
      on_one_device device(chosen, &to, std::size_t{320} << 10);
      if (chosen.used->about().host_memory) continue;  // which is the host's
      const auto rows = stages.leave(device);
      device.fill();
      EXPECT_EQ(parts_there(*rows), 0u);
      EXPECT_GT(device.store->spilled_bytes(), 0u);
      for (const std::int64_t first : {0, 11'111, 22'222}) {
        const auto at = stages.expected.begin() + first;
        EXPECT_TRUE(same_rows(records_in<std::int64_t>(download(*rows, first, 7'000, device.memory,
                                                                device.team, "test")),
                              std::vector<std::int64_t>(at, at + 7'000)));
      }
      EXPECT_GT(device.store->bytes_read_back(), 0u);
      auto run =
          device.run(*detail::access::node(stages.mapped), {{nullptr, rows}}, rows_a_chunk, true);
      std::vector<std::int64_t> found;
      for (std::int64_t first = 0; first < rows_made; first += 5'000) {
        const auto some = records_in<std::int64_t>(
            download(*run.device_rows_left, first, 5'000, device.memory, device.team, "test"));
        found.insert(found.end(), some.begin(), some.end());
      }
      EXPECT_TRUE(same_rows(found, expected));
    }
}

TEST(moved_rows, stay_on_the_device_where_the_host_has_no_room) {
  const two_stages stages;
  const auto opened = devices::select("test:seed=1+delay_us=0").devices.at(0);
  on_one_device device({opened, opened, "test", 0}, nullptr, std::size_t{192} << 10);
  const auto rows = stages.leave(device);
  device.fill();  // one part, which takes 128 KiB, finds room
  EXPECT_EQ(parts_there(*rows), 2u);
}

TEST(moved_rows, of_two_devices_are_an_input_of_both) {
  const two_stages stages;
  const auto expected = stages.mapped.collect().to_vector();
  const auto opened = devices::select("test:seed=1+delay_us=0,test:seed=2+delay_us=0").devices;
  const auto memory = std::make_shared<memory::pool>(std::size_t{64} << 20);
  chunk_loop::device_session a(opened.at(0), device_bytes, memory),
      b(opened.at(1), device_bytes, memory);
  test_workers team{2};
  const auto run = [&](const collection<std::int64_t>& what, chunk_loop::stage_input input) {
    const auto& node = *detail::access::node(what);
    chunk_loop::stage_run run{.node = node,
                              .inputs = {std::move(input)},
                              .sides = {},
                              .devices = {&a, &b},
                              .team = team,
                              .host_memory = memory,
                              .rows = rows_made,
                              .chunk_rows = 4'000,
                              .stays = true,
                              .rows_on_cpu = run::rows_on_cpu,
                              .owner = node.name};
    node.op->run_by(node).devices->run(run);
    return run.device_rows_left;
  };
  const auto move = [](chunk_loop::device_session& on) {
    const std::lock_guard lock(on.on().lock);
    fill(on);
  };
  for (const bool both : {false, true}) {
    const auto rows = run(stages.first, {stages.rows_in(), nullptr});
    move(a);
    if (both) move(b);
    const auto then = run(stages.mapped, {nullptr, rows});
    move(a);
    EXPECT_TRUE(
        same_rows(records_in<std::int64_t>(download(*then, memory, team, "test")), expected));
    EXPECT_TRUE(same_rows(records_in<std::int64_t>(download(*rows, memory, team, "test")),
                          stages.expected));
  }
  EXPECT_GT(a.moved_bytes, 0.0);
  EXPECT_GT(b.moved_bytes, 0.0);
}

/// A copy to the device that failed leaves nothing that others would take for the rows.
TEST(moved_rows, are_intact_after_a_fault_at_any_call) {
  const two_stages stages;
  const auto& node = *detail::access::node(stages.mapped);
  int failed = 0;
  for (const char* fault : {"launch", "oom"})
    for (int call = 0; call < 60; call += 3) {
      std::string name = "test:seed=5+delay_us=0";
      for (int i = 0; i < 3; ++i) name += "+at=" + std::to_string(call + i) + "/" + fault;
      SCOPED_TRACE(name);
      const auto opened = devices::select(name).devices.at(0);
      on_one_device device({opened, opened, name, 0});
      try {
        const auto rows = stages.leave(device);
        for (const bool stays : {true, false}) {
          try {
            device.fill();
            device.run(node, {{nullptr, rows}}, chunk_rows, stays);
          } catch (const devices::device_error&) {
            ++failed;
            device.on.come_to_rest(false);
            device.on.start_anew();
          }
          ASSERT_TRUE(same_rows(
              records_in<std::int64_t>(download(*rows, device.memory, device.team, "test")),
              stages.expected));
        }
      } catch (const devices::device_error&) {
        ++failed;
      }
    }
  EXPECT_GT(failed, 0);
}

}  // namespace
}  // namespace pappus::testing
