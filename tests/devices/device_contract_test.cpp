// The contract of devices/device.h, kept by the test device, by every OpenCL device found, and by
// one of them as if its memory weren't the host's.
#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "devices/host/entry.h"
#include "devices/registry.h"
#include "support/memory_apart.h"

namespace pappus::devices {
namespace {

namespace text {
#include "devices/contract_kernels.cl"
}  // namespace text

constexpr host_kernel add = host::entry<text::add>;
constexpr host_kernel multiply = host::entry<text::multiply>;
constexpr host_kernel count_items = host::entry<text::count_items>;
constexpr host_kernel sum_rows = host::entry<text::sum_rows>;
constexpr host_kernel widen = host::entry<text::widen>;
constexpr host_kernel copy_large = host::entry<text::copy_large>;

std::shared_ptr<const std::string> kernel_text() {
  std::ifstream file(PAPPUS_SOURCE_DIR "/tests/devices/contract_kernels.cl");
  return std::make_shared<const std::string>(std::istreambuf_iterator<char>(file),
                                             std::istreambuf_iterator<char>());
}

attached_ptr open(const std::string& name) {
  if (name.starts_with("test")) return select(name).devices.at(0);
  if (name == "opencl apart") {
    auto apart = testing::open_memory_apart(testing::small_slots);
    return apart ? std::make_shared<attached>(std::move(apart)) : nullptr;
  }
  for (const auto& found : all_devices())
    if (found->about().name == name) return found;
  return nullptr;
}

class device_contract : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    attached_ = open(GetParam());
    if (!attached_) GTEST_SKIP() << "there is no device " << GetParam();
    lock_ = std::unique_lock(attached_->lock);
    queue_ = on().make_queue();
  }
  device& on() { return *attached_->driver; }
  kernel_source source(const char* name, host_kernel host) {
    return {std::string("contract.") + name, name, text_, host, nullptr};
  }
  std::unique_ptr<kernel> build(const char* name, host_kernel host) {
    return on().build(source(name, host));
  }
  template <typename T>
  std::unique_ptr<buffer> upload(const std::vector<T>& values) {
    auto memory = on().allocate(values.size() * sizeof(T));
    queue_->wait(queue_->write(*memory, 0, values.data(), values.size() * sizeof(T)));
    return memory;
  }
  template <typename T>
  std::vector<T> download(const buffer& memory) {
    std::vector<T> values(memory.bytes / sizeof(T));
    queue_->wait(queue_->read(memory, 0, values.data(), values.size() * sizeof(T)));
    return values;
  }
  std::mt19937_64 numbers(std::uint64_t seed) {
    RecordProperty("seed", std::to_string(seed));
    std::cout << "seed " << seed << '\n';
    return std::mt19937_64(seed);
  }

  attached_ptr attached_;
  std::unique_lock<std::recursive_mutex> lock_;
  std::shared_ptr<const std::string> text_ = kernel_text();
  std::unique_ptr<queue> queue_;
};

