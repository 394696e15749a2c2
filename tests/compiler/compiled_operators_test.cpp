// Operators with functions of the compiler plugin's, stage by stage on OpenCL: like a CPU and as if
// it were a GPU, whose texts are others, with whole records and with the bytes alone that are read.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "codegen/element/element.h"
#include "compiler/drivers.h"
#include "device_ops/stage_runner.h"
#include "pappus/pappus.h"
#include "support/few_rows.h"

namespace pappus::testing {
namespace {

using codegen::byte_ranges;

struct wide {
  std::int64_t id;
  float level;
  std::int32_t more[9];
  double weight;
  std::array<std::int64_t, 2> last;
};
static_assert(sizeof(wide) == 72);

struct heaviest {
  double weight = -1;
  std::int64_t last = 0;
  void accumulate(const wide& w) {
    if (w.weight > weight) weight = w.weight;
    last = std::max(last, w.last[1]);
  }
  void merge(const heaviest& other) {
    weight = std::max(weight, other.weight);
    last = std::max(last, other.last);
  }
};

class compiled_operators : public ::testing::Test {
 protected:
  void SetUp() override {
#ifndef PAPPUS_TEST_LAMBDAS_ON_OPENCL
    GTEST_SKIP() << "built without the compiler plugin";
#else
    if (testing::compiling_devices().empty()) GTEST_SKIP() << "no OpenCL device";
    for (int i = 0; i < 70'001; ++i)
      wide_.push_back(
          {i, static_cast<float>(i * 7 % 100), {i % 16}, 0.25 * (i * 31 % 5003), {{i, -i}}});
#endif
  }

  /// One device, and the same as if it were a GPU.
  static std::vector<testing::chosen_device> devices() {
    auto found = testing::compiling_devices();
    if (found.size() > 2) found.resize(2);
    return found;
  }

  /// The CPU's rows, on every device.
  void expect_same(const detail::node_ptr& node, const std::vector<byte_ranges>& reads) const {
    ASSERT_EQ(testing::refusal(*node), "");
    EXPECT_EQ(codegen::element_of(*node)->reads, reads);
    // Where all bytes are read, kernels are the same and do the same in both ways.
    const bool whole =
        testing::few_rows() && reads == std::vector<byte_ranges>{{{0, sizeof(wide)}}};
    for (const auto& device : devices())
      for (const std::int64_t chunk_rows : {0, testing::few_rows() ? 401 : 9'001})
        for (const bool parts : {false, true})
          if (!parts || !whole) expect_same_on(device, node, chunk_rows, parts);
  }

  void expect_same_on(const testing::chosen_device& device, const detail::node_ptr& node,
                      std::int64_t chunk_rows, bool parts) const {
    const auto expected = detail::evaluate_contiguous(detail::access::session(s_), node);
    const auto memory = parts ? testing::memory_with_copies : device.memory_bytes;
    const auto got = testing::run_on(device, *node, chunk_rows, false, memory, parts);
    ASSERT_EQ(got.size(), expected->bytes());
    EXPECT_EQ(std::memcmp(got.data(), expected->data(), got.size()), 0)
        << device.name << ", chunks of " << chunk_rows << (parts ? ", parts" : "");
  }

  /// All rows; under an interpreter of kernels `few`.
  collection<wide> rows(std::size_t few = 701) {
    return s_.borrow(std::span<const wide>(wide_).first(testing::up_to(wide_.size(), few)));
  }

  std::vector<wide> wide_;
  std::array<int, 16> table_{5, 12, 0, 9, 3, 15, 7, 1, 14, 2, 10, 6, 13, 4, 11, 8};
  session s_{options{.threads = 2, .devices = "cpu"}};
};

TEST_F(compiled_operators, reduce_what_reducers_read) {
  const auto rows = this->rows();
  expect_same(detail::access::node(rows.reduce<heaviest>()), {{{48, 8}, {64, 8}}});
  // A key as wide as what follows it: no padding.
  const auto key = [](const wide& w) { return std::int64_t{w.more[0]}; };
  const auto of_group = rows.group_by(key);
  expect_same(detail::access::node(of_group.reduce<heaviest>()), {{{12, 4}, {48, 8}, {64, 8}}});
  const auto of_domain = rows.group_by(key, domain{16});
  expect_same(detail::access::node(of_domain.reduce<heaviest>()), {{{12, 4}, {48, 8}, {64, 8}}});
}

TEST_F(compiled_operators, reduce_what_operators_with_captures_read) {
  const int least = 3;
  const auto op = [&table = table_, &least](std::int64_t total, const auto& x) {
    if constexpr (std::is_same_v<decltype(x), const wide&>)
      return table[static_cast<std::size_t>(x.more[0])] > least ? total + x.id : total;
    else
      return total + x;
  };
  expect_same(detail::access::node(rows().reduce(std::int64_t{0}, op)), {{{0, 8}, {12, 4}}});
}

TEST_F(compiled_operators, sort_by_keys_with_captures) {
  const auto place = [&table = table_](const wide& w) {
    return table.at(static_cast<std::size_t>(w.more[0]));
  };
  double pivot = 300;
  const auto distance = [pivot](const wide& w) { return std::abs(w.weight - pivot); };
  const auto rows = this->rows();
  expect_same(detail::access::node(rows.sort_by(descending(place), distance)),
              {{{0, sizeof(wide)}}});
  expect_same(detail::access::node(rows.top(100, distance)), {{{0, sizeof(wide)}}});
}

TEST_F(compiled_operators, scan_with_captures) {
  const auto later = [&table = table_](int a, int b) {
    const auto place = [&](int i) { return table.at(static_cast<std::size_t>(i)); };
    return place(a) < place(b) ? b : a;
  };
  const auto number = [](const wide& w) { return w.more[0]; };
  const auto numbers = rows().map(number);
  expect_same(detail::access::node(numbers.inclusive_scan(later)), {{{12, 4}}});
  expect_same(detail::access::node(numbers.exclusive_scan(3, later)), {{{12, 4}}});
  if (!testing::few_rows()) return;
  // Two tiles: an interpreter takes seconds for one of a device that is like a CPU, so each text of
  // the kernels runs once.
  for (const auto& device : devices()) {
    const std::size_t two_tiles = device.used->about().like_cpu ? 65'537 : 4'097;
    const auto more = rows(two_tiles).map(number);
    expect_same_on(device, detail::access::node(more.inclusive_scan(later)), 0, false);
    expect_same_on(device, detail::access::node(more.exclusive_scan(3, later)), 0, true);
  }
}

}  // namespace
}  // namespace pappus::testing
