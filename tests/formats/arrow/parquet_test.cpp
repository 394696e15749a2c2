#include "formats/arrow/arrow_support.h"
#include "formats/arrow/every_type.h"

namespace pappus::testing {
namespace {

TEST(parquet, reads_back_what_it_wrote) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  const auto texts = some_texts(3000);
  for (const std::size_t n : {0, 1, 2, 7, 33'001}) {
    SCOPED_TRACE(n);
    const auto records = some_records(n, texts);
    test_memory memory;
    {
      write_parquet(folder.file("a.parquet"), records, 2, memory);
      for (const unsigned threads : {1, 3}) {
        std::vector<std::shared_ptr<void>> kept;
        EXPECT_TRUE(read_parquet<every_type>(folder.file("a.parquet"), threads, memory, kept) ==
                    records);
      }
    }
    EXPECT_EQ(memory.used_bytes(), 0U);
  }
}

TEST(parquet, reads_many_groups_however_many_rows_are_asked_for) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  const auto texts = some_texts(40'000);  // so that dictionaries are given up
  const auto records = some_records(70'001, texts);
  test_memory little(std::size_t{16} << 20);  // of which groups take a part
  write_parquet(folder.file("a.parquet"), records, 3, little, 20'000);
  test_memory memory;
  const auto groups = formats::open_file(folder.file("a.parquet"));
  EXPECT_GE(formats::load_arrow("a").open_parquet(*groups, memory, 1000)->groups().size(), 4U);
  for (const unsigned threads : {1, 2, 3})
    for (const std::int64_t capacity : {70'001, 1'000'000, 10'007, 32'768}) {
      std::vector<std::shared_ptr<void>> kept;
      EXPECT_TRUE(read_parquet<every_type>(folder.file("a.parquet"), threads, memory, kept,
                                           capacity) == records);
    }
}

TEST(parquet, writes_the_same_bytes_whatever_the_number_of_threads) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  const auto texts = some_texts(500);
  const auto records = some_records(40'000, texts);
  test_memory memory;
  write_parquet(folder.file("a.parquet"), records, 1, memory);
  write_parquet(folder.file("b.parquet"), records, 3, memory, 7001);
  EXPECT_TRUE(content_of(folder.file("a.parquet")) == content_of(folder.file("b.parquet")));
}

TEST(parquet, starts_over) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  const auto texts = some_texts(500);
  const auto records = some_records(50'000, texts);
  test_memory memory;
  write_parquet(folder.file("a.parquet"), records, 2, memory);
  const auto layout = detail::layout_of<every_type>();
  const auto reader = formats::open_parquet(folder.file("a.parquet"), layout, memory);
  test_workers team(2);
  std::vector<every_type> some(40'000);
  reader->read(team, reinterpret_cast<std::byte*>(some.data()), 1234);
  reader->rewind();
  EXPECT_EQ(reader->count(team), 50'000);
  ASSERT_EQ(reader->read(team, reinterpret_cast<std::byte*>(some.data()), 40'000), 40'000);
  EXPECT_TRUE(std::equal(some.begin(), some.end(), records.begin()));
}

TEST(parquet, keeps_text_that_is_taken_after_the_reader_is_gone) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  const auto texts = some_texts(60'000);
  const auto records = some_records(60'000, texts);
  test_memory memory;
  write_parquet(folder.file("a.parquet"), records, 2, memory);
  std::vector<every_type> read(60'000);
  std::shared_ptr<void> kept;
  {
    const auto reader =
        formats::open_parquet(folder.file("a.parquet"), detail::layout_of<every_type>(), memory);
    test_workers team(2);
    reader->read(team, reinterpret_cast<std::byte*>(read.data()), 60'000);
    EXPECT_GT(reader->string_bytes(), 1'000'000U);
    kept = reader->take_strings();
    EXPECT_EQ(reader->string_bytes(), 0U);
  }
  EXPECT_TRUE(read == records);
  EXPECT_GT(memory.used_bytes(), 1'000'000U) << "text is charged";
  kept.reset();
  EXPECT_EQ(memory.used_bytes(), 0U);
}

TEST(parquet, ends_early_where_there_is_enough_text) {
  PAPPUS_NEEDS_ARROW();
  struct line {
    std::string_view text;
    bool operator==(const line&) const = default;
  };
  const temporary_folder folder;
  std::vector<std::string> texts;
  for (int i = 0; i < 200'000; ++i) texts.push_back(std::to_string(i) + std::string(40, '-'));
  std::vector<line> records(texts.begin(), texts.end());
  test_memory memory;
  const detail::record_layout layout = bound<line>({column("text", &line::text)});
  write_parquet(folder.file("a.parquet"), records, 2, memory, 50'000, layout);
  const auto reader = formats::open_parquet(folder.file("a.parquet"), layout, memory);
  test_workers team(2);
  reader->limit_strings(1'000'000);
  std::vector<line> read(200'000);
  std::int64_t rows = 0;
  int calls = 0;
  while (rows < 200'000) {
    const auto n =
        reader->read(team, reinterpret_cast<std::byte*>(read.data() + rows), 200'000 - rows);
    ASSERT_GT(n, 0);
    EXPECT_LT(reader->string_bytes(), 4'000'000U);
    for (std::int64_t i = 0; i < n; ++i, ++rows)
      ASSERT_EQ(read[static_cast<std::size_t>(rows)].text, texts[static_cast<std::size_t>(rows)]);
    reader->take_strings();
    ++calls;
  }
  EXPECT_GE(calls, 4);
}

TEST(parquet, keeps_the_texts_of_a_dictionary_once) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  struct line {
    std::string_view text;
  };
  const auto texts = some_texts(1000);
  std::vector<line> records;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < 200'000; ++i) records.push_back({texts[i % texts.size()]});
  for (const auto& text : texts) bytes += text.size();
  test_memory memory;
  const detail::record_layout layout = bound<line>({column("text", &line::text)});
  write_parquet(folder.file("a.parquet"), records, 2, memory, 50'000, layout);
  const auto reader = formats::open_parquet(folder.file("a.parquet"), layout, memory);
  test_workers team(2);
  reader->read(team, reinterpret_cast<std::byte*>(records.data()), 200'000);
  EXPECT_GE(reader->string_bytes(), bytes);
  EXPECT_LT(reader->string_bytes(), 2 * bytes);
  for (std::size_t i = 0; i < records.size(); ++i)
    ASSERT_EQ(records[i].text, texts[i % texts.size()]) << i;
}

struct wide {
  std::int64_t a, b;
  std::optional<double> c;
  bool operator==(const wide&) const = default;
};

std::vector<wide> wide_records(std::size_t n) {
  std::vector<wide> records;
  for (std::size_t i = 0; i < n; ++i)
    records.push_back({static_cast<std::int64_t>(i * i), static_cast<std::int64_t>(i % 5),
                       some(i, static_cast<double>(i) / 3)});
  return records;
}

TEST(parquet, leaves_columns_unread_that_nobody_looks_at) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  const auto records = wide_records(100'000);
  test_memory memory;
  write_parquet(folder.file("a.parquet"), records, 2, memory);
  auto layout = detail::layout_of<wide>();
  layout.columns[0].wanted = layout.columns[2].wanted = false;
  const auto whole =
      formats::open_parquet(folder.file("a.parquet"), detail::layout_of<wide>(), memory);
  const auto part = formats::open_parquet(folder.file("a.parquet"), layout, memory);
  test_workers team(2);
  std::vector<wide> all(records.size(), wide{7, 7, 7.0}), some = all;
  whole->read(team, reinterpret_cast<std::byte*>(all.data()), 100'000);
  part->read(team, reinterpret_cast<std::byte*>(some.data()), 100'000);
  EXPECT_LT(part->bytes_read(), whole->bytes_read() / 4);
  for (std::size_t i = 0; i < records.size(); ++i)
    ASSERT_EQ(some[i], (wide{0, records[i].b, std::nullopt})) << i;
  layout.columns[1].wanted = false;
  const auto none = formats::open_parquet(folder.file("a.parquet"), layout, memory);
  const auto before = none->bytes_read();
  EXPECT_EQ(none->read(team, reinterpret_cast<std::byte*>(some.data()), 100'000), 100'000);
  EXPECT_EQ(none->bytes_read(), before);
  layout.columns[1].name = "d";
  EXPECT_EQ(
      message_of<format_error>(
          [&] { formats::open_parquet(folder.file("a.parquet"), layout, memory); }),
      folder.file("a.parquet") + ": expected a column \"d\", got the columns \"a\", \"b\", \"c\"");
}

/// A file of one column, "x".
template <typename T>
std::string file_of(const temporary_folder& folder, const std::vector<T>& values) {
  struct row {
    T x;
  };
  std::vector<row> rows;
  for (const auto& value : values) rows.push_back({value});
  test_memory memory;
  write_parquet(folder.file("x.parquet"), rows, 1, memory, 10'000,
                bound<row>({column("x", &row::x)}));
  return folder.file("x.parquet");
}

template <typename T>
struct row_of {
  T x;
};

/// Its values as another type; "" where they could be had, else what was wrong behind the file.
template <typename T>
std::string problem_as(const std::string& file, std::vector<T>* values = nullptr) {
  using row = row_of<T>;
  const auto layout = bound<row>({column("x", &row::x)});
  test_memory memory;
  std::vector<std::shared_ptr<void>> kept;
  try {
    for (const auto& one : read_parquet<row>(file, 2, memory, kept, 1'000'000, layout))
      if (values != nullptr) values->push_back(one.x);
  } catch (const format_error& problem) {
    const std::string_view text = problem.what();
    EXPECT_TRUE(text.starts_with(file + ": ")) << text;
    return std::string(text.substr(file.size() + 2));
  }
  return "";
}

TEST(parquet, reads_integers_as_others_that_have_their_values) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  const auto file = file_of<std::int64_t>(folder, {1, -128, 127, 100});
  std::vector<std::int8_t> small;
  EXPECT_EQ(problem_as<std::int8_t>(file, &small), "");
  EXPECT_EQ(small, (std::vector<std::int8_t>{1, -128, 127, 100}));
  std::vector<double> floats;
  EXPECT_EQ(problem_as<double>(file, &floats), "");
  EXPECT_EQ(floats, (std::vector<double>{1, -128, 127, 100}));
  EXPECT_EQ(problem_as<std::uint16_t>(file),
            "row 2, column \"x\": expected an unsigned 16-bit integer, got -128");
}

TEST(parquet, rounds_no_integer) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  constexpr std::int64_t exact = std::int64_t{1} << 53;
  const auto file = file_of<std::int64_t>(folder, {exact, -exact, INT64_MIN, exact + 1});
  EXPECT_EQ(problem_as<double>(file),
            "row 4, column \"x\": expected a double, got 9007199254740993");
  const auto largest = file_of<std::int64_t>(folder, {INT64_MAX});
  EXPECT_EQ(problem_as<double>(largest),
            "row 1, column \"x\": expected a double, got 9223372036854775807");
  const auto small = file_of<std::int32_t>(folder, {16'777'216, 16'777'217});
  EXPECT_EQ(problem_as<double>(small), "");
  EXPECT_EQ(problem_as<float>(small), "row 2, column \"x\": expected a float, got 16777217");
}

TEST(parquet, refuses_types_that_fields_cannot_have) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  const auto doubles = file_of<double>(folder, {1.5});
  EXPECT_EQ(problem_as<float>(doubles),
            "column \"x\": expected one that a float can have, got double; make the field a "
            "double");
  EXPECT_EQ(problem_as<std::int32_t>(doubles),
            "column \"x\": expected one that a 32-bit integer can have, got double; make the "
            "field a double");
  const auto texts = file_of<std::string_view>(folder, {"1"});
  EXPECT_EQ(problem_as<std::int32_t>(texts),
            "column \"x\": expected one that a 32-bit integer can have, got string; make the "
            "field a std::string_view");
  const auto dates = file_of<date>(folder, {date{1}});
  EXPECT_EQ(problem_as<timestamp>(dates),
            "column \"x\": expected one that a pappus::timestamp can have, got date32[day]; make "
            "the field a pappus::date");
}

TEST(parquet, refuses_missing_values_where_fields_have_them_always) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  std::vector<std::optional<double>> values(60'000, 1.0);
  values[40'000] = values[50'000] = std::nullopt;
  const auto file = file_of(folder, values);
  EXPECT_EQ(problem_as<double>(file),
            "row 40001, column \"x\": expected a value, got none (null); "
            "make the field a std::optional");
  std::vector<std::optional<double>> read;
  EXPECT_EQ(problem_as<std::optional<double>>(file, &read), "");
  EXPECT_TRUE(read == values);
}

TEST(parquet, tells_the_first_problem_of_a_file_whatever_the_number_of_threads) {
  PAPPUS_NEEDS_ARROW();
  struct wider {
    std::int64_t a, b;
    std::optional<double> c;
  };
  struct narrow {
    std::int8_t a, b;
    double c;
  };
  const temporary_folder folder;
  test_memory memory(std::size_t{16} << 20);
  std::vector<wider> rows(90'000, wider{1, 2, 3.0});
  rows[70'010].a = rows[30'000].b = rows[29'999].a = 1000;
  rows[30'001].c = std::nullopt;
  write_parquet(folder.file("a.parquet"), rows, 2, memory);
  for (const unsigned threads : {1, 2, 3})
    EXPECT_EQ(parquet_problem<narrow>(folder.file("a.parquet"), threads),
              folder.file("a.parquet") +
                  ": row 30000, column \"a\": expected an 8-bit integer, got 1000");
}

TEST(parquet, refuses_what_is_no_parquet_file) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  for (const std::string_view content :
       {std::string_view(""), std::string_view("PAR1"), std::string_view("a,b\n1,2\n"),
        std::string_view("PAR1\xff\xff\xff\x7fPAR1")}) {
    create_file(folder.file("a.parquet"), content);
    const auto text = parquet_problem<wide>(folder.file("a.parquet"));
    EXPECT_TRUE(text.starts_with(folder.file("a.parquet") + ": can't be read: ")) << text;
  }
}

TEST(parquet, finds_bytes_that_changed) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  test_memory memory;
  write_parquet(folder.file("a.parquet"), wide_records(10'000), 2, memory);
  auto content = content_of(folder.file("a.parquet"));
  content[content.size() / 2] ^= 4;
  create_file(folder.file("b.parquet"), content);
  const auto text = parquet_problem<wide>(folder.file("b.parquet"));
  EXPECT_TRUE(text.starts_with(folder.file("b.parquet") + ": column \"")) << text;
  EXPECT_NE(text.find("CRC checksum verification failed"), text.npos) << text;
  content.resize(content.size() / 2);
  create_file(folder.file("b.parquet"), content);
  EXPECT_NE(parquet_problem<wide>(folder.file("b.parquet")).find(": can't be read: "), text.npos);
}

TEST(parquet, says_whose_memory_is_short) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  test_memory memory;
  write_parquet(folder.file("a.parquet"), wide_records(100'000), 2, memory);
  test_memory little(100'000);
  const auto text = message_of<memory_error>([&] {
    std::vector<std::shared_ptr<void>> kept;
    read_parquet<wide>(folder.file("a.parquet"), 2, little, kept);
  });
  EXPECT_TRUE(text.starts_with(folder.file("a.parquet") + ": columns: needs ")) << text;
  EXPECT_EQ(little.used_bytes(), 0U);
}

TEST(parquet, leaves_no_file_behind_that_was_not_completed) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  test_memory memory;
  test_workers team(2);
  const auto records = wide_records(10);
  {
    formats::parquet_writer writer(folder.file("a.parquet"), detail::layout_of<wide>(), memory);
    writer.append(team, reinterpret_cast<const std::byte*>(records.data()), 10);
  }
  EXPECT_TRUE(folder.names().empty());
  EXPECT_EQ(memory.used_bytes(), 0U);
}

TEST(parquet, writes_no_text_that_is_not_utf_8) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  EXPECT_EQ(
      message_of<format_error>([&] { file_of<std::string_view>(folder, {"a", "b\xff"}); }),
      folder.file("x.parquet") +
          ": row 2, column \"x\": expected text in UTF-8, as Parquet has it, got other bytes");
}

TEST(parquet, refuses_records_that_it_cannot_write) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  test_memory memory;
  const auto file = folder.file("a.parquet");
  const auto twice = bound<wide>({column("a", &wide::a), column("a", &wide::b)});
  EXPECT_EQ(message_of<usage_error>([&] { formats::parquet_writer(file, twice, memory); }),
            file +
                ": column \"a\": expected a name that no other has, got it for several fields; "
                "give each its own: pappus::column(\"name\", &record::field)");
  EXPECT_EQ(message_of<usage_error>([&] { formats::parquet_writer(file, {8, {}}, memory); }),
            file +
                ": expected bindings of columns to fields, got none; add "
                "pappus::column(\"name\", &record::field)");
}

}  // namespace
}  // namespace pappus::testing
