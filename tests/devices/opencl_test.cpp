// What the OpenCL devices of this machine promise beyond device_contract_test.cpp.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <mutex>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "devices/kernel_cache.h"
#include "devices/registry.h"
#include "support/device_errors.h"
#include "support/driver_environment.h"

namespace pappus::devices {
namespace {

using testing::error_of;

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

[[maybe_unused]] const auto* const environment = ::testing::AddGlobalTestEnvironment(
    new testing::driver_environment("basic basic pthread", testing::kernels::kept));

kernel_source source_of(const std::string& entry, const std::string& text) {
  return {entry, entry, std::make_shared<const std::string>(text), nullptr, nullptr};
}

template <typename T>
std::vector<T> download(queue& from, const buffer& memory, std::size_t count) {
  std::vector<T> values(count);
  from.wait(from.read(memory, 0, values.data(), count * sizeof(T)));
  return values;
}

class opencl : public ::testing::Test {
 protected:
  void SetUp() override {
    if (all_devices().empty()) GTEST_SKIP() << "no OpenCL device: " << notes();
  }
  static std::string notes() {
    std::string text;
    for (const auto& note : select("").notes) text += note + "; ";
    return text;
  }
  // Two devices of one model.
  static std::vector<attached_ptr> twins() {
    std::vector<attached_ptr> all = all_devices();
    for (std::size_t i = 1; i < all.size(); ++i)
      if (all[i - 1]->about().model == all[i]->about().model) return {all[i - 1], all[i]};
    return {};
  }
  // The first device, its only thread being this one.
  device& first() {
    attached_ = all_devices().at(0);
    lock_ = std::unique_lock(attached_->lock);
    return *attached_->driver;
  }

  attached_ptr attached_;
  std::unique_lock<std::recursive_mutex> lock_;
};

TEST_F(opencl, numbers_its_devices_from_0) {
  const auto all = all_devices();
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i]->about().name, "opencl:" + std::to_string(i));
    EXPECT_EQ(all[i]->about().speaks, dialect::opencl_c);
    EXPECT_THAT(all[i]->about().version, HasSubstr("OpenCL"));
  }
}

