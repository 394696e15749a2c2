// What the test device does to those who use it: poison, odd orders, limits and faults, all
// repeatable. The contract itself is tested in device_contract_test.cpp, misuse in
// test_device_misuse_test.cpp.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "devices/registry.h"
#include "devices/test/test_device.h"
#include "pappus/error.h"

namespace pappus::devices::test {
namespace {

constexpr std::size_t count = 100;
constexpr std::size_t bytes = count * sizeof(int);

// values[i] += number
void add(const host_launch& launch, std::size_t begin, std::size_t end) {
  auto* values = static_cast<int*>(launch.arguments[0]);
  const int number = *static_cast<const int*>(launch.arguments[1]);
  for (auto i = begin; i < std::min(end, count); ++i) values[i] += number;
}

// Writes down which items it was given; its context is where.
using pieces_seen = std::vector<std::pair<std::size_t, std::size_t>>;
void note_pieces(const host_launch& launch, std::size_t begin, std::size_t end) {
  auto* seen = static_cast<pieces_seen*>(const_cast<void*>(launch.context));
  seen->emplace_back(begin, end);
}

kernel_source source_of(host_kernel host, const char* entry) {
  return {std::string("test.") + entry, entry, std::make_shared<const std::string>("text"), host,
          nullptr};
}

std::optional<fault> fault_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const device_error& e) {
    return e.what_failed;
  }
  return std::nullopt;
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "no exception";
}

/// Uploads in one queue, adds 1 in another, downloads in a third, in four pieces.
std::vector<int> add_one(device& on) {
  const std::vector<int> input(count, 41);
  std::vector<int> output(count);
  // Before the queues, so that it goes after them: only then is nothing under way on it.
  std::vector<std::unique_ptr<buffer>> memory;
  const auto adds = on.build(source_of(add, "add"));
  const auto up = on.make_queue(), work = on.make_queue(), down = on.make_queue();
  for (std::size_t i = 0; i < 4; ++i) {
    memory.push_back(on.allocate(bytes));
    const auto& piece = *memory.back();
    const auto written = up->write(*memory.back(), 0, input.data(), bytes);
    const auto added =
        work->launch(*adds, {count, 0}, std::array<argument, 2>{piece, 1}, std::array{written});
    down->read(piece, i * 100, output.data() + i * 25, 100, std::array{added});
    up->flush();
  }
  down->finish();
  return output;
}

settings seeded(std::uint64_t seed) {
  settings how;
  how.seed = seed;
  return how;
}

settings failing(std::uint64_t call, fault what, std::uint64_t seed = 1) {
  auto how = seeded(seed);
  how.at = {{call, what}};
  return how;
}

TEST(test_device_settings, are_read_from_text) {
  const auto how = parse(
      "seed=7+memory=1MiB+buffer=4KiB+delay_us=0+like=gpu+oom=0.25+build=1+launch=0+lost=0.001+"
      "at=123/lost+at=5/oom");
  EXPECT_EQ(how.seed, 7u);
  EXPECT_EQ(how.memory_bytes, std::size_t{1} << 20);
  EXPECT_EQ(how.buffer_bytes_max, 4096u);
  EXPECT_EQ(how.delay_us, 0u);
  EXPECT_FALSE(how.like_cpu);
  EXPECT_EQ(how.out_of_memory, 0.25);
  EXPECT_EQ(how.build_failed, 1);
  EXPECT_EQ(how.launch_failed, 0);
  EXPECT_EQ(how.lost, 0.001);
  EXPECT_EQ(how.at, (std::vector<planned_fault>{{123, fault::lost}, {5, fault::out_of_memory}}));
}

