#include "formats/json/json_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "formats/codecs/codec.h"
#include "formats/json/json_reader.h"
#include "formats/support.h"

namespace pappus::testing {
namespace {

using formats::json_reader;
using formats::json_writer;

struct thing {
  std::string_view text;
  std::optional<std::string_view> word;
  std::int64_t i64;
  std::uint64_t u64;
  float f32;
  double f64;
  bool flag;
  date day;
  timestamp moment;
  std::optional<std::int32_t> number;
  std::array<double, 2> at;
};

detail::record_layout thing_layout() {
  return bound<thing>({column("text", &thing::text), column("in.word", &thing::word),
                       column("i", &thing::i64), column("u", &thing::u64), column("g", &thing::f32),
                       column("f", &thing::f64), column("b", &thing::flag),
                       column("d", &thing::day), column("m", &thing::moment),
                       column("in.n", &thing::number), column("at", &thing::at)});
}

void write(const std::string& path, const detail::record_layout& layout,
           const std::vector<thing>& rows, unsigned threads = 2,
           formats::codec_pointer by = nullptr) {
  test_memory memory;
  test_workers team(threads);
  json_writer writer(path, layout, memory, std::move(by));
  writer.append(team, reinterpret_cast<const std::byte*>(rows.data()), std::ssize(rows));
  writer.close();
}

thing some_thing() {
  return {"a \"b\"\\\n\x01é",   {}, -5,      7, 0.1f, 1e300, true, date{19782},
          timestamp{1'500'000}, {}, {1, 2.5}};
}

TEST(json_writer, writes_an_object_a_line_with_nested_ones_for_names_with_dots) {
  const temporary_folder folder;
  const auto path = folder.file("x.jsonl");
  auto second = some_thing();
  second.word = "";
  second.number = 3;
  second.f64 = std::nan("");
  second.text = {};
  write(path, thing_layout(), {some_thing(), second});
  EXPECT_EQ(
      content_of(path),
      "{\"text\":\"a \\\"b\\\"\\\\\\n\\u0001é\",\"in\":{\"word\":null,\"n\":null},\"i\":-5,\"u\":7,"
      "\"g\":0.1,\"f\":1e+300,\"b\":true,\"d\":\"2024-02-29\",\"m\":\"1970-01-01T00:00:01."
      "500000Z\",\"at\":[1,2.5]}\n"
      "{\"text\":\"\",\"in\":{\"word\":\"\",\"n\":3},\"i\":-5,\"u\":7,"
      "\"g\":0.1,\"f\":null,\"b\":true,\"d\":\"2024-02-29\",\"m\":\"1970-01-01T00:00:01."
      "500000Z\",\"at\":[1,2.5]}\n");
}

TEST(json_writer, refuses_what_json_can_not_say) {
  const temporary_folder folder;
  const auto path = folder.file("x.jsonl");
  const auto refusal = [&](const thing& row) {
    const auto text = message_of<format_error>([&] { write(path, thing_layout(), {row}); });
    EXPECT_TRUE(text.starts_with(path)) << text;
    return text.substr(path.size());
  };
  auto row = some_thing();
  row.f64 = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal(row),
            ": column \"f\": expected a number that JSON has, got -inf; map it to NaN, which is "
            "written as null, or write a .csv");
  row = some_thing();
  row.text = "\xFFx";
  EXPECT_EQ(refusal(row), ": column \"text\": expected text in UTF-8, got \"\xFFx\"");
  EXPECT_TRUE(folder.names().empty());
  test_memory memory;
  EXPECT_EQ(message_of<usage_error>([&] {
              json_writer(path,
                          bound<thing>({column("a", &thing::i64), column("a.b", &thing::u64)}),
                          memory);
            }),
            path +
                ": column \"a\": expected a key of its own, got that of \"a.b\", too; give one "
                "of them another name: column(\"name\", &record::field)");
}

TEST(json_writer, writes_what_reads_back_the_same) {
  std::mt19937_64 random(7);
  std::vector<std::string> words;
  for (int i = 0; i < 200; ++i) {
    std::string word;
    for (auto n = random() % 12; n > 0; --n) word += static_cast<char>(random() % 128);
    words.push_back(i % 3 == 0 ? word + "é😀" : word);
  }
  std::vector<thing> rows;
  for (int i = 0; i < 20'000; ++i) {
    auto row = some_thing();
    row.text = words[random() % words.size()];
    if (i % 3 != 0) row.word = words[random() % words.size()];
    row.i64 = static_cast<std::int64_t>(random());
    row.u64 = random();
    row.f64 = std::bit_cast<double>(random());
    if (!std::isfinite(row.f64)) row.f64 = 0;
    row.f32 = static_cast<float>(random()) * 1e-25f;
    row.day.days = static_cast<std::int32_t>(random() % 900'000);
    row.moment.micros = static_cast<std::int64_t>(random() % 90'000'000'000'000'000);
    if (i % 5 != 0) row.number = static_cast<std::int32_t>(random());
    row.at = {row.f64, row.f32};
    rows.push_back(row);
  }
  const temporary_folder folder;
  const auto path = folder.file("x.jsonl"), packed = folder.file("x.jsonl.zst");
  write(path, thing_layout(), rows);
  write(folder.file("one.jsonl"), thing_layout(), rows, 1);
  EXPECT_EQ(content_of(path), content_of(folder.file("one.jsonl")));
  write(packed, thing_layout(), rows, 2, formats::make_zstd(3));
  for (const auto& each : {path, packed}) {
    test_memory memory;
    test_workers team(2);
    json_reader reader(formats::open_file(each), thing_layout(), memory);
    const auto read = read_all<thing>(reader, team, 3000);
    ASSERT_EQ(read.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const thing &a = rows[i], &b = read[i];
      ASSERT_TRUE(a.text == b.text && a.word == b.word && a.i64 == b.i64 && a.u64 == b.u64 &&
                  a.f32 == b.f32 && a.f64 == b.f64 && a.day == b.day && a.moment == b.moment &&
                  a.number == b.number && a.at == b.at)
          << i;
    }
  }
}

}  // namespace
}  // namespace pappus::testing