TEST_F(opencl, gives_two_devices_that_work_at_the_same_time) {
  const auto both = twins();
  if (both.empty()) GTEST_SKIP() << "there are no two devices alike";
  EXPECT_NE(both[0]->number, both[1]->number);
  const auto square = source_of("square",
                                "KERNEL void square(GLOBAL long* x, long n, long add) {\n"
                                "  FOR_ROWS(row, n) { x[row] = row * row + add; }\n}\n");
  std::vector<long> results[2];
  const auto work = [&](int d) {
    const std::unique_lock lock(both[d]->lock);
    device& on = *both[d]->driver;
    const auto memory = on.allocate(1000 * sizeof(long));
    const auto kernel = on.build(square);
    const auto queue = on.make_queue();
    const long rows = 1000, add = d;
    const argument arguments[] = {memory, rows, add};
    for (int i = 0; i < 50; ++i) queue->launch(*kernel, {7, 0}, arguments);
    results[d] = download<long>(*queue, *memory, 1000);
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  for (long row = 0; row < 1000; ++row) {
    ASSERT_EQ(results[0][static_cast<std::size_t>(row)], row * row);
    ASSERT_EQ(results[1][static_cast<std::size_t>(row)], row * row + 1);
  }
}

TEST_F(opencl, counts_lines_of_a_build_log_as_the_text_does) {
  device& on = first();
  if (on.about().version.find("PoCL") == std::string::npos)
    GTEST_SKIP() << "other compilers write logs of other forms";
  const auto error = error_of([&] {
    on.build(source_of("broken",
                       "KERNEL void broken(long n) {\n"
                       "  long a = unknown_name;\n"
                       "#line 70 \"mean.cl\"\n"
                       "  long b = another_name;\n"
                       "}\n"));
  });
  EXPECT_EQ(error.what_failed, fault::build_failed);
  EXPECT_EQ(error.device_name, "opencl:0");
  EXPECT_THAT(error.log, AllOf(HasSubstr("kernel:2:"), HasSubstr("mean.cl:70:")));
  EXPECT_THAT(error.what(), AllOf(StartsWith("opencl:0: build of broken failed"),
                                  HasSubstr("kernel:2:"), HasSubstr("unknown_name")));
}

TEST_F(opencl, refuses_a_text_without_the_kernel) {
  device& on = first();
  const auto error =
      error_of([&] { on.build(source_of("absent", "KERNEL void present(long n) {}\n")); });
  EXPECT_EQ(error.what_failed, fault::build_failed);
  EXPECT_THAT(error.what(), HasSubstr("absent"));
}

TEST_F(opencl, refuses_a_kernel_that_has_no_text) {
  const auto error = error_of([&] { first().build({"map", "map", nullptr, nullptr, nullptr}); });
  EXPECT_EQ(error.what_failed, fault::build_failed);
  EXPECT_THAT(error.what(), HasSubstr("build of map"));
}

TEST_F(opencl, says_which_argument_is_wrong) {
  device& on = first();
  const auto kernel = on.build(source_of("take", "KERNEL void take(GLOBAL int* x, long n) {}\n"));
  const auto memory = on.allocate(64);
  const auto queue = on.make_queue();
  const auto error_with = [&](std::vector<argument> arguments) {
    const auto error = error_of([&] { queue->launch(*kernel, {1, 1}, arguments); });
    EXPECT_EQ(error.what_failed, fault::launch_failed);
    return std::string(error.what());
  };
  EXPECT_THAT(error_with({memory}), HasSubstr("take: expected 2 arguments, got 1"));
  EXPECT_THAT(error_with({memory, 1}),
              HasSubstr("argument 1, 4 bytes failed: CL_INVALID_ARG_SIZE"));
  const std::vector<char> large(argument_bytes_max + 1);
  EXPECT_THAT(error_with({memory, argument(large.data(), large.size())}),
              AllOf(HasSubstr("argument 1: expected at most 512 bytes, got 513"),
                    HasSubstr("in a buffer")));
}

TEST_F(opencl, says_which_bytes_lie_outside_a_buffer) {
  device& on = first();
  const auto memory = on.allocate(100);
  const auto queue = on.make_queue();
  char bytes[16] = {};
  const auto error = error_of([&] { queue->write(*memory, 90, bytes, 16); });
  EXPECT_EQ(error.what_failed, fault::launch_failed);
  EXPECT_THAT(error.what(), HasSubstr("a buffer of 100 bytes, got 16 bytes at 90"));
  EXPECT_THROW(queue->read(*memory, 101, bytes, 0), device_error);
  EXPECT_THROW(queue->fill(*memory, 0, 101, 0), device_error);
  EXPECT_THROW(queue->copy(*memory, 50, *memory, 0, ~std::size_t{0}), device_error);
}

TEST_F(opencl, refuses_groups_that_are_too_large) {
  device& on = first();
  const auto kernel = on.build(source_of("idle", "KERNEL void idle(long n) {}\n"));
  const auto queue = on.make_queue();
  const long nothing = 0;
  const argument arguments[] = {nothing};
  const std::size_t group = on.about().group_items_max + 1;
  const auto error = error_of([&] { queue->launch(*kernel, {group, group}, arguments); });
  EXPECT_EQ(error.what_failed, fault::launch_failed);
  EXPECT_THAT(error.what(), HasSubstr("got " + std::to_string(group)));
}

TEST_F(opencl, keeps_to_the_group_size_that_a_kernel_requires) {
  device& on = first();
  const auto kernel =
      on.build(source_of("groups",
                         "__attribute__((reqd_work_group_size(4, 1, 1)))\n"
                         "KERNEL void groups(GLOBAL ulong* out) { out[ITEM] = GROUP_ITEMS; }\n"));
  const auto memory = on.allocate(8 * sizeof(std::uint64_t));
  const auto queue = on.make_queue();
  queue->launch(*kernel, {5, 0}, std::vector<argument>{memory});
  EXPECT_EQ(download<std::uint64_t>(*queue, *memory, 8), std::vector<std::uint64_t>(8, 4));
}

TEST_F(opencl, tells_items_their_place_in_group_and_launch) {
  device& on = first();
  const auto kernel = on.build(
      source_of("places",
                "KERNEL void places(GLOBAL ulong* out) {\n"
                "  out[ITEM] = ITEMS * 1000 + GROUP * 100 + GROUP_ITEM * 10 + GROUP_ITEMS;\n}\n"));
  const auto memory = on.allocate(6 * sizeof(std::uint64_t));
  const auto queue = on.make_queue();
  queue->launch(*kernel, {5, 3}, std::vector<argument>{memory});
  EXPECT_EQ(download<std::uint64_t>(*queue, *memory, 6),
            (std::vector<std::uint64_t>{6003, 6013, 6023, 6103, 6113, 6123}));
}

TEST_F(opencl, shares_local_memory_between_barriers) {
  device& on = first();
  const auto kernel = on.build(source_of("reverse",
                                         "KERNEL void reverse(GLOBAL int* x) {\n"
                                         "  LOCAL int group[4];\n"
                                         "  group[GROUP_ITEM] = x[ITEM];\n"
                                         "  BARRIER();\n"
                                         "  x[ITEM] = group[GROUP_ITEMS - 1 - GROUP_ITEM];\n}\n"));
  std::vector<int> values(8);
  std::iota(values.begin(), values.end(), 0);
  const auto memory = on.allocate(8 * sizeof(int));
  const auto queue = on.make_queue();
  queue->write(*memory, 0, values.data(), 8 * sizeof(int));
  queue->launch(*kernel, {8, 4}, std::vector<argument>{memory});
  EXPECT_EQ(download<int>(*queue, *memory, 8), (std::vector<int>{3, 2, 1, 0, 7, 6, 5, 4}));
}

// The host's answers: a product and a sum each rounded, exact quotients and roots.
TEST_F(opencl, rounds_floats_as_the_host_does) {
  device& on = first();
  if (on.about().version.find("PoCL") == std::string::npos && !on.about().like_cpu)
    GTEST_SKIP() << "only some devices divide exactly";
  constexpr std::uint64_t seed = 41;
  std::cout << "seed " << seed << '\n';
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> between(0.5f, 2.0f);
  constexpr std::size_t n = 4000;
  std::vector<float> x(3 * n), expected(3 * n);
  for (float& value : x) value = between(random);
  for (std::size_t i = 0; i < n; ++i) {
    const float a = x[3 * i], b = x[3 * i + 1], c = x[3 * i + 2];
    const volatile float product = a * b;
    expected[3 * i] = product - c;
    expected[3 * i + 1] = a / b;
    expected[3 * i + 2] = std::sqrt(c);
  }
  const auto kernel = on.build(source_of("floats",
                                         "KERNEL void floats(GLOBAL float* x, long n) {\n"
                                         "  FOR_ROWS(row, n) {\n"
                                         "    float a = x[3 * row], b = x[3 * row + 1];\n"
                                         "    float c = x[3 * row + 2];\n"
                                         "    x[3 * row] = a * b - c;\n"
                                         "    x[3 * row + 1] = a / b;\n"
                                         "    x[3 * row + 2] = sqrt(c);\n"
                                         "  }\n}\n"));
  const auto memory = on.allocate(3 * n * sizeof(float));
  const auto queue = on.make_queue();
  queue->write(*memory, 0, x.data(), 3 * n * sizeof(float));
  queue->launch(*kernel, {4, 0}, std::vector<argument>{memory, static_cast<long>(n)});
  EXPECT_EQ(download<float>(*queue, *memory, 3 * n), expected);
}

int answer_of(device& on) {
  const auto kernel =
      on.build(source_of("answer", "KERNEL void answer(GLOBAL int* x) { x[ITEM] = 42; }\n"));
  const auto memory = on.allocate(sizeof(int));
  const auto queue = on.make_queue();
  queue->launch(*kernel, {1, 1}, std::vector<argument>{memory});
  return download<int>(*queue, *memory, 1).at(0);
}

TEST_F(opencl, finds_on_disk_what_another_process_built) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EQ(answer_of(first()), 42);
  EXPECT_EXIT(
      {
        const int answer = answer_of(first());
        std::cerr << answer << " with " << kernel_cache::shared().counts().hits << " hits\n";
        std::_Exit(0);
      },
      ::testing::ExitedWithCode(0), "42 with 1 hits");
}

