#include "demo/support/control_file.h"

#include <gtest/gtest.h>

#include "pappus/error.h"
#include "tests/demo/temporary_files.h"

namespace demo {
namespace {

using testing::message_of;
using testing::temporary_files;

TEST(control_file, reads_fields_of_stanzas_in_order) {
  const temporary_files files;
  control_file file(files.write("a", "\n\nPackage: one\nSize:  12 \n\n \nPackage: two\n"));
  stanza s;
  ASSERT_TRUE(file.next(s));
  EXPECT_EQ(s["Package"], "one");
  EXPECT_EQ(s["Size"], "12");
  EXPECT_EQ(s["Version"], "");
  EXPECT_EQ(s.line_of("Size"), 4);
  EXPECT_EQ(s.line_of("Version"), 3);
  ASSERT_TRUE(file.next(s));
  EXPECT_EQ(s["Package"], "two");
  EXPECT_EQ(s["Size"], "");
  EXPECT_EQ(s.line_of("Package"), 7);
  EXPECT_FALSE(file.next(s));
}

TEST(control_file, joins_the_lines_of_a_folded_field) {
  const temporary_files files;
  control_file file(files.write("a", "Depends: a,\n b,\n\tc\nDescription: first\n more\n .\n"));
  stanza s;
  ASSERT_TRUE(file.next(s));
  EXPECT_EQ(s["Depends"], "a,\n b,\n\tc");
  EXPECT_EQ(s["Description"], "first\n more\n .");
}

TEST(control_file, finds_fields_in_either_case_and_skips_comments_and_carriage_returns) {
  const temporary_files files;
  control_file file(files.write("a", "# comment\r\nPACKAGE: one\r\n# more\r\nsize: 1\r\n\r\n"));
  stanza s;
  ASSERT_TRUE(file.next(s));
  EXPECT_EQ(s["Package"], "one");
  EXPECT_EQ(s["Size"], "1");
  EXPECT_FALSE(file.next(s));
}

TEST(control_file, takes_everything_after_the_first_colon_as_value) {
  const temporary_files files;
  control_file file(files.write("a", "Empty:\nVersion: 1:2.0\nHomepage:https://a.b/\n"));
  stanza s;
  ASSERT_TRUE(file.next(s));
  EXPECT_EQ(s["Empty"], "");
  EXPECT_EQ(s["Version"], "1:2.0");
  EXPECT_EQ(s["Homepage"], "https://a.b/");
}

TEST(control_file, reads_lines_longer_than_its_blocks) {
  const temporary_files files;
  const std::string value(700'000, 'x');
  control_file file(files.write("a", "A: " + value + "\nB: 2\n\nC: 3\n"));
  stanza s;
  ASSERT_TRUE(file.next(s));
  EXPECT_TRUE(s["A"] == value);
  EXPECT_EQ(s["B"], "2");
  ASSERT_TRUE(file.next(s));
  EXPECT_EQ(s["C"], "3");
}

TEST(control_file, tells_where_the_text_breaks_off) {
  const temporary_files files;
  control_file file(files.write("a", "Package: one\n\nPackage: tw"));
  stanza s;
  ASSERT_TRUE(file.next(s));
  EXPECT_EQ(message_of<pappus::format_error>([&] { file.next(s); }),
            files.path("a") +
                ": line 3: expected a newline at the end, got the end of the file after \"Package: "
                "tw\" (truncated): fetch it again (apt-get update)");
}

TEST(control_file, tells_where_the_text_is_not_a_control_file) {
  const temporary_files files;
  const auto error = [&](const std::string& text) {
    control_file file(files.write("a", text));
    stanza s;
    return message_of<pappus::format_error>([&] { file.next(s); }).substr(files.path("a").size());
  };
  EXPECT_EQ(error("A: 1\nnonsense\n"),
            ": line 2: expected \"Field: value\", got \"nonsense\"; is this a package index?");
  EXPECT_EQ(error("a b: 1\n"),
            ": line 1: expected \"Field: value\", got \"a b: 1\"; is this a package index?");
  EXPECT_EQ(error(": 1\n"),
            ": line 1: expected \"Field: value\", got \": 1\"; is this a package index?");
  EXPECT_EQ(error("\x7f\x45LF\x01\n"),
            ": line 1: expected \"Field: value\", got \"?ELF?\"; is this a package index?");
  EXPECT_EQ(error(" more\n"),
            ": line 1: expected \"Field: value\", got the continuation \" more\" of no field");
}

}  // namespace
}  // namespace demo