TEST(test_device_settings, have_defaults) {
  const auto opened = open_test_device("");
  EXPECT_EQ(opened->about().memory_bytes, std::size_t{64} << 20);
  EXPECT_EQ(opened->about().buffer_bytes_max, std::size_t{16} << 20);
  EXPECT_TRUE(opened->about().like_cpu);
  EXPECT_FALSE(opened->about().host_memory);
  EXPECT_EQ(opened->about().speaks, dialect::host);
  EXPECT_EQ(opened->about().name.substr(0, 5), "test:");
}

TEST(test_device_settings, say_what_is_allowed) {
  const auto message = [](const char* text) { return message_of([&] { parse(text); }); };
  const std::string keys =
      "PAPPUS_DEVICES: test:...: expected KEY=VALUE separated by '+', with keys seed, memory, "
      "buffer, delay_us, like, oom, build, launch, lost, at, got ";
  EXPECT_EQ(message("seed=1+sed=2"), keys + "\"sed=2\"");
  EXPECT_EQ(message("seed"), keys + "\"seed\"");
  EXPECT_EQ(message("seed=1;oom=1"),
            "PAPPUS_DEVICES: test:seed: expected a whole number of at least 0, got \"1;oom=1\"");
  EXPECT_EQ(message("oom=2"),
            "PAPPUS_DEVICES: test:oom: expected a probability from 0 to 1, got \"2\"");
  EXPECT_EQ(message("like=fpga"), "PAPPUS_DEVICES: test:like: expected cpu or gpu, got \"fpga\"");
  EXPECT_EQ(
      message("at=3"),
      "PAPPUS_DEVICES: test:at: expected CALL/FAULT with a fault of oom, build, launch, lost, "
      "as in 123/lost, got \"3\"");
  EXPECT_THROW(parse("memory=many"), usage_error);
}

TEST(test_device, starts_memory_as_poison) {
  test_device on;
  const auto memory = on.allocate(1000);
  const auto work = on.make_queue();
  std::vector<unsigned char> content(1000);
  work->wait(work->read(*memory, 0, content.data(), 1000));
  EXPECT_EQ(content, std::vector<unsigned char>(1000, 0xA5));
}

TEST(test_device, has_as_much_memory_as_it_says) {
  auto how = seeded(1);
  how.memory_bytes = 1000;
  how.buffer_bytes_max = 600;
  test_device on(how);
  auto first = on.allocate(600);
  EXPECT_EQ(on.bytes_in_use(), 600u);
  const auto refused = [&](std::size_t n) { return message_of([&] { on.allocate(n); }); };
  EXPECT_EQ(refused(401),
            on.about().name + ": a buffer of 401 B: 600 B of 1000 B are in use already");
  EXPECT_EQ(refused(601),
            on.about().name + ": a buffer of 601 B: larger than the largest possible, 600 B");
  const auto second = on.allocate(400);
  first.reset();
  EXPECT_EQ(on.bytes_in_use(), 400u);
  first = on.allocate(600);
}

TEST(test_device, reads_host_memory_when_the_operation_runs) {
  // Find a seed with which a write isn't started by its call.
  for (std::uint64_t seed = 1;; ++seed) {
    test_device on(seeded(seed));
    const auto memory = on.allocate(bytes);
    const auto work = on.make_queue();
    std::vector<int> input(count, 1), output(count);
    work->write(*memory, 0, input.data(), bytes);
    if (!on.order().empty()) continue;
    std::ranges::fill(input, 2);
    work->wait(work->read(*memory, 0, output.data(), bytes));
    EXPECT_EQ(output, std::vector<int>(count, 2));
    return;
  }
}

TEST(test_device, runs_work_items_in_pieces_in_any_order) {
  bool descending = false, several = false;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    test_device on(seeded(seed));
    pieces_seen seen;
    auto source = source_of(note_pieces, "note_pieces");
    source.host_context = std::shared_ptr<const void>(&seen, [](const void*) {});
    const auto notes = on.build(source);
    const auto work = on.make_queue();
    work->launch(*notes, {1000, 8}, {});
    work->finish();
    several = several || seen.size() > 1;
    descending = descending || !std::ranges::is_sorted(seen);
    std::ranges::sort(seen);
    std::size_t next = 0;
    for (const auto& [begin, end] : seen) {
      ASSERT_EQ(begin, next);
      ASSERT_EQ(begin % 8, 0u) << "a group was split";
      next = end;
    }
    ASSERT_EQ(next, 1000u);
  }
  EXPECT_TRUE(several);
  EXPECT_TRUE(descending);
}

