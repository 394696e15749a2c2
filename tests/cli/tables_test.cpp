// The subcommands that look at files of records: schema and show.
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "cli/support.h"

namespace {

using namespace command_tests;

TEST(schema_command, prints_a_program_with_a_struct_of_the_columns_types) {
  const auto path = (scratch() / "trips.csv").string();
  std::ofstream(path) << "carrier,delay,day,km\nKL,3,2024-02-29,\nLH,-4,2024-03-01,2.5\n";
  const auto [code, text] = pappus("schema " + path);
  EXPECT_EQ(code, 0);
  EXPECT_EQ(text, "// " + path +
                      ": types of its 2 rows\n"
                      "#include <pappus/pappus.h>\n\n"
                      "#include <cstdint>\n#include <iostream>\n#include <optional>\n"
                      "#include <string_view>\n\n"
                      "struct row {\n"
                      "  std::string_view carrier;\n"
                      "  std::int32_t delay;\n"
                      "  pappus::date day;\n"
                      "  std::optional<double> km;  // 1 of 2 cells missing\n"
                      "};\n\n"
                      "int main(int argc, char** argv) {\n"
                      "  pappus::session s{argc, argv};\n"
                      "  auto rows = s.csv<row>(\"" +
                      path +
                      "\");\n"
                      "  std::cout << rows.count() << \" rows\\n\";\n"
                      "  rows.show();\n"
                      "}\n");
}

TEST(schema_command, says_where_few_texts_repeat) {
  const auto path = (scratch() / "repeats.csv").string();
  std::ofstream file(path);
  file << "carrier,flight,code\n";
  for (int i = 0; i < 1000; ++i)
    file << "carrier " << i % 50 << ",flight " << i % 51 << ",0" << i % 7 << '\n';
  file.close();
  const auto [code, text] = pappus("schema --struct " + path);
  EXPECT_EQ(code, 0);
  EXPECT_NE(
      text.find("  std::string_view carrier;  // 50 different: pappus::category takes 4 bytes\n"
                "  std::string_view flight;\n"
                "  std::string_view code;  // numbers with leading zeros\n"),
      text.npos)
      << text;
}

TEST(schema_command, binds_columns_whose_names_no_field_can_have) {
  const auto path = (scratch() / "odd.csv").string();
  std::ofstream(path) << "Flight No.;class;2nd;\"a\"\"b\";x;x;;row\n"
                         "007;2024-01-01 10:00:00;true;5000000000;1;2;3;-1\n";
  const auto [code, text] = pappus("schema " + path);
  EXPECT_EQ(code, 0);
  EXPECT_NE(text.find("struct row {\n"
                      "  std::string_view Flight_No;  // numbers with leading zeros\n"
                      "  pappus::timestamp class_;\n"
                      "  bool column_2nd;\n"
                      "  std::int64_t a_b;\n"
                      "  // column \"x\": left out, as it has the name of another column\n"
                      "  // column \"x\": left out, as it has the name of another column\n"
                      "  // column \"\": left out, as it has no name\n"
                      "  std::int32_t row_2;\n"
                      "};\n"),
            text.npos)
      << text;
  EXPECT_NE(text.find("s.csv<row>(\"" + path +
                      "\", pappus::csv_options{.delimiter = ';'},\n"
                      "                     pappus::column(\"Flight No.\", &row::Flight_No),\n"),
            text.npos)
      << text;
  EXPECT_NE(text.find("pappus::column(\"a\\\"b\", &row::a_b)"), text.npos) << text;
  const auto plain =
      pappus("schema --struct --name flight --no-header --delimiter ';' " + path).text;
  EXPECT_NE(plain.find("struct flight {\n  std::string_view column_1;  // "), plain.npos) << plain;
  EXPECT_EQ(plain.find("main"), plain.npos);
}

TEST(schema_command, is_told_how_a_file_is_written_and_tells_the_program) {
  const auto path = (scratch() / "german.csv").string();
  std::ofstream(path) << "made by us\n# and others\nx;day\n1,5;29.02.2024\n-;01.03.2024\n";
  const auto [code, text] =
      pappus("schema --skip 1 --comment '#' --missing - --decimal , --date '%d.%m.%Y' " + path);
  EXPECT_EQ(code, 0);
  EXPECT_NE(text.find("struct row {\n"
                      "  std::optional<double> x;  // 1 of 2 cells missing\n"
                      "  pappus::date day;\n"
                      "};\n"),
            text.npos)
      << text;
  EXPECT_NE(text.find("pappus::csv_options{.delimiter = ';', .missing = {\"-\"}, .decimal = ',', "
                      ".date = \"%d.%m.%Y\", .skip = 1, .comment = '#'});"),
            text.npos)
      << text;
  EXPECT_EQ(pappus("schema --decimal 5 " + path).code, 2);
}

TEST(schema_command, is_told_several_texts_for_what_is_missing) {
  const auto path = (scratch() / "gaps.csv").string();
  std::ofstream(path) << "x\n1\nNA\n?\n";
  for (const auto& asked :
       {"--missing NA --missing '?' " + path, path + " --missing NA --missing '?'",
        "--missing NA " + path + " --missing '?'"}) {
    const auto [code, text] = pappus("schema --struct " + asked);
    EXPECT_EQ(code, 0) << text;
    EXPECT_NE(text.find("std::optional<std::int32_t> x;  // 2 of 3 cells missing"), text.npos)
        << text;
  }
}

TEST(schema_command, says_what_is_wrong_with_a_file_or_its_arguments) {
  const auto path = (scratch() / "bad.csv").string();
  std::ofstream(path) << "a,b\n1\n";
  const auto bad = pappus("schema " + path);
  EXPECT_EQ(bad.code, 1);
  EXPECT_EQ(bad.text, "pappus: " + path + ": row 1 (line 2): expected 2 cells, got 1\n");
  EXPECT_EQ(pappus("schema " + path + ".gone").text,
            "pappus: " + path + ".gone: can't be opened: No such file or directory\n");
  EXPECT_EQ(pappus("schema").code, 2);
  const auto name = pappus("schema --name 7 " + path);
  EXPECT_EQ(name.code, 2);
  EXPECT_EQ(name.text, "pappus: schema: --name: expected a name that C++ allows, got \"7\"\n");
  EXPECT_EQ(pappus("schema --delimiter abc " + path).code, 2);
}

TEST(schema_command, binds_keys_of_nested_objects_of_json_lines) {
  const auto path = (scratch() / "events.jsonl").string();
  std::ofstream(path) << R"({"user":{"id":1,"name":"a"},"at":"2024-02-29T10:00:00Z","xy":[1,2.5]})"
                      << "\n\n"
                      << R"({"user":{"id":3000000000},"at":"2024-02-29T10:00:00Z","tags":[{}]})"
                      << "\n";
  const auto [code, text] = pappus("schema " + path);
  EXPECT_EQ(code, 0);
  EXPECT_NE(text.find("struct row {\n"
                      "  std::int64_t user_id;\n"
                      "  std::optional<std::string_view> user_name;  // 1 of 2 values missing\n"
                      "  pappus::timestamp at;\n"
                      "  std::optional<pappus::list<double>> xy;  // 1 of 2 values missing\n"
                      "  // column \"tags\": left out, as it has arrays of objects or arrays\n"
                      "};\n"),
            text.npos)
      << text;
  EXPECT_NE(text.find("  auto rows = s.read<row>(\"" + path +
                      "\",\n                     pappus::column(\"user.id\", &row::user_id),\n"),
            text.npos)
      << text;
  std::ofstream(path) << "{\"a\":1}\n{\"a\":tru}\n";
  EXPECT_EQ(
      pappus("schema " + path).text,
      "pappus: " + path + ": line 2: expected JSON, got \"tru}\" at byte 6 (invalid literal)\n");
}

TEST(show_command, prints_the_first_rows_with_names_and_types) {
  const auto path = (scratch() / "trips2.csv").string();
  std::ofstream(path) << "carrier;delay;day;km\nKL;3;2024-02-29;\nLH;-4;2024-03-01;2.5\n;1;;3\n";
  EXPECT_EQ(pappus("show " + path).text,
            "carrier  delay  day           km\n"
            "text       i32  date         f64\n"
            "KL           3  2024-02-29  null\n"
            "LH          -4  2024-03-01   2.5\n"
            "null         1  null           3\n"
            "3 rows\n");
  EXPECT_EQ(pappus("show -n 1 " + path).text,
            "carrier  delay  day           km\n"
            "text       i32  date         f64\n"
            "KL           3  2024-02-29  null\n"
            "the first 1 row\n");
  const auto counted = pappus("show --rows 2 --count " + path).text;
  EXPECT_NE(counted.find("\nthe first 2 of 3 rows\n"), counted.npos) << counted;
  EXPECT_EQ(pappus("show -n 0 " + path).text,
            "carrier  delay  day    km\ntext       i32  date  f64\nthe first 0 rows\n");
}

TEST(show_command, is_told_how_a_file_is_written) {
  const auto path = (scratch() / "german2.csv").string();
  std::ofstream(path) << "made by us\nx;day\n1,5;29.02.2024\n-;01.03.2024\n";
  EXPECT_EQ(pappus("show --skip 1 --missing - --decimal , --date '%d.%m.%Y' " + path).text,
            "   x  day\n f64  date\n 1.5  2024-02-29\nnull  2024-03-01\n2 rows\n");
}

TEST(show_command, prints_json_lines_and_says_what_it_leaves_out) {
  const auto path = (scratch() / "shown.jsonl").string();
  std::ofstream(path) << R"({"user":{"id":1},"note":"a\tb","xy":[1,2.5],"tags":["a"]})" << "\n"
                      << R"({"user":null,"note":null,"xy":[3,4],"tags":["a","b"],"odd":[[]]})"
                      << "\n";
  EXPECT_EQ(pappus("show " + path).text,
            "user.id  note  xy        tags\n"
            "    i32  text  f64       text\n"
            "      1  a\\tb  [1, 2.5]  [a]\n"
            "   null  null  [3, 4]    [a, b]\n"
            "left out: \"odd\", which has arrays of objects or arrays\n"
            "2 rows\n");
}

TEST(show_command, tells_no_number_of_rows_where_no_column_can_be_shown) {
  const auto path = (scratch() / "odd_alone.jsonl").string();
  std::ofstream(path) << R"({"odd":[[]]})" << "\n" << R"({"odd":[[1]]})" << "\n";
  EXPECT_EQ(pappus("show " + path).text,
            "left out: \"odd\", which has arrays of objects or arrays\n");
  const auto none = (scratch() / "none.jsonl").string();
  std::ofstream(none) << "";
  EXPECT_EQ(pappus("show " + none).text, "0 rows\n");
}

TEST(show_command, looks_at_more_of_a_file_whose_later_rows_need_it) {
  const auto path = (scratch() / "long.csv").string();
  {
    std::ofstream file(path);
    file << "x,y\n";
    for (int i = 0; i < 200'000; ++i) file << i << (i < 150'000 ? ",1000000\n" : ",none\n");
  }
  const auto first = pappus("show -n 3 " + path).text;
  EXPECT_EQ(first,
            "  x        y\ni32      i32\n  0  1000000\n  1  1000000\n  2  1000000\n"
            "the first 3 rows\n");
  const auto more = pappus("show -n 160000 " + path);
  EXPECT_EQ(more.code, 0);
  EXPECT_NE(more.text.find("159999  none\nthe first 160000 rows\n"), more.text.npos);
}

TEST(show_command, takes_rows_of_several_files) {
  for (int i = 0; i < 3; ++i)
    std::ofstream(scratch() / ("part" + std::to_string(i) + ".csv")) << "x,y\n" << i << ",1\n";
  EXPECT_EQ(pappus("show -n 2 --count '" + (scratch() / "part*.csv").string() + "'").text,
            "  x    y\ni32  i32\n  0    1\n  1    1\nthe first 2 of 3 rows\n");
}

TEST(show_command, prints_rows_of_arrays_whose_file_tells_how_many_there_are) {
  const auto path = (scratch() / "pairs.npy").string();
  {
    std::string header = "{'descr': '<i2', 'fortran_order': False, 'shape': (3, 2), }";
    header += std::string(117 - header.size(), ' ') + '\n';
    std::ofstream file(path, std::ios::binary);
    file << "\x93NUMPY\x01" << '\0' << static_cast<char>(header.size()) << '\0' << header;
    for (const char c : {1, 2, 3, 4, 5, 6}) file << c << '\0';
  }
  EXPECT_EQ(pappus("show -n 2 " + path).text,
            "value\ni16\n[1, 2]\n[3, 4]\nthe first 2 of 3 rows\n");
}

TEST(show_command, says_what_is_wrong) {
  const auto path = (scratch() / "bad2.csv").string();
  std::ofstream(path) << "a,b\n1\n";
  const auto bad = pappus("show " + path);
  EXPECT_EQ(bad.code, 1);
  EXPECT_EQ(bad.text, "pappus: " + path + ": row 1 (line 2): expected 2 cells, got 1\n");
  EXPECT_EQ(pappus("show " + path + ".gone").text,
            "pappus: " + path + ".gone: can't be opened: No such file or directory\n");
  EXPECT_EQ(pappus("show").code, 2);
  EXPECT_EQ(pappus("show -n -1 " + path).code, 2);
  const auto raw = (scratch() / "x.raw").string();
  std::ofstream(raw) << "12345678";
  const auto refused = pappus("show " + raw);
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.text, "pappus: " + raw +
                              ": expected a file that tells what it holds, such as a .csv or "
                              ".jsonl, got a raw file\n");
}

}  // namespace
