#include "formats/npy/npy.h"

#include <gtest/gtest.h>

#include <random>

#include "formats/support.h"

namespace pappus::testing {
namespace {

using formats::npy_reader;
using formats::npy_writer;

struct point {
  std::array<float, 3> x;
  bool operator==(const point&) const = default;
};

struct person {
  bool member;
  double height;
  std::int16_t age;
  std::array<std::int32_t, 2> scores;
  date born;
  timestamp seen;
  bool operator==(const person&) const = default;
};

detail::record_layout person_layout() {
  return bound<person>({column("member", &person::member), column("height", &person::height),
                        column("age", &person::age), column("it's \\", &person::scores),
                        column("born", &person::born), column("seen", &person::seen)});
}

// A file as numpy.save writes it, but without padding.
std::string npy_file(const std::string& dictionary, std::string_view data, char version = 1) {
  std::string text = "\x93NUMPY";
  text += version;
  text += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) {
    text += static_cast<char>(dictionary.size() >> (8 * i) & 0xFF);
  }
  return text + dictionary + std::string(data);
}

template <typename T>
std::string text_of_bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

template <typename Record>
std::vector<Record> read(const std::string& file, const detail::record_layout& layout) {
  test_memory memory;
  test_workers team(2);
  npy_reader reader(source_of(file, "x.npy"), layout, memory);
  auto records = read_all<Record>(reader, team);
  EXPECT_EQ(reader.rows(), std::ssize(records));
  return records;
}

template <typename Record>
std::vector<Record> read(const std::string& file) {
  return read<Record>(file, detail::layout_of<Record>());
}

template <typename Record>
std::string error(const std::string& file,
                  const detail::record_layout& layout = detail::layout_of<Record>()) {
  return message_of<format_error>([&] { read<Record>(file, layout); });
}

template <typename Record>
void expect_round_trip(const detail::record_layout& layout, const std::vector<Record>& records) {
  const temporary_folder folder;
  test_memory memory;
  test_workers team(3);
  npy_writer writer(folder.file("x.npy"), layout, memory);
  const auto* bytes = reinterpret_cast<const std::byte*>(records.data());
  const auto n = std::ssize(records);
  writer.append(team, bytes, n / 3);
  writer.append(team, bytes + static_cast<std::size_t>(n / 3) * sizeof(Record), n - n / 3);
  writer.close();
  EXPECT_EQ(read<Record>(content_of(folder.file("x.npy")), layout), records);
}

TEST(npy, reads_scalars_in_all_versions_of_the_header) {
  const std::vector<std::int32_t> values{1, -2, 3};
  const std::string header = "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }";
  for (const char version : {1, 2, 3}) {
    EXPECT_EQ(read<std::int32_t>(npy_file(header, text_of_bytes(values), version)), values);
  }
}

TEST(npy, reads_rows_of_scalars_as_records) {
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(read<point>(npy_file("{'descr':'<f4','fortran_order':False,'shape':(2,3)}",
                                 text_of_bytes(values))),
            (std::vector<point>{{{1, 2, 3}}, {{4, 5, 6}}}));
  struct xyz {
    float x, y, z;
    bool operator==(const xyz&) const = default;
  };
  EXPECT_EQ(read<xyz>(npy_file("{'descr':'<f4','fortran_order':False,'shape':(2,3)}",
                               text_of_bytes(values))),
            (std::vector<xyz>{{1, 2, 3}, {4, 5, 6}}));
}

TEST(npy, reads_numbers_whose_bytes_come_in_the_other_order) {
  const std::string big("\x3f\xf8\0\0\0\0\0\0\xc0\x02\0\0\0\0\0\0", 16);
  EXPECT_EQ(read<double>(npy_file("{'descr': '>f8', 'fortran_order': False, 'shape': (2,)}", big)),
            (std::vector<double>{1.5, -2.25}));
  struct pair {
    std::int16_t first;
    std::int32_t second;
  };
  const auto pairs = read<pair>(
      npy_file("{'descr': [('a', '>i2'), ('b', '<i4')], 'fortran_order': False, 'shape': (1,)}",
               std::string("\x01\x02\x03\0\0\0", 6)));
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].first, 0x102);
  EXPECT_EQ(pairs[0].second, 3);
}