TEST(test_device, pads_launches_with_items_nobody_asked_for) {
  std::set<std::size_t> totals;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    test_device on(seeded(seed));
    pieces_seen seen;
    auto source = source_of(note_pieces, "note_pieces");
    source.host_context = std::shared_ptr<const void>(&seen, [](const void*) {});
    const auto notes = on.build(source);
    const auto work = on.make_queue();
    work->launch(*notes, {100, 0}, {});
    work->finish();
    totals.insert(std::ranges::max(seen).second);
    seen.clear();
    work->launch(*notes, {100, 64}, {});
    work->finish();
    ASSERT_EQ(std::ranges::max(seen).second, 128u);
  }
  EXPECT_GT(totals.size(), 10u);
  EXPECT_GE(*totals.begin(), 100u);
  EXPECT_LE(*totals.rbegin(), 163u);
}

TEST(test_device, repeats_itself_for_the_same_seed_and_calls) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto how = seeded(seed);
    how.launch_failed = how.out_of_memory = how.lost = how.build_failed = 0.01;
    test_device first(how), second(how);
    how.delay_us = 200;  // how long things take changes nothing
    test_device third(how);
    std::vector<std::optional<fault>> ends;
    for (device* on : {&first, &second, &third})
      ends.push_back(fault_of([&] { EXPECT_EQ(add_one(*on), std::vector<int>(count, 42)); }));
    EXPECT_EQ(first.calls(), second.calls());
    EXPECT_EQ(first.order(), second.order());
    EXPECT_EQ(first.order(), third.order());
    EXPECT_EQ(ends[0], ends[1]);
    EXPECT_EQ(ends[0], ends[2]);
  }
}

TEST(test_device, runs_operations_in_another_order_for_another_seed) {
  std::set<std::vector<std::uint64_t>> orders;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    test_device on(seeded(seed));
    add_one(on);
    orders.insert(on.order());
  }
  EXPECT_GT(orders.size(), 10u);
}

TEST(test_device, counts_the_calls_it_is_given) {
  test_device on;
  const auto memory = on.allocate(bytes);
  const auto work = on.make_queue();
  work->fill(*memory, 0, bytes, 0);
  work->flush();
  work->finish();
  EXPECT_EQ(on.calls(), (std::vector<call_made>{{call_kind::allocate, {}},
                                                {call_kind::make_queue, {}},
                                                {call_kind::fill, {}},
                                                {call_kind::flush, {}},
                                                {call_kind::finish, {}}}));
}

TEST(test_device, survives_every_possible_fault_at_every_call) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    test_device faultless(seeded(seed));
    ASSERT_EQ(add_one(faultless), std::vector<int>(count, 42));
    ASSERT_GT(faultless.calls().size(), 20u);
    for (std::size_t call = 0; call < faultless.calls().size(); ++call)
      for (const auto what : possible_faults(faultless.calls()[call].kind)) {
        SCOPED_TRACE(std::string(to_string(what)) + " at call " + std::to_string(call) + ", seed " +
                     std::to_string(seed));
        test_device on(failing(call, what, seed));
        const auto seen = fault_of([&] { add_one(on); });
        EXPECT_EQ(on.calls().at(call).injected, what);
        // A failure in a queue is a failed launch for those that wait for it.
        const bool passed_on = what == fault::out_of_memory && seen == fault::launch_failed;
        EXPECT_TRUE(seen == what || passed_on);
        EXPECT_EQ(on.bytes_in_use(), 0u);
        if (what == fault::lost)
          EXPECT_EQ(fault_of([&] { add_one(on); }), fault::lost);
        else
          EXPECT_EQ(add_one(on), std::vector<int>(count, 42));
      }
  }
}

