// Fields that are filled with a column's values, of which some are missing: their memory may have
// anything.
#include "formats/arrow/arrow_cells.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "formats/arrow/arrow_support.h"

namespace pappus::testing {
namespace {

template <typename T>
struct sparse {
  std::optional<T> value;
};

/// What is put into records between others, which stay as they were, of values begin to begin + n.
template <typename T>
std::vector<std::optional<T>> filled_with(formats::arrow_kind kind,
                                          const formats::arrow_piece& piece, std::int64_t begin,
                                          std::int64_t n) {
  const auto layout = detail::layout_of<sparse<T>>();
  formats::arrow_column from;
  from.kind = kind;
  const formats::arrow_binding binding{0, from, layout.columns.at(0)};
  std::vector<std::byte> bytes((static_cast<std::size_t>(n) + 2) * layout.bytes, std::byte{0x5a});
  formats::fill_arrow_cells(binding, piece, {}, begin, n, bytes.data() + layout.bytes,
                            layout.bytes);
  for (std::size_t i = 0; i < layout.bytes; ++i) {
    EXPECT_EQ(bytes[i], std::byte{0x5a});
    EXPECT_EQ(bytes[bytes.size() - 1 - i], std::byte{0x5a});
  }
  std::vector<std::optional<T>> values;
  for (std::int64_t i = 1; i <= n; ++i) {
    const auto* const record = bytes.data() + static_cast<std::size_t>(i) * layout.bytes;
    T value;
    std::memcpy(&value, record + binding.field.offset, sizeof(T));
    const auto there = std::to_integer<int>(record[binding.field.presence]);
    EXPECT_LE(there, 1);
    if (there == 0) {
      EXPECT_EQ(value, T{}) << "as a value that is missing";
    }
    values.push_back(there == 1 ? std::optional(value) : std::nullopt);
  }
  return values;
}

template <typename From>
formats::arrow_piece piece_of(const std::vector<From>& values,
                              const std::vector<std::uint8_t>& bits, std::int64_t first) {
  formats::arrow_piece piece;
  piece.rows = static_cast<std::int64_t>(values.size()) - first;
  piece.first = first;
  piece.nulls = 1;
  piece.valid = bits.data();
  piece.values = values.data();
  piece.width = sizeof(From);
  return piece;
}

template <typename From, typename To>
void check_numbers(formats::arrow_kind kind) {
  constexpr unsigned seed = 11;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  std::vector<From> values(300);
  std::vector<std::uint8_t> bits(values.size() / 8 + 1);
  const auto is_there = [&](std::size_t i) { return (bits[i / 8] >> i % 8 & 1) != 0; };
  for (auto& byte : bits) byte = static_cast<std::uint8_t>(random() | random());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto anything = static_cast<From>(random());
    values[i] = is_there(i) ? static_cast<From>(random() % 100) : anything;
  }
  for (const std::int64_t first : {0, 3, 8})
    for (const std::int64_t begin : {0, 1, 7, 64})
      for (const std::int64_t n : {1, 9, 100}) {
        const auto found = filled_with<To>(kind, piece_of(values, bits, first), begin, n);
        for (std::int64_t i = 0; i < n; ++i) {
          const auto at = static_cast<std::size_t>(first + begin + i);
          const auto expected =
              is_there(at) ? std::optional<To>(static_cast<To>(values[at])) : std::nullopt;
          ASSERT_EQ(found[static_cast<std::size_t>(i)], expected) << at;
        }
      }
}

TEST(arrow_cells, are_zero_where_values_are_missing_whatever_was_there) {
  check_numbers<std::int32_t, std::int32_t>(formats::arrow_kind::i32);
  check_numbers<std::int64_t, std::int64_t>(formats::arrow_kind::i64);
  check_numbers<std::uint64_t, std::int8_t>(formats::arrow_kind::u64);
  check_numbers<std::int64_t, float>(formats::arrow_kind::i64);
  check_numbers<double, double>(formats::arrow_kind::f64);
  check_numbers<float, double>(formats::arrow_kind::f32);
}

TEST(arrow_cells, refuse_the_first_value_that_is_there_and_does_not_fit) {
  const std::vector<std::int32_t> values{1, 300, -300, 5, 128, 129};
  const std::vector<std::uint8_t> bits{0b111001};  // not the second and the third
  for (const std::int64_t begin : {0, 1}) {
    try {
      filled_with<std::int8_t>(formats::arrow_kind::i32, piece_of(values, bits, 0), begin,
                               6 - begin);
      ADD_FAILURE() << "was taken";
    } catch (const formats::arrow_cell_problem& problem) {
      EXPECT_EQ(problem.row, 4 - begin);
      EXPECT_EQ(problem.text, "expected an 8-bit integer, got 128");
    }
  }
}

TEST(arrow_cells, of_bits_are_zero_where_they_are_missing) {
  const std::vector<std::uint8_t> values{0b10110110}, bits{0b01010101};
  const auto found =
      filled_with<bool>(formats::arrow_kind::boolean, piece_of(values, bits, 0), 0, 8);
  const std::vector<std::optional<bool>> expected{false, {}, true, {}, true, {}, false, {}};
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace pappus::testing
