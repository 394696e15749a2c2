// Stages that are sent only the bytes of records that they read, on devices of every kind.
#include "chunk_loop/sent_parts.h"

#include <array>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "codegen/element/element.h"
#include "device_ops/stage_runner.h"
#include "pappus/device_code.h"

namespace pappus::testing {
namespace {

using codegen::byte_ranges;
using codegen::read_bytes;
using pappus::testing::devices_of_all_kinds;
using pappus::testing::run_on;

struct wide {
  std::int64_t id;
  float level;
  std::int32_t more[9];
  double weight;
  std::array<std::int64_t, 2> last;
};
static_assert(sizeof(wide) == 72);

struct odd {  // of 13 bytes, which aren't whole words
  char tag;
  std::array<std::int8_t, 8> x;
  char more[4];
};
static_assert(sizeof(odd) == 13);

byte_ranges merged(std::initializer_list<codegen::byte_range> ranges, std::size_t record) {
  read_bytes read;
  for (const auto& range : ranges) read.add(range);
  return read.of(record);
}

TEST(read_bytes, are_ascending_and_apart_and_made_of_words) {
  EXPECT_EQ(merged({}, 80), byte_ranges{});
  EXPECT_EQ(merged({{16, 8}, {0, 4}}, 80), (byte_ranges{{0, 4}, {16, 8}}));
  EXPECT_EQ(merged({{16, 8}, {20, 8}, {8, 8}}, 80), (byte_ranges{{8, 20}}));
  EXPECT_EQ(merged({{5, 1}, {10, 4}}, 80), (byte_ranges{{4, 12}}));
  EXPECT_EQ(merged({{5, 1}, {10, 3}}, 13), (byte_ranges{{5, 1}, {10, 3}}));
  read_bytes all;
  all.add({4, 4});
  all.add_all();
  EXPECT_EQ(all.of(80), (byte_ranges{{0, 80}}));
}

class sent_parts : public ::testing::Test {
 protected:
  sent_parts() {
    for (int i = 0; i < 70'001; ++i) {
      wide_.push_back({i, static_cast<float>(i % 100), {}, 0.25 * i, {{i, -i}}});
      const auto byte = static_cast<std::int8_t>(i);
      odd_.push_back({static_cast<char>(i), {{byte, 1, byte, 2, 3}}, {1, 2, 3, 4}});
    }
  }

  /// Parts must be smaller than records, and lead to the same rows.
  template <typename Query>
  void expect_same(const Query& query, const byte_ranges& reads) {
    const auto node = detail::access::node(query.materialise());
    const auto element = codegen::element_of(*node);
    ASSERT_EQ(pappus::testing::refusal(*node), "");
    EXPECT_EQ(element->reads, std::vector<byte_ranges>{reads});
    for (const auto& device : devices_of_all_kinds())
      for (const std::int64_t chunk_rows : {0, 9'001})
        EXPECT_EQ(run_on(device, *node, chunk_rows, false, 0, true),
                  run_on(device, *node, chunk_rows))
            << device.name << ", chunks of " << chunk_rows;
  }

  std::vector<wide> wide_;
  std::vector<odd> odd_;
  session s_{options{.threads = 2, .devices = "cpu"}};
};

TEST_F(sent_parts, of_members) {
  expect_same(s_.borrow(wide_).map(&wide::weight), {{48, 8}});
  expect_same(s_.borrow(wide_).map(&wide::level), {{8, 4}});
  expect_same(s_.borrow(wide_).map(&wide::last), {{56, 16}});
  expect_same(s_.borrow(odd_).map(&odd::x), {{1, 8}});
}

TEST_F(sent_parts, are_whole_records_where_functions_take_them_by_value) {
  constexpr const char* text = R"(
typedef struct { long id; float level; int more[9]; double weight; long last[2]; } wide;
int is_low(wide w) { return w.level < 50; }
)";
  const auto is_low =
      with_device_code([](const wide& w) { return w.level < 50; }, device_text("is_low", text));
  expect_same(s_.borrow(wide_).filter(is_low).map(&wide::weight), {{0, 72}});
}

}  // namespace
}  // namespace pappus::testing