TEST(npy, matches_named_fields_whatever_their_place_and_skips_the_others) {
  struct item {
    std::int32_t a;
    double b;
  };
  std::string data;
  for (const double b : {1.5, 2.5}) {
    data += text_of_bytes(std::vector<double>{b}) + "text" +
            text_of_bytes(std::vector<std::int32_t>{7});
  }
  const auto items = read<item>(
      npy_file("{'descr': [('b', '<f8'), ('skipped', '|S4'), ('a', '<i4')], 'fortran_order': "
               "False, 'shape': (2,), }",
               data),
      bound<item>({column("a", &item::a), column("b", &item::b)}));
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[1].a, 7);
  EXPECT_EQ(items[1].b, 2.5);
}

TEST(npy, reads_names_in_latin_1_before_version_3_and_in_utf_8_from_then_on) {
  struct item {
    double size;
  };
  const auto layout =
      bound<item>({column("gr\xC3\xB6\xC3\x9F"
                          "e",
                          &item::size)});
  const std::string data = text_of_bytes(std::vector<double>{4.5});
  const auto header = [](const std::string& name) {
    return "{'descr': [('" + name + "', '<f8')], 'fortran_order': False, 'shape': (1,)}";
  };
  EXPECT_EQ(read<item>(npy_file(header("gr\xF6\xDF"
                                       "e"),
                                data, 1),
                       layout)[0]
                .size,
            4.5);
  EXPECT_EQ(read<item>(npy_file(header("gr\xC3\xB6\xC3\x9F"
                                       "e"),
                                data, 3),
                       layout)[0]
                .size,
            4.5);
}

TEST(npy, turns_bytes_that_are_no_boolean_into_true) {
  struct flag {
    bool value;
  };
  const auto flags = read<flag>(
      npy_file("{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", {"\x00\x01\x07", 3}));
  ASSERT_EQ(flags.size(), 3U);
  EXPECT_FALSE(flags[0].value);
  EXPECT_TRUE(flags[1].value);
  EXPECT_TRUE(flags[2].value);
}

TEST(npy, writes_what_reads_back_as_the_same_records) {
  constexpr unsigned seed = 3;
  RecordProperty("seed", seed);
  std::mt19937 random(seed);
  for (const std::size_t n : {0, 1, 2, 1000, 300'000}) {
    std::vector<point> points(n);
    std::vector<double> numbers(n);
    std::vector<person> people(n);
    const auto next = [&] { return static_cast<std::int32_t>(random()); };
    for (std::size_t i = 0; i < n; ++i) {
      for (float& x : points[i].x) x = static_cast<float>(next());
      numbers[i] = next();
      people[i] = {next() > 0,       1.0 * next(), static_cast<std::int16_t>(next()),
                   {next(), next()}, {next()},     {next() * 1000LL}};
    }
    expect_round_trip(detail::layout_of<point>(), points);
    expect_round_trip(detail::layout_of<double>(), numbers);
    expect_round_trip(person_layout(), people);
    expect_round_trip(detail::layout_of<person>(), people);
  }
}

TEST(npy, writes_headers_that_numpy_reads) {
  EXPECT_EQ(formats::plan_npy("x.npy", detail::layout_of<point>()).descr, "'<f4'");
  EXPECT_EQ(formats::plan_npy("x.npy", person_layout()).descr,
            "[('member', '|b1'), ('height', '<f8'), ('age', '<i2'), ('it\\'s \\\\', '<i4', (2,)), "
            "('born', '<i4'), ('seen', '<M8[us]'), ]");
  const std::string header = formats::print_npy_header("'<f4'", {1000, 3});
  EXPECT_EQ(header.size() % 64, 0U);
  EXPECT_EQ(header.size(), formats::print_npy_header("'<f4'", {INT64_MAX, 3}).size());
  EXPECT_EQ(header.substr(10, 62),
            "{'descr': '<f4', 'fortran_order': False, 'shape': (1000, 3), }");
  EXPECT_EQ(header.back(), '\n');
}

TEST(npy, says_which_shape_and_type_it_expected_and_got) {
  const auto file = [](const std::string& descr, const std::string& shape) {
    return npy_file("{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + "}",
                    std::string(1000, '\0'));
  };
  EXPECT_EQ(error<point>(file("'<f4'", "(10, 4)")),
            "x.npy: expected shape [n, 3] of <f4, got shape [10, 4] of <f4");
  EXPECT_EQ(error<point>(file("'<f8'", "(10, 3)")),
            "x.npy: expected shape [n, 3] of <f4, got shape [10, 3] of <f8");
  EXPECT_EQ(error<double>(file("'<f8'", "()")),
            "x.npy: expected shape [n] of <f8, got shape [] of <f8");
  EXPECT_EQ(error<double>(file("'<f8'", "(2, 1, 2)")),
            "x.npy: expected shape [n] of <f8, got shape [2, 1, 2] of <f8");
  EXPECT_EQ(error<double>(file("'>f4'", "(2,)")),
            "x.npy: expected shape [n] of <f8, got shape [2] of >f4");
  EXPECT_EQ(error<person>(file("[('heigth', '<f8'), ('member', '|b1')]", "(2,)"), person_layout()),
            "x.npy: expected fields \"member\" |b1, \"height\" <f8, \"age\" <i2, \"it's \\\" <i4 x "
            "2, \"born\" <i4, \"seen\" <M8[us], got shape [2] of fields \"heigth\" <f8, "
            "\"member\" |b1; did you mean \"heigth\"?");
  struct opaque {
    int values[4];
  };
  EXPECT_EQ(error<opaque>(file("'<f8'", "(2, 3)")),
            "x.npy: expected records of 16 bytes, got shape [2, 3] of <f8");
}

