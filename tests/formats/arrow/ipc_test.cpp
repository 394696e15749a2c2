// Files of Arrow's own format, written and read again.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "formats/arrow/arrow_support.h"
#include "formats/arrow/every_type.h"
#include "formats/arrow/mutated_columns.h"
#include "formats/file_end.h"
#include "pappus/category.h"

namespace pappus::testing::ipc {
namespace {

TEST(ipc, reads_back_what_it_wrote) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  const auto texts = some_texts(3000);
  for (const std::size_t n : {0, 1, 2, 7, 8, 9, 33'001, 150'001}) {
    SCOPED_TRACE(n);
    const auto records = some_records(n, texts);
    test_memory memory;
    {
      write_ipc(folder.file("a.arrow"), records, 2, memory);
      for (const unsigned threads : {1, 3}) {
        std::vector<std::shared_ptr<void>> kept;
        EXPECT_TRUE(read_ipc<every_type>(folder.file("a.arrow"), threads, memory, kept) == records);
      }
    }
    EXPECT_EQ(memory.used_bytes(), 0U);
  }
}

TEST(ipc, reads_many_batches_however_many_rows_are_asked_for) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  const auto texts = some_texts(40'000);
  const auto records = some_records(70'001, texts);
  test_memory little(std::size_t{16} << 20);  // of which batches take a part
  write_ipc(folder.file("a.arrow"), records, 3, little, 20'000);
  test_memory memory;
  const auto source = formats::open_file(folder.file("a.arrow"));
  EXPECT_GE(formats::load_arrow("a").open_ipc(*source, memory, 1000)->groups().size(), 4U);
  for (const unsigned threads : {1, 2, 3})
    for (const std::int64_t capacity : {70'001, 1'000'000, 10'007, 32'768}) {
      std::vector<std::shared_ptr<void>> kept;
      EXPECT_TRUE(read_ipc<every_type>(folder.file("a.arrow"), threads, memory, kept, capacity) ==
                  records);
    }
}

TEST(ipc, writes_the_same_bytes_whatever_the_number_of_threads) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  const auto texts = some_texts(500);
  const auto records = some_records(150'000, texts);
  test_memory memory;
  write_ipc(folder.file("a.arrow"), records, 1, memory);
  write_ipc(folder.file("b.arrow"), records, 3, memory, 7001);
  EXPECT_TRUE(content_of(folder.file("a.arrow")) == content_of(folder.file("b.arrow")));
}

TEST(ipc, starts_over) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  const auto texts = some_texts(500);
  const auto records = some_records(150'000, texts);
  test_memory memory;
  write_ipc(folder.file("a.arrow"), records, 2, memory);
  const auto reader =
      formats::open_ipc(folder.file("a.arrow"), detail::layout_of<every_type>(), memory);
  test_workers team(2);
  std::vector<every_type> some(140'000);
  reader->read(team, reinterpret_cast<std::byte*>(some.data()), 101'234);
  reader->rewind();
  EXPECT_EQ(reader->count(team), 150'000);
  ASSERT_EQ(reader->read(team, reinterpret_cast<std::byte*>(some.data()), 140'000), 140'000);
  EXPECT_TRUE(std::equal(some.begin(), some.end(), records.begin()));
}

struct wide {
  std::int64_t a, b;
  std::string_view c;
};

TEST(ipc, leaves_columns_unread_that_nobody_looks_at) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  std::mt19937_64 random(5);
  const auto texts = some_texts(5000);
  std::vector<wide> records;
  for (std::int64_t i = 0; i < 100'000; ++i)
    records.push_back({static_cast<std::int64_t>(random()), i % 5,
                       texts[static_cast<std::size_t>(random() % texts.size())]});
  test_memory memory;
  write_ipc(folder.file("a.arrow"), records, 2, memory);
  auto layout = detail::layout_of<wide>();
  const auto whole = formats::open_ipc(folder.file("a.arrow"), layout, memory);
  layout.columns[0].wanted = layout.columns[2].wanted = false;
  const auto part = formats::open_ipc(folder.file("a.arrow"), layout, memory);
  test_workers team(2);
  std::vector<wide> all(records.size()), some = all;
  whole->read(team, reinterpret_cast<std::byte*>(all.data()), 100'000);
  part->read(team, reinterpret_cast<std::byte*>(some.data()), 100'000);
  EXPECT_LT(part->bytes_read(), whole->bytes_read() / 4);
  for (std::size_t i = 0; i < records.size(); ++i) {
    ASSERT_EQ(all[i].a, records[i].a) << i;
    ASSERT_EQ(all[i].c, records[i].c) << i;
    ASSERT_EQ(some[i].b, records[i].b) << i;
    ASSERT_EQ(some[i].a, 0) << i;
  }
}

template <typename Text>
struct flight {
  Text carrier;
  std::int32_t delay;
  std::optional<Text> plane;
};

/// Flights of a few carriers, the first without any text, and of many planes.
std::vector<flight<category>> some_flights(std::size_t n) {
  std::vector<flight<category>> rows;
  for (std::size_t i = 0; i < n; ++i) {
    flight<category> row{};
    if (i > 0) row.carrier = std::string_view("carrier " + std::to_string(i % 13 + i / 50'000));
    row.delay = static_cast<std::int32_t>(i % 100);
    if (i % 3 != 0) row.plane = category(std::string_view("plane " + std::to_string(i * 7 % 4001)));
    rows.push_back(row);
  }
  return rows;
}

TEST(ipc, has_categories_as_a_dictionary) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  for (const std::size_t n : {0, 1, 120'001}) {
    const auto rows = some_flights(n);
    test_memory memory;
    {
      write_ipc(folder.file("a.arrow"), rows, 2, memory);
      const auto source = formats::open_file(folder.file("a.arrow"));
      const auto file = formats::load_arrow("a").open_ipc(*source, memory, 1000);
      EXPECT_EQ(file->columns()[0].type, "string");
      for (const unsigned threads : {1, 3}) {
        std::vector<std::shared_ptr<void>> kept;
        const auto coded =
            read_ipc<flight<category>>(folder.file("a.arrow"), threads, memory, kept, 7001);
        const auto plain =
            read_ipc<flight<std::string_view>>(folder.file("a.arrow"), threads, memory, kept);
        ASSERT_EQ(coded.size(), n);
        ASSERT_EQ(plain.size(), n);
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_TRUE(coded[i].carrier == rows[i].carrier) << i;
          ASSERT_EQ(coded[i].plane.has_value(), rows[i].plane.has_value()) << i;
          ASSERT_TRUE(coded[i].plane == rows[i].plane) << i;
          ASSERT_EQ(plain[i].carrier, rows[i].carrier.text()) << i;
          ASSERT_EQ(plain[i].plane.has_value(), rows[i].plane.has_value()) << i;
        }
      }
    }
    EXPECT_EQ(memory.used_bytes(), 0U);
  }
}

TEST(ipc, keeps_the_texts_of_a_dictionary_once) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  test_memory memory;
  write_ipc(folder.file("a.arrow"), some_flights(300'000), 2, memory);
  const auto layout = detail::layout_of<flight<std::string_view>>();
  const auto reader = formats::open_ipc(folder.file("a.arrow"), layout, memory);
  std::vector<flight<std::string_view>> rows(300'000);
  test_workers team(2);
  reader->read(team, reinterpret_cast<std::byte*>(rows.data()), 300'000);
  EXPECT_GT(reader->string_bytes(), 30'000U);
  EXPECT_LT(reader->string_bytes(), 100'000U) << "of five batches";
}

TEST(ipc, refuses_text_that_arrow_cannot_have) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  struct line {
    std::string_view text;
  };
  struct coded {
    category text;
  };
  test_memory memory;
  const auto file = folder.file("a.arrow");
  EXPECT_EQ(message_of<format_error>(
                [&] { write_ipc(file, std::vector<line>{{"a"}, {"\xff"}}, 1, memory); }),
            file +
                ": row 2, column \"text\": expected text in UTF-8, as Arrow has it, got other "
                "bytes");
  EXPECT_EQ(message_of<format_error>(
                [&] { write_ipc(file, std::vector<coded>{{category("b\xff")}}, 1, memory); }),
            file + ": column \"text\": expected text in UTF-8, as Arrow has it, got other bytes");
}

template <typename Record>
std::string problem_of(const std::string& path) {
  test_memory memory;
  return message_of<error>([&] {
    std::vector<std::shared_ptr<void>> kept;
    read_ipc<Record>(path, 2, memory, kept);
  });
}

TEST(ipc, refuses_what_was_cut_off_or_is_something_else) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  test_memory memory;
  const auto file = folder.file("a.arrow");
  write_ipc(file, some_flights(5000), 1, memory);
  const auto whole = content_of(file);
  const auto with = [&](const std::string& bytes) {
    create_file(file, bytes);
    return problem_of<flight<category>>(file);
  };
  const auto cut =
      file + ": can't be read: it ends too soon: it was cut off, or isn't complete yet";
  EXPECT_EQ(with(whole.substr(0, whole.size() - 1)), cut);
  EXPECT_EQ(with(whole.substr(0, whole.size() / 2)), cut);
  EXPECT_EQ(with(whole.substr(0, 11)), cut);
  EXPECT_EQ(with(""), cut);
  EXPECT_EQ(with("FEA1 and so on"),
            file +
                ": can't be read: it is in the first version of Feather, which isn't Arrow's "
                "format; read it with pyarrow and write it anew");
  EXPECT_EQ(with(formats::packed(whole, formats::compression::gzip)),
            file +
                ": expected an Arrow file, got a file that gzip compressed, which only text files "
                "may be; decompress it first: gzip -dk " +
                file);
  EXPECT_EQ(with("carrier,delay,plane\nKL,3,PH-1\n"),
            file + ": can't be read: it isn't in Arrow's format, or is damaged");
}

struct mutated_row {
  std::int64_t id;
  std::optional<std::string_view> name;
  std::string_view text;
  std::optional<double> value;
  bool flag;
  std::int16_t small;
};

TEST(ipc, reads_or_refuses_mutations) {
  PAPPUS_NEEDS_ARROW();
  constexpr unsigned seed = 28;
  RecordProperty("seed", seed);
  std::mt19937 random(seed);
  const temporary_folder folder;
  std::vector<std::string> texts;
  for (int i = 0; i < 300; ++i) texts.push_back(std::to_string(i * i % 91));
  struct coded {
    std::int64_t id;
    std::optional<category> name;
    std::string_view text;
    std::optional<double> value;
    bool flag;
    std::int16_t small;
  };
  std::vector<coded> rows;
  for (int i = 0; i < 300; ++i) {
    coded row{i,       std::nullopt, texts[static_cast<std::size_t>(i)],
              i / 4.0, i % 3 == 0,   static_cast<std::int16_t>(i % 7)};
    if (i % 4 != 0) row.name = category(row.text);
    rows.push_back(row);
  }
  test_memory memory;
  write_ipc(folder.file("a.arrow"), rows, 1, memory, 90);
  const auto good = read_mutations<mutated_row>(content_of(folder.file("a.arrow")), 2000, random,
                                                &formats::arrow_library::open_ipc);
  EXPECT_LT(good, 1990) << "mutations must be found";
}

}  // namespace
}  // namespace pappus::testing::ipc