TEST(test_device, keeps_a_planned_fault_for_a_call_that_can_have_it) {
  test_device on(failing(1, fault::build_failed));
  const auto first = on.allocate(bytes), second = on.allocate(bytes);
  EXPECT_EQ(fault_of([&] { on.build(source_of(add, "add")); }), fault::build_failed);
  EXPECT_NO_THROW(on.build(source_of(add, "add")));
}

TEST(test_device, plans_faults_while_it_is_used) {
  test_device on;
  const auto memory = on.allocate(bytes);
  on.plan({on.calls().size() + 1, fault::out_of_memory});
  EXPECT_NO_THROW(on.allocate(bytes));
  EXPECT_EQ(
      message_of([&] { on.allocate(bytes); }),
      on.about().name + ": a buffer of 400 B: out of memory (call 2), injected by the test device");
  EXPECT_NO_THROW(on.allocate(bytes));
}

TEST(test_device, draws_faults_with_their_probability) {
  auto how = seeded(3);
  how.out_of_memory = 0.3;
  test_device on(how);
  int failed = 0;
  for (int i = 0; i < 1000; ++i)
    if (fault_of([&] { on.allocate(1); })) ++failed;
  EXPECT_GT(failed, 200);
  EXPECT_LT(failed, 400);
  EXPECT_NO_THROW(on.build(source_of(add, "add")));
}

TEST(test_device, tells_a_failed_launch_when_somebody_waits) {
  test_device on(failing(5, fault::launch_failed));
  const auto memory = on.allocate(bytes);                      // 0
  const auto adds = on.build(source_of(add, "add"));           // 1
  const auto work = on.make_queue(), other = on.make_queue();  // 2, 3
  const auto before = work->fill(*memory, 0, bytes, 0);        // 4
  const auto failed = work->launch(*adds, {count, 0}, std::array<argument, 2>{memory, 1});
  const auto later = work->launch(*adds, {count, 0}, std::array<argument, 2>{memory, 1});
  const auto dependent = other->fill(*memory, 0, bytes, 7, std::array{failed});
  EXPECT_NO_THROW(work->wait(before));
  const auto text =
      on.about().name + ": launch of test.add (call 5): launch failed, injected by the test device";
  EXPECT_EQ(message_of([&] { work->wait(failed); }), text);
  EXPECT_EQ(message_of([&] { work->wait(later); }), text);
  EXPECT_EQ(message_of([&] { work->finish(); }), text);
  EXPECT_EQ(message_of([&] { other->wait(dependent); }),
            on.about().name +
                ": fill of 400 B (call 7) waits for what failed: launch of test.add "
                "(call 5): launch failed, injected by the test device");
  EXPECT_EQ(std::ranges::count(on.order(), 6u), 0) << "an operation after the failed one ran";
  EXPECT_EQ(std::ranges::count(on.order(), 7u), 0) << "an operation that waits for it ran";
}

TEST(test_device, leaves_a_failed_queue_failed_and_lets_others_go_on) {
  test_device on;
  const auto memory = on.allocate(bytes);
  const auto work = on.make_queue(), other = on.make_queue();
  on.plan({0, fault::launch_failed});
  work->fill(*memory, 0, bytes, 1);
  EXPECT_EQ(fault_of([&] { work->finish(); }), fault::launch_failed);
  work->fill(*memory, 0, bytes, 2);
  EXPECT_EQ(fault_of([&] { work->finish(); }), fault::launch_failed);
  std::vector<int> output(count);
  other->fill(*memory, 0, bytes, 0);
  other->read(*memory, 0, output.data(), bytes);
  EXPECT_NO_THROW(other->finish());
  EXPECT_EQ(output, std::vector<int>(count, 0));
}

