#include "base/svg.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pappus::base {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(svg, shortens_texts_in_their_middle) {
  EXPECT_EQ(shortened("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(shortened("abcdefghi", 8), "abcd…ghi");
  EXPECT_EQ(shortened("äöüäöüäöü", 8), "äöüä…äöü");
  EXPECT_EQ(shortened("abcd", 3), "a…d");
}

TEST(svg, wraps_lines_at_spaces_and_within_long_words) {
  EXPECT_THAT(wrapped("", 5), IsEmpty());
  EXPECT_THAT(wrapped("ab cd ef", 5), ElementsAre("ab cd", "ef"));
  EXPECT_THAT(wrapped("ab cde f", 5), ElementsAre("ab", "cde f"));
  EXPECT_THAT(wrapped("abcdefg hi", 5), ElementsAre("abcde", "fg hi"));
  EXPECT_THAT(wrapped("äöü äöü", 3), ElementsAre("äöü", "äöü"));
}

TEST(svg, counts_characters_and_not_bytes) {
  EXPECT_EQ(letters("aä€😀"), 4);
  EXPECT_EQ(letters("\xff\xc3"), 2) << "not UTF-8";
}

TEST(svg, holds_what_xml_may_hold) {
  svg picture;
  picture.text(1, 2, "kind", "a<b>&\x01");
  picture.text(1, 2, "kind",
               "\xc0\x80 \xe0\x80\x80 \xed\xa0\x80 \xef\xbf\xbf \xf4\x90\x80\x80 €😀");
  picture.box(1, 2, 3, 4, "kind", "<tip>");
  picture.path("kind", "M 0 0 H 1");
  const auto document = picture.document(10, 20, "");
  EXPECT_THAT(document,
              HasSubstr("<text class=\"kind\" x=\"1.0\" y=\"2.0\">a&lt;b&gt;&amp; </text>"));
  EXPECT_THAT(document, HasSubstr(">??"
                                  " ???"
                                  "       €😀</text>"));
  EXPECT_THAT(document, HasSubstr("rx=\"4\"><title>&lt;tip&gt;</title></rect>"));
  EXPECT_THAT(document, HasSubstr("<path class=\"kind\" d=\"M 0 0 H 1\"/>"));
}

}  // namespace
}  // namespace pappus::base