TEST(npy, refuses_columns_in_fortran_order) {
  EXPECT_EQ(error<point>(npy_file("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 3)}",
                                  std::string(12, '\0'))),
            "x.npy: expected shape [n, 3] of <f4, got shape [1, 3] of <f4; its columns, not its "
            "rows, are contiguous (fortran_order): save it with numpy.ascontiguousarray");
}

TEST(npy, reports_truncated_files) {
  const std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}";
  EXPECT_EQ(error<double>(npy_file(header, std::string(23, '\0'))),
            "x.npy: truncated: expected 3 records of 8 bytes, got 23 bytes");
  EXPECT_EQ(error<double>(npy_file(header, "").substr(0, 30)),
            "x.npy: truncated: the file ends inside the NPY header");
  EXPECT_EQ(error<double>(npy_file("{'descr': '<f8', 'fortran_order': False, 'shape': "
                                   "(9223372036854775807,)}",
                                   "")),
            "x.npy: truncated: expected 9223372036854775807 records of 8 bytes, got 0 bytes");
}

TEST(npy, reports_malformed_headers) {
  EXPECT_EQ(error<double>("PK\x03\x04 a zip file"),
            "x.npy: expected an NPY file, which begins with \"\\x93NUMPY\", got something else");
  EXPECT_EQ(error<double>(npy_file("", "", 9)), "x.npy: expected NPY version 1, 2 or 3, got 9");
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "'{'"},
      {"{'descr': '<f8'}", "all of the keys descr, fortran_order and shape"},
      {"{'descr': 'x'}", "a dtype such as \"<f8\" instead of \"x\""},
      {"{'descr': [('a', [('b', '<f8')])]}", "a string"},
      {"{'shape': (-1,)}", "an extent from 0 to 2^63 - 1"},
      {"{'fortran_order': 0}", "True or False"},
      {"{'other': 0}", "the keys descr, fortran_order and shape, once each, instead of \"other\""},
      {"{'descr': [('a', '<f8', (99999999, 99999999))]}", "items of at most 2 GiB"},
  };
  for (const auto& [header, expected] : cases) {
    EXPECT_EQ(error<double>(npy_file(header, "")),
              "x.npy: malformed NPY header: expected " + expected);
  }
}

TEST(npy, refuses_to_write_what_it_can_not_describe) {
  struct name {
    std::string_view text;
  };
  EXPECT_EQ(message_of<usage_error>([] { formats::plan_npy("x.npy", {8, {}}); }),
            "x.npy: expected a record whose fields are known, got one that can't be seen through; "
            "bind its fields with pappus::column(\"name\", &record::field)");
  EXPECT_EQ(
      message_of<usage_error>([] { formats::plan_npy("x.npy", detail::layout_of<name>()); }),
      "x.npy: expected fields of fixed size, got a string_view; arrays have no text of varying "
      "length: use csv, or map it to a number");
}

}  // namespace
}  // namespace pappus::testing