TEST(test_device, does_part_of_the_work_that_fails) {
  std::set<std::ptrdiff_t> parts;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    test_device on(seeded(seed));
    const auto memory = on.allocate(bytes);
    std::vector<unsigned char> output(bytes, 1);
    const auto work = on.make_queue();
    work->fill(*memory, 0, bytes, 2);
    on.plan({0, fault::launch_failed});
    work->read(*memory, 0, output.data(), bytes);
    EXPECT_THROW(work->finish(), device_error);
    parts.insert(std::ranges::count(output, 2));
    EXPECT_EQ(std::ranges::count(output, 1), 0) << "the rest kept what the host had there";
  }
  EXPECT_GT(parts.size(), 5u);
}

TEST(test_device, refuses_every_call_once_it_is_lost) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    test_device on(seeded(seed));
    auto memory = on.allocate(bytes);
    auto adds = on.build(source_of(add, "add"));
    auto work = on.make_queue();
    const auto done = work->fill(*memory, 0, bytes, 1);
    work->finish();
    on.plan({0, fault::lost});
    EXPECT_THROW(on.make_queue(), device_error);
    const auto calls = on.calls().size();
    std::vector<char> host(bytes);
    const std::vector<std::function<void()>> all{
        [&] { on.allocate(1); },
        [&] { on.make_queue(); },
        [&] { on.build(source_of(add, "add")); },
        [&] { static_cast<void>(on.is_built(source_of(add, "add"))); },
        [&] { work->write(*memory, 0, host.data(), bytes); },
        [&] { work->read(*memory, 0, host.data(), bytes); },
        [&] { work->copy(*memory, 0, *memory, 8, 8); },
        [&] { work->fill(*memory, 0, 1, 0); },
        [&] { work->launch(*adds, {count, 0}, std::array<argument, 2>{memory, 1}); },
        [&] { work->flush(); },
        [&] { work->wait(done); },
        [&] { work->finish(); }};
    for (const auto& call : all) EXPECT_EQ(fault_of(call), fault::lost);
    EXPECT_EQ(on.calls().size(), calls);
    work.reset();  // what is left goes without a word
    adds.reset();
    memory.reset();
    EXPECT_EQ(on.bytes_in_use(), 0u);
  }
}

TEST(test_device, is_lost_at_once_or_when_an_operation_runs) {
  int at_once = 0, later = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    test_device on(failing(2, fault::lost, seed));
    const auto memory = on.allocate(bytes);
    const auto work = on.make_queue();
    if (fault_of([&] { work->fill(*memory, 0, bytes, 1); }))
      ++at_once;
    else if (fault_of([&] { work->finish(); }) == fault::lost)
      ++later;
  }
  EXPECT_EQ(at_once + later, 40);
  EXPECT_GT(at_once, 0);
  EXPECT_GT(later, 0);
}

TEST(test_device, refuses_a_kernel_without_a_host_function) {
  test_device on;
  EXPECT_EQ(message_of([&] { on.build(source_of(nullptr, "add")); }),
            on.about().name +
                ": build of test.add: it has no host function, which is what this device runs");
}

TEST(test_device, can_be_asked_for_by_name) {
  const auto chosen = select("test:seed=5+memory=1MiB,test:seed=6");
  ASSERT_EQ(chosen.devices.size(), 2u);
  EXPECT_EQ(chosen.devices[0]->about().memory_bytes, std::size_t{1} << 20);
  EXPECT_EQ(chosen.devices[0]->about().model, "test device, seed 5");
  EXPECT_EQ(chosen.devices[1]->about().model, "test device, seed 6");
  EXPECT_NE(chosen.devices[0]->about().name, chosen.devices[1]->about().name);
}

}  // namespace
}  // namespace pappus::devices::test
