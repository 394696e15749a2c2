// Lists that few files have: missing ones that have items, many without any, damaged ones.
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>

#include "formats/arrow/arrow_lists.h"
#include "formats/arrow/arrow_support.h"
#include "pappus/list.h"

namespace pappus::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

template <typename T>
struct listed {
  list<T> x;
};

/// Lists of integers whose items lie where `places` say; bits of those that are there.
struct lists_of_integers {
  std::vector<std::int32_t> items, places;
  std::vector<std::uint8_t> valid, item_valid;

  /// As records have them, of those that are there.
  std::vector<std::vector<std::int32_t>> packed(detail::memory_source& memory) const {
    auto own = std::make_shared<formats::arrow_piece>();
    own->rows = std::ssize(items);
    own->values = items.data();
    own->width = sizeof(std::int32_t);
    own->valid = item_valid.empty() ? nullptr : item_valid.data();
    formats::arrow_piece piece;
    piece.rows = std::ssize(places) - 1;
    piece.values = places.data();
    piece.width = sizeof(std::int32_t);
    piece.valid = valid.data();
    piece.nulls = 1;
    piece.items = std::move(own);
    formats::arrow_column from;
    from.kind = formats::arrow_kind::list;
    from.items.emplace_back().kind = formats::arrow_kind::i32;
    detail::column_binding field{"x", detail::cell::list};
    field.item = detail::cell::i32;
    const auto made = formats::packed_lists({0, from, field}, piece, {}, memory, "lists");
    const auto* const at = static_cast<const std::int64_t*>(made.values);
    std::vector<std::vector<std::int32_t>> lists;
    for (std::int64_t i = 0; i < made.rows; ++i) {
      auto& list = lists.emplace_back(static_cast<std::size_t>(at[i + 1] - at[i]) / 4);
      if (!list.empty()) std::memcpy(list.data(), made.text + at[i], list.size() * 4);
    }
    return lists;
  }
};

TEST(lists_of_columns, leave_the_items_of_missing_lists_out) {
  test_memory memory;
  // The last one begins, and ends, behind the items of the second, which is missing.
  const lists_of_integers empty{{0, 1, 2, 3, 4, 5, 6, 7, 8}, {0, 2, 9, 9}, {0b101}, {}};
  EXPECT_THAT(empty.packed(memory), ElementsAre(ElementsAre(0, 1), IsEmpty(), IsEmpty()));
  const lists_of_integers more{{0, 1, 2, 3, 4, 5}, {0, 2, 4, 4, 6}, {0b1101}, {}};
  EXPECT_THAT(more.packed(memory),
              ElementsAre(ElementsAre(0, 1), IsEmpty(), IsEmpty(), ElementsAre(4, 5)));
  EXPECT_EQ(memory.used_bytes(), 0u);
}

TEST(lists_of_columns, say_which_item_is_missing) {
  test_memory memory;
  const lists_of_integers lists{{0, 1, 2, 3, 4, 5}, {0, 2, 4, 4, 6, 6}, {0b11101}, {0b11111}};
  try {
    lists.packed(memory);
    ADD_FAILURE() << "an integer can't be missing";
  } catch (const formats::arrow_cell_problem& problem) {
    EXPECT_EQ(problem.row, 3);
    EXPECT_EQ(problem.text, "item 2 of the list: expected a value, got none (null)");
  }
}

struct any_items {
  list<std::string_view> texts;
  list<bool> flags;
  std::optional<list<double>> numbers;
  bool operator==(const any_items&) const = default;
};

TEST(lists_of_files, begin_with_any_number_without_items) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  const auto texts = list<std::string_view>::packed(std::array<std::string_view, 2>{"a", "bc"});
  constexpr bool flags[] = {true, false, true};
  constexpr double numbers[] = {1.5, -2};
  std::vector<any_items> rows(9);
  for (const std::size_t i : {5u, 6u, 8u})
    rows[i] = {list<std::string_view>::of_packed(texts), list<bool>::of(flags),
               list<double>::of(numbers)};
  rows[7].numbers.emplace();
  for (const std::size_t at_a_time : {1u, 2u, 5u, 9u}) {
    SCOPED_TRACE(at_a_time);
    test_memory memory;
    write_ipc(folder.file("a.arrow"), rows, 1, memory, at_a_time);
    write_parquet(folder.file("a.parquet"), rows, 1, memory, at_a_time);
    std::vector<std::shared_ptr<void>> kept;
    EXPECT_EQ(read_ipc<any_items>(folder.file("a.arrow"), 1, memory, kept), rows);
    EXPECT_EQ(read_parquet<any_items>(folder.file("a.parquet"), 1, memory, kept), rows);
  }
}

TEST(ipc_lists, have_no_more_items_than_a_column_may_have) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  constexpr std::int64_t items = 12'347;
  const std::vector<std::int64_t> numbers(items, 7);
  const std::vector<listed<std::int64_t>> rows(1, {list<std::int64_t>::of(numbers)});
  test_memory memory;
  write_ipc(folder.file("a.arrow"), rows, 1, memory);
  const auto good = content_of(folder.file("a.arrow"));
  const auto bytes_of = [](std::int64_t n, std::int64_t none) {
    return std::string(reinterpret_cast<const char*>(&n), sizeof(n)) +
           std::string(reinterpret_cast<const char*>(&none), sizeof(none));
  };
  const auto at = good.find(bytes_of(items, 0));
  ASSERT_NE(at, good.npos);
  // Those of 8 bytes each seem to take none at all.
  for (const std::int64_t told :
       {std::int64_t{1} << 61, std::int64_t{-8} ^ std::int64_t{1} << 63}) {
    auto bytes = good;
    bytes.replace(at, 16, bytes_of(told, 0));
    const auto path = folder.file("b.arrow");
    create_file(path, bytes);
    EXPECT_THAT(message_of<format_error>([&] {
                  std::vector<std::shared_ptr<void>> kept;
                  read_ipc<listed<std::int64_t>>(path, 1, memory, kept);
                }),
                ::testing::HasSubstr("can't be read: it has more values than memory can have"));
  }
}

}  // namespace
}  // namespace pappus::testing