INSTANTIATE_TEST_SUITE_P(devices, device_contract,
                         ::testing::Values("test:seed=1", "test:seed=2+delay_us=200",
                                           "test:seed=3+like=gpu", "opencl:0", "opencl:1",
                                           "opencl:2", "opencl apart"),
                         [](const auto& chosen) {
                           std::string name = chosen.param;
                           for (char& c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           return name;
                         });

TEST(device_contract_devices, are_all_that_there_are) {
  EXPECT_LE(all_devices().size(), 3u) << "add the others to the list above";
}

TEST_P(device_contract, says_what_it_is) {
  const auto& about = on().about();
  EXPECT_FALSE(about.name.empty());
  EXPECT_FALSE(about.model.empty());
  EXPECT_FALSE(about.version.empty());
  EXPECT_GT(about.memory_bytes, 0u);
  EXPECT_GT(about.buffer_bytes_max, 0u);
  EXPECT_LE(about.buffer_bytes_max, about.memory_bytes);
  EXPECT_GE(about.compute_units, 1u);
  EXPECT_GE(about.group_items_max, 1u);
}

TEST_P(device_contract, moves_any_range_of_bytes) {
  auto random = numbers(11);
  constexpr std::size_t size = 10'007;
  std::vector<unsigned char> model(size, 7);
  const auto memory = upload(model);
  for (int round = 0; round < 60; ++round) {
    const auto offset = random() % size, bytes = random() % (size - offset + 1);
    if (round % 3 == 0) {
      const auto value = static_cast<std::uint8_t>(random());
      queue_->fill(*memory, offset, bytes, value);
      std::fill_n(model.begin() + static_cast<std::ptrdiff_t>(offset), bytes, value);
    } else if (round % 3 == 1) {
      std::vector<unsigned char> piece(bytes);
      for (auto& b : piece) b = static_cast<unsigned char>(random());
      queue_->wait(queue_->write(*memory, offset, piece.data(), bytes));
      std::ranges::copy(piece, model.begin() + static_cast<std::ptrdiff_t>(offset));
    } else {
      std::vector<unsigned char> piece(bytes, 1);
      queue_->wait(queue_->read(*memory, offset, piece.data(), bytes));
      ASSERT_TRUE(std::equal(piece.begin(), piece.end(),
                             model.begin() + static_cast<std::ptrdiff_t>(offset)));
    }
  }
  EXPECT_EQ(download<unsigned char>(*memory), model);
}

TEST_P(device_contract, uses_host_memory_in_place_or_says_that_it_cannot) {
  constexpr long count = 1000;
  std::vector<std::uint32_t> values(count + 3);
  std::iota(values.begin(), values.end(), 0u);
  const auto before = values;
  std::uint32_t* const rows = values.data() + 1;  // aligned for these, and no better
  const auto memory = on().wrap(rows, count * sizeof *rows);
  if (!on().about().in_place) {
    EXPECT_EQ(memory, nullptr);
    return;
  }
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(memory->bytes, count * sizeof *rows);
  EXPECT_EQ(memory->host, reinterpret_cast<const std::byte*>(rows));
  const auto adds = build("add", add);
  const auto added = queue_->launch(*adds, {count, 0}, std::array<argument, 3>{memory, count, 5u});
  const auto other = on().make_queue();
  other->wait(other->read(*memory, 0, rows, memory->bytes, std::array{added}));
  for (std::size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(values[i], before[i] + (1 <= i && i <= count ? 5 : 0)) << i;
  EXPECT_EQ(download<std::uint32_t>(*memory), std::vector<std::uint32_t>(rows, rows + count));
}

TEST_P(device_contract, copies_within_and_between_buffers) {
  std::vector<unsigned char> values(1001);
  std::iota(values.begin(), values.end(), static_cast<unsigned char>(0));
  const auto from = upload(values);
  const auto to = upload(std::vector<unsigned char>(1001, 9));
  queue_->copy(*from, 3, *to, 501, 497);
  queue_->copy(*to, 501, *to, 1, 333);
  std::vector<unsigned char> expected(1001, 9);
  std::copy_n(values.begin() + 3, 497, expected.begin() + 501);
  std::copy_n(expected.begin() + 501, 333, expected.begin() + 1);
  EXPECT_EQ(download<unsigned char>(*to), expected);
  EXPECT_EQ(download<unsigned char>(*from), values);
}

TEST_P(device_contract, runs_the_operations_of_a_queue_in_order) {
  auto random = numbers(12);
  constexpr long count = 1000;
  const auto adds = build("add", add), multiplies = build("multiply", multiply);
  std::vector<std::uint32_t> model(count, 1);
  const auto memory = upload(model), other = upload(model);
  for (int round = 0; round < 100; ++round) {
    const auto number = static_cast<std::uint32_t>(random() % 1000);
    switch (random() % 4) {
      case 0:
        queue_->launch(*adds, {count, 0}, std::array<argument, 3>{memory, count, number});
        for (auto& v : model) v += number;
        break;
      case 1:
        queue_->launch(*multiplies, {count, 0}, std::array<argument, 3>{memory, count, number});
        for (auto& v : model) v *= number;
        break;
      case 2:
        queue_->fill(*memory, 0, 40, static_cast<std::uint8_t>(number));
        std::memset(model.data(), static_cast<std::uint8_t>(number), 40);
        break;
      default:
        queue_->copy(*memory, 0, *other, 4, 4 * (count - 1));
        queue_->copy(*other, 4, *memory, 4, 4 * (count - 2));
        std::vector<std::uint32_t> shifted = model;
        std::copy(model.begin(), model.end() - 2, shifted.begin() + 1);
        model = shifted;
    }
  }
  EXPECT_EQ(download<std::uint32_t>(*memory), model);
}

TEST_P(device_contract, orders_queues_by_events_without_a_flush) {
  auto random = numbers(13);
  constexpr long count = 777;
  const auto adds = build("add", add), multiplies = build("multiply", multiply);
  std::vector<std::uint32_t> model(count, 3);
  const auto memory = upload(model);
  std::vector<std::unique_ptr<queue>> queues;
  for (int i = 0; i < 3; ++i) queues.push_back(on().make_queue());
  event last;
  std::size_t last_queue = 0;
  for (std::uint32_t round = 0; round < 60; ++round) {
    const bool adding = random() % 2 == 0;
    last_queue = random() % queues.size();
    last =
        queues[last_queue]->launch(adding ? *adds : *multiplies, {count, 0},
                                   std::array<argument, 3>{memory, count, round}, std::array{last});
    for (auto& v : model) v = adding ? v + round : v * (round == 0 ? 0 : round);
  }
  queues[last_queue]->wait(last);
  EXPECT_EQ(download<std::uint32_t>(*memory), model);
}

TEST_P(device_contract, waits_for_all_of_several_events) {
  constexpr long count = 100;
  const auto adds = build("add", add);
  std::vector<std::unique_ptr<queue>> queues;
  std::vector<std::unique_ptr<buffer>> parts;
  std::vector<event> written;
  std::vector<std::vector<int>> inputs;
  for (int i = 0; i < 4; ++i) inputs.emplace_back(count, i);
  const auto whole = on().allocate(4 * 4 * count);
  for (std::size_t i = 0; i < 4; ++i) {
    queues.push_back(on().make_queue());
    parts.push_back(on().allocate(4 * count));
    queues[i]->write(*parts[i], 0, inputs[i].data(), 4 * count);
    queues[i]->launch(*adds, {count, 0}, std::array<argument, 3>{parts[i], count, 10});
    written.push_back(queues[i]->copy(*parts[i], 0, *whole, i * 4 * count, 4 * count));
  }
  std::vector<int> result(4 * count);
  written.emplace_back();  // done already
  queue_->wait(queue_->read(*whole, 0, result.data(), 4 * 4 * count, written));
  for (std::size_t i = 0; i < result.size(); ++i)
    ASSERT_EQ(result[i], static_cast<int>(i / count) + 10);
}

TEST_P(device_contract, runs_every_item_once_and_only_whole_groups) {
  const auto counts = build("count_items", count_items);
  for (const long count : {1L, 2L, 63L, 64L, 65L, 1000L, 100'001L})
    for (const std::size_t group : {0u, 1u, 4u, 64u}) {
      if (group > on().about().group_items_max) continue;
      const auto runs = upload(std::vector<std::uint32_t>(count, 0));
      const auto items = upload(std::vector<std::uint64_t>(count, 0));
      queue_->launch(*counts, {static_cast<std::size_t>(count), group},
                     std::array<argument, 3>{runs, items, count});
      for (const auto n : download<std::uint32_t>(*runs)) ASSERT_EQ(n, 1u) << count << " " << group;
      const auto told = download<std::uint64_t>(*items);
      for (const auto n : told) ASSERT_EQ(n, told[0]);
      ASSERT_GE(told[0], static_cast<std::uint64_t>(count));
      if (group > 0) {
        ASSERT_EQ(told[0] % group, 0u);
      }
    }
}

TEST_P(device_contract, walks_rows_with_any_number_of_items) {
  constexpr long rows = 12'345;
  constexpr std::size_t items_max = 7 + 4096;  // with padding
  const auto sums = build("sum_rows", sum_rows);
  std::vector<int> values(rows);
  std::iota(values.begin(), values.end(), -100);
  const auto in = upload(values);
  const auto out = upload(std::vector<std::int64_t>(items_max, 0));
  queue_->launch(*sums, {7, 1}, std::array<argument, 3>{in, out, rows});
  const auto parts = download<std::int64_t>(*out);
  EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), std::int64_t{0}),
            std::accumulate(values.begin(), values.end(), std::int64_t{0}));
}

TEST_P(device_contract, passes_values_of_every_width) {
  if (!on().about().doubles) GTEST_SKIP() << "the device has no 64-bit floats";
  const auto widens = build("widen", widen);
  const auto out = on().allocate(80);
  queue_->launch(*widens, {1, 0},
                 std::array<argument, 11>{out, std::int8_t{-1}, std::uint8_t{255},
                                          std::int16_t{-300}, std::uint16_t{65'000}, -70'000,
                                          4'000'000'000u, std::int64_t{-5'000'000'000},
                                          std::uint64_t{9'000'000'000'000u}, 0.5f, -0.125});
  EXPECT_EQ(download<double>(*out),
            (std::vector<double>{-1, 255, -300, 65'000, -70'000, 4e9, -5e9, 9e12, 0.5, -0.125}));
}

TEST_P(device_contract, copies_values_when_launch_is_called) {
  const auto copies = build("copy_large", copy_large);
  const auto out = on().allocate(argument_bytes_max);
  std::vector<int> values(argument_bytes_max / sizeof(int));
  std::iota(values.begin(), values.end(), 1);
  const auto expected = values;
  queue_->launch(*copies, {values.size(), 0},
                 std::array{argument(out), argument(values.data(), argument_bytes_max)});
  std::ranges::fill(values, 0);
  EXPECT_EQ(download<int>(*out), expected);
}

TEST_P(device_contract, keeps_many_buffers_apart) {
  constexpr int buffers = 300;
  std::vector<std::unique_ptr<buffer>> memory;
  for (int i = 0; i < buffers; ++i) {
    memory.push_back(on().allocate(static_cast<std::size_t>(1 + i)));
    EXPECT_GE(memory.back()->bytes, static_cast<std::size_t>(1 + i));
    queue_->fill(*memory.back(), 0, memory.back()->bytes, static_cast<std::uint8_t>(i));
  }
  for (const auto& one : memory) {
    const auto expected = static_cast<unsigned char>(&one - memory.data());
    for (const auto b : download<unsigned char>(*one)) ASSERT_EQ(b, expected);
  }
}

TEST_P(device_contract, ignores_operations_on_nothing) {
  constexpr long count = 10;
  const auto adds = build("add", add);
  const auto memory = upload(std::vector<int>(count, 5));
  const auto empty = on().allocate(0);
  EXPECT_EQ(empty->bytes, 0u);
  queue_->launch(*adds, {count, 0}, std::array<argument, 3>{memory, count, 1});
  std::vector<event> nothing{
      queue_->write(*memory, 4 * count, nullptr, 0), queue_->read(*memory, 7, nullptr, 0),
      queue_->copy(*memory, 0, *memory, 0, 0), queue_->fill(*empty, 0, 0, 1),
      queue_->launch(*adds, {0, 0}, std::array<argument, 3>{memory, count, 1})};
  const auto other = on().make_queue();
  std::vector<int> result(count);
  other->wait(other->read(*memory, 0, result.data(), 4 * count, nothing));
  EXPECT_EQ(result, std::vector<int>(count, 6));
  queue_->wait(nothing.back());
  queue_->wait(nullptr);
  queue_->finish();
}

TEST_P(device_contract, goes_on_after_a_build_that_failed) {
  const kernel_source broken{
      "contract.broken", "broken",
      std::make_shared<const std::string>("KERNEL void broken(GLOBAL int* a) { a[0] = nowhere; }"),
      nullptr, nullptr};
  for (int attempt = 0; attempt < 2; ++attempt) try {
      on().build(broken);
      FAIL() << "it was built";
    } catch (const device_error& e) {
      EXPECT_EQ(e.what_failed, fault::build_failed);
      EXPECT_EQ(e.device_name, on().about().name);
      EXPECT_NE(std::string(e.what()).find("contract.broken"), std::string::npos) << e.what();
      EXPECT_FALSE(e.log.empty());
    }
  EXPECT_FALSE(on().is_built(broken));
  const auto adds = build("add", add);
  const auto memory = upload(std::vector<int>(3, 1));
  queue_->launch(*adds, {3, 0}, std::array<argument, 3>{memory, std::int64_t{3}, 1});
  EXPECT_EQ(download<int>(*memory), std::vector<int>(3, 2));
}

TEST_P(device_contract, knows_what_it_has_built) {
  build("add", add);
  EXPECT_TRUE(on().is_built(source("add", add)));
  auto unknown = source("add", add);
  unknown.text =
      std::make_shared<const std::string>(*text_ + "// " + std::to_string(std::random_device{}()) +
                                          std::to_string(std::random_device{}()));
  EXPECT_FALSE(on().is_built(unknown));
}

TEST_P(device_contract, launches_two_kernels_of_one_source_with_arguments_of_their_own) {
  constexpr long count = 50;
  const auto first = build("add", add);
  auto second = build("add", add);
  const auto a = upload(std::vector<int>(count, 0)), b = upload(std::vector<int>(count, 0));
  const auto other = on().make_queue();
  for (int i = 0; i < 20; ++i) {
    queue_->launch(*first, {count, 0}, std::array<argument, 3>{a, count, 1});
    other->launch(*second, {count, 0}, std::array<argument, 3>{b, count, 2});
  }
  other->finish();
  second.reset();
  queue_->launch(*first, {count, 0}, std::array<argument, 3>{b, count, 100});
  EXPECT_EQ(download<int>(*a), std::vector<int>(count, 20));
  EXPECT_EQ(download<int>(*b), std::vector<int>(count, 140));
}

TEST_P(device_contract, refuses_a_buffer_beyond_its_limit) {
  try {
    on().allocate(on().about().buffer_bytes_max + 1);
    FAIL() << "it was allocated";
  } catch (const device_error& e) {
    EXPECT_EQ(e.what_failed, fault::out_of_memory);
    EXPECT_EQ(e.device_name, on().about().name);
  }
  EXPECT_EQ(download<int>(*upload(std::vector<int>{1, 2, 3})), (std::vector<int>{1, 2, 3}));
}

TEST_P(device_contract, finishes_a_queue_that_is_destroyed) {
  constexpr long count = 10'000;
  const auto adds = build("add", add);
  const auto memory = upload(std::vector<int>(count, 0));
  std::vector<int> result(count, -1);
  auto other = on().make_queue();
  for (int i = 0; i < 10; ++i)
    other->launch(*adds, {count, 0}, std::array<argument, 3>{memory, count, 1});
  other->read(*memory, 0, result.data(), 4 * count);
  other.reset();
  EXPECT_EQ(result, std::vector<int>(count, 10));
}

TEST_P(device_contract, finishes_all_that_was_flushed_or_not) {
  constexpr long count = 100;
  const auto adds = build("add", add);
  const auto memory = upload(std::vector<int>(count, 0));
  std::vector<int> result(count, -1);
  queue_->launch(*adds, {count, 0}, std::array<argument, 3>{memory, count, 1});
  queue_->flush();
  queue_->flush();
  queue_->launch(*adds, {count, 0}, std::array<argument, 3>{memory, count, 1});
  queue_->read(*memory, 0, result.data(), 4 * count);
  queue_->finish();
  EXPECT_EQ(result, std::vector<int>(count, 2));
}

TEST_P(device_contract, serves_one_thread_after_another) {
  constexpr long count = 100;
  const auto adds = build("add", add);
  const auto memory = upload(std::vector<int>(count, 0));
  lock_.unlock();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 10; ++round) {
        const std::lock_guard lock(attached_->lock);
        queue_->launch(*adds, {count, 0}, std::array<argument, 3>{memory, count, 1});
      }
    });
  for (auto& thread : threads) thread.join();
  lock_.lock();
  EXPECT_EQ(download<int>(*memory), std::vector<int>(count, 40));
}

}  // namespace
}  // namespace pappus::devices
