// Every operator's text on few rows, small enough for oclgrind: tools/check_kernels.sh runs
// checked_kernels under it, and ctest does so with the label oclgrind. broken_kernels must make it
// fail, and are skipped without it.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "codegen/element/element.h"
#include "device_ops/algorithms/primitives.h"
#include "device_ops/operator_samples.h"
#include "device_ops/stage_runner.h"

namespace pappus::testing {
namespace {

std::vector<std::byte> bytes_of(const detail::rows_ptr& rows) {
  const std::size_t size = static_cast<std::size_t>(rows->rows()) * rows->layout().size;
  return {rows->data(), rows->data() + size};
}

/// Whether there are bytes of its records that the stage doesn't read.
bool reads_parts(const detail::node& n) {
  std::size_t read = 0, all = 0;
  for (const auto& parts : codegen::element_of(n)->reads) read += codegen::total(parts);
  for (const auto& input : n.stage.inputs) all += input->out.size;
  return read < all;
}

// Rows that fill several blocks, and a chunk that ends within one. 2060 rows are three blocks of a
// device that is like a CPU; on others three tiles of a sort, and two of a scan of 8 bytes.
void expect_the_cpus_answers(std::size_t rows, std::int64_t chunk_rows) {
  const auto devices = compiling_devices();
  if (devices.empty()) GTEST_SKIP() << "no OpenCL device";
  session cpu(options{.threads = 1, .devices = "cpu"});
  for (const auto& [name, node] : operator_samples(cpu, rows)) {
    ASSERT_EQ(refusal(*node), "") << name;
    const auto expected = bytes_of(detail::evaluate_contiguous(node->session.lock(), node));
    for (const auto& device : devices) {
      SCOPED_TRACE(name + " on " + device.name);
      EXPECT_TRUE(run_on(device, *node, chunk_rows) == expected);
      if (!reads_parts(*node)) continue;
      EXPECT_TRUE(run_on(device, *node, chunk_rows, false, 0, true) == expected) << "in parts";
    }
  }
}

TEST(checked_kernels, of_every_operator_give_the_cpus_answers) { expect_the_cpus_answers(2060, 0); }

TEST(checked_kernels, of_every_operator_take_no_rows_and_one) {
  expect_the_cpus_answers(0, 0);
  expect_the_cpus_answers(1, 0);
}

TEST(checked_kernels, of_every_operator_take_chunks_that_end_anywhere) {
  expect_the_cpus_answers(700, 333);
}

// More blocks than one, where a block has thousands of rows, and a last block that isn't full.
TEST(checked_kernels, of_sorts_cut_rows_into_blocks) {
  std::mt19937 random(3);
  std::cout << "seed 3\n";
  std::vector<std::uint32_t> keys(9001);
  for (auto& key : keys) key = random() % 256 * 5;
  auto ascending = keys;
  std::ranges::sort(ascending);
  for (const auto& device : compiling_devices()) {
    SCOPED_TRACE(device.name);
    const std::lock_guard lock(device.real->lock);
    chunk_loop::device_session on(device.used, 0,
                                  std::make_shared<memory::pool>(std::size_t{1} << 30));
    const std::size_t bytes = keys.size() * sizeof(keys[0]);
    auto block = on.memory().acquire(bytes, "test"), rows = on.memory().acquire(bytes, "test");
    on.kernels().wait(on.kernels().write(*block->memory, 0, keys.data(), bytes));
    device_ops::kept_buffers kept;
    const auto n = static_cast<std::int64_t>(keys.size());
    device_ops::number_rows(on, *rows->memory, n);
    device_ops::radix_sort(on, block, rows, n, sizeof(keys[0]), "test", kept);
    std::vector<std::uint32_t> sorted(keys.size()), order(keys.size());
    on.kernels().read(*block->memory, 0, sorted.data(), bytes);
    on.kernels().wait(on.kernels().read(*rows->memory, 0, order.data(), bytes));
    EXPECT_TRUE(sorted == ascending);
    for (std::size_t i = 0; i < order.size(); ++i) {
      ASSERT_LT(order[i], keys.size());
      ASSERT_EQ(keys[order[i]], sorted[i]);
      if (i > 0 && sorted[i - 1] == sorted[i]) {
        ASSERT_LT(order[i - 1], order[i]);
      }
    }
  }
}

// Runs a kernel of one uint buffer of 64 items under oclgrind, which should report it.
void run_broken(const char* body) {
  if (std::getenv("OCLGRIND_DATA_RACES") == nullptr) GTEST_SKIP() << "not under oclgrind";
  const auto devices = compiling_devices();
  ASSERT_FALSE(devices.empty());
  auto& device = *devices.front().real->driver;
  const std::lock_guard lock(devices.front().real->lock);
  const auto values = device.allocate(64 * sizeof(std::uint32_t));
  const auto queue = device.make_queue();
  queue->fill(*values, 0, 64 * sizeof(std::uint32_t), 0);
  const auto text = std::string("KERNEL void broken(GLOBAL uint* values) { ") + body + " }";
  const auto kernel = device.build(
      {"broken", "broken", std::make_shared<const std::string>(text), nullptr, nullptr});
  queue->launch(*kernel, {64, 16}, std::vector<devices::argument>{values});
  queue->finish();
}

TEST(broken_kernels, that_read_behind_a_buffer) { run_broken("values[ITEM] = values[64 + ITEM];"); }

TEST(broken_kernels, that_write_behind_a_buffer) { run_broken("values[64 + ITEM] = 1u;"); }

TEST(broken_kernels, whose_items_write_the_same_place) { run_broken("values[0] = (uint)ITEM;"); }

TEST(broken_kernels, whose_items_read_what_others_write) {
  run_broken("values[ITEM] += values[63 - ITEM];");
}

TEST(broken_kernels, that_forget_a_barrier) {
  run_broken("LOCAL uint all[16]; all[GROUP_ITEM] = 1u; values[ITEM] = all[15 - GROUP_ITEM];");
}

}  // namespace
}  // namespace pappus::testing