// Devices like a CPU each have kernels of their own: see context.
TEST_F(opencl, shares_kernels_between_devices_of_a_model_unless_they_are_like_a_cpu) {
  const auto both = twins();
  if (both.empty()) GTEST_SKIP() << "there are no two devices alike";
  const std::scoped_lock locks(both[0]->lock, both[1]->lock);
  const auto shared = source_of("shared", "KERNEL void shared(GLOBAL int* x) { x[ITEM] = 1; }\n");
  EXPECT_FALSE(both[0]->driver->is_built(shared));
  both[0]->driver->build(shared);
  EXPECT_TRUE(both[0]->driver->is_built(shared));
  EXPECT_EQ(both[1]->driver->is_built(shared), !both[1]->about().like_cpu);
}

TEST(opencl_library, that_is_missing_means_no_devices_and_no_error) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("PAPPUS_OPENCL_LIBRARY", "/nonexistent", 1);
        const selection chosen = select("");
        for (const auto& note : chosen.notes) std::cerr << note << '\n';
        std::exit(all_devices().empty() && chosen.devices.empty() && chosen.cpu ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "OpenCL: /nonexistent");
}

TEST(opencl_library, that_is_no_opencl_library_is_refused) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("PAPPUS_OPENCL_LIBRARY", "libm.so.6", 1);
        for (const auto& note : select("").notes) std::cerr << note << '\n';
        std::exit(all_devices().empty() ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "OpenCL: no function cl");
}

}  // namespace
}  // namespace pappus::devices
