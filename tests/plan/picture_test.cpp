// The picture of a plan of launches, read as the XML that it is.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/svg.h"
#include "plan/batch.h"
#include "support/launches.h"

namespace pappus::plan {
namespace {

using regions::box;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing::launch_list;
using ::testing::Not;
using testing::planned_array;

struct drawn_element {
  std::string name, content;
  std::map<std::string, std::string> attributes;
  double number(const char* of) const { return std::atof(attributes.at(of).c_str()); }
};

/// The characters that stand for others in XML.
std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    EXPECT_TRUE(text[i] == '\n' || static_cast<unsigned char>(text[i]) >= ' ');
    EXPECT_NE(text[i], '<');
    if (text[i] != '&') {
      result += text[i];
      continue;
    }
    const auto end = text.find(';', i);
    const auto name = text.substr(i, end - i + 1);
    EXPECT_TRUE(name == "&lt;" || name == "&gt;" || name == "&amp;") << name;
    result += name == "&lt;" ? '<' : name == "&gt;" ? '>' : '&';
    i = end;
  }
  return result;
}

/// All elements of a document, each before those in it. Expects the document to be well-formed, as
/// far as what a picture has in it goes: elements, attributes, text.
std::vector<drawn_element> elements_of(std::string_view document) {
  std::vector<drawn_element> all;
  std::vector<std::size_t> open;
  for (std::size_t at = 0; at < document.size();) {
    const auto begin = document.find('<', at);
    const auto text = unescaped(document.substr(at, begin - at));
    if (!open.empty()) all[open.back()].content += text;
    EXPECT_TRUE(!open.empty() || text.empty() || text == "\n");
    if (begin == document.npos) break;
    const auto end = document.find('>', begin);
    auto tag = document.substr(begin + 1, end - begin - 1);
    at = end + 1;
    if (tag.starts_with('/')) {
      if (open.empty() || all[open.back()].name != tag.substr(1)) {
        ADD_FAILURE() << tag << " closes what isn't open";
        return all;
      }
      open.pop_back();
      continue;
    }
    const bool closed = tag.ends_with('/');
    if (closed) tag.remove_suffix(1);
    const auto space = std::min(tag.find(' '), tag.size());
    auto& made = all.emplace_back();
    made.name = tag.substr(0, space);
    for (tag.remove_prefix(space); !tag.empty();) {
      const auto quote = tag.find("=\""), last = tag.find('"', quote + 2);
      if (quote == tag.npos || last == tag.npos) {
        ADD_FAILURE() << tag << " isn't a list of attributes";
        return all;
      }
      EXPECT_TRUE(
          made.attributes
              .emplace(tag.substr(1, quote - 1), unescaped(tag.substr(quote + 2, last - quote - 2)))
              .second);
      tag.remove_prefix(last + 1);
    }
    if (!closed) open.push_back(all.size() - 1);
  }
  EXPECT_TRUE(open.empty());
  return all;
}

std::vector<drawn_element> of_kind(const std::vector<drawn_element>& all, std::string_view name,
                                   std::string_view kind) {
  std::vector<drawn_element> found;
  for (const auto& one : all)
    if (const auto is = one.attributes.find("class");
        one.name == name && is != one.attributes.end() && is->second == kind)
      found.push_back(one);
  return found;
}

std::vector<std::string> texts_of(const std::vector<drawn_element>& all) {
  std::vector<std::string> found;
  for (const auto& one : all)
    if (one.name == "text") found.push_back(one.content);
  return found;
}

/// No two pieces of text have a place in common, and all are in the picture.
void expect_legible(const std::vector<drawn_element>& all) {
  struct place {
    double left, right, top, bottom;
  };
  std::vector<std::pair<place, std::string>> texts;
  for (const auto& one : all) {
    if (one.name != "text") continue;
    const auto x = one.number("x"), y = one.number("y");
    const place of{x, x + base::letter_width * static_cast<double>(base::letters(one.content)),
                   y - 11, y + 4};
    EXPECT_GE(of.left, 0);
    EXPECT_LE(of.right, all[0].number("width")) << one.content;
    EXPECT_LE(of.bottom, all[0].number("height")) << one.content;
    for (const auto& [other, content] : texts)
      EXPECT_FALSE(of.left < other.right && other.left < of.right && of.top < other.bottom &&
                   other.top < of.bottom)
          << one.content << " covers " << content;
    texts.emplace_back(of, one.content);
  }
}

std::vector<drawn_element> drawn(const plan& p) {
  const auto document = draw_batch(p);
  EXPECT_EQ(document, draw_batch(p));
  auto all = elements_of(document);
  expect_legible(all);
  return all;
}

TEST(batch_picture, shows_what_launches_touch_of_which_arrays) {
  const auto a = planned_array({100, 50}), b = planned_array({100, 50}), c = planned_array({1});
  launch_list launches;
  launches.add(a->all, {a, b}, "a, b: global [i,j] => read a[i-1:i+1,j], write b[i,j]");
  launches.add(box({10, 0}, {20, 50}), {b, c}, "b, c: global [i,j] => read b[i,j], reduce c[0]");
  const auto p = launches.planned();
  const auto all = drawn(p);
  const auto texts = texts_of(all);
  EXPECT_EQ(of_kind(all, "rect", "launch").size(), 2);
  EXPECT_EQ(of_kind(all, "rect", "array").size(), 3);
  for (const char* part :
       {"s0 for_each at test.cpp:1", "s1 for_each at test.cpp:1", "[0:99,0:49], 5,000 indices",
        "a0: array", "a2: array", "100 x 50", "unsigned int", "20 KiB", "read [i-1:i+1,j]",
        "write [i,j]", "read [i,j]", "of [10:19,0:49]", "reduce [0]", "after s0"})
    EXPECT_THAT(texts, Contains(part));
  EXPECT_THAT(texts, Not(Contains("of [0:99,0:49]"))) << "all of it";
  EXPECT_THAT(texts, Contains("items: " + items_text(p.stages[0])));
  EXPECT_THAT(texts, Contains(traffic_text(p.stages[0])));
  // Arrows: what is read, written, reduced; and who waits for whom.
  for (const auto& [kind, count] : {std::pair("read", 2), std::pair("write", 1),
                                    std::pair("reduce", 1), std::pair("need", 1)}) {
    EXPECT_EQ(of_kind(all, "path", fmt::format("head {}", kind)).size(), count) << kind;
    EXPECT_EQ(of_kind(all, "path", kind).size(), count + 1) << kind << ", and the legend's";
  }
  EXPECT_EQ(of_kind(all, "path", "order").size(), 1) << "the legend's";
}

TEST(batch_picture, dashes_the_needs_of_launches_that_overwrite) {
  const auto a = planned_array({100}), b = planned_array({100});
  launch_list launches;
  launches.add(a->all, {a, b}, "a, b: global i => read a[i], write b[i]");
  launches.add(a->all, {a}, "a: global i => write a[i]");
  const auto all = drawn(launches.planned());
  EXPECT_EQ(of_kind(all, "path", "head order").size(), 1);
  EXPECT_EQ(of_kind(all, "path", "head need").size(), 0);
}

TEST(batch_picture, leaves_out_needs_that_follow_from_others) {
  const auto a = planned_array({100});
  launch_list launches;
  for (int i = 0; i < 3; ++i)
    launches.add(a->all, {a}, "a: global i => readwrite a[i]").known =
        arrays::launch::knowledge::assumed;
  const auto p = launches.planned();
  ASSERT_EQ(stages_before(p.stages[2]).size(), 2);
  const auto all = drawn(p);
  EXPECT_EQ(of_kind(all, "path", "head need").size(), 2);
  EXPECT_THAT(texts_of(all), Contains("after s0, s1"));
}

TEST(batch_picture, puts_brackets_round_launches_that_take_turns) {
  const auto a = planned_array({1000}), b = planned_array({1000}), c = planned_array({10});
  launch_list launches;
  launches.add(c->all, {c}, "c: global i => write c[i]");
  for (int i = 0; i < 6; ++i)
    launches.add(a->all, {i % 2 == 0 ? a : b, i % 2 == 0 ? b : a},
                 "a, b: global i => read a[i-2:i+2], write b[i]");
  const auto p = launches.planned(100, true);
  ASSERT_EQ(p.order.size(), 2);
  EXPECT_THAT(p.print(), HasSubstr("     note: 6 launches in one sweep, bands of 100 rows: "));
  const auto all = drawn(p);
  EXPECT_EQ(of_kind(all, "path", "bracket").size(), 1);
  const auto around = of_kind(all, "rect", "turns");
  ASSERT_EQ(around.size(), 1);
  const auto boxes = of_kind(all, "rect", "launch");
  ASSERT_EQ(boxes.size(), 7);
  for (std::size_t i = 0; i < boxes.size(); ++i)
    EXPECT_EQ(boxes[i].number("y") >= around[0].number("y"), i > 0) << i;
  std::string notes;
  for (const auto& note : of_kind(all, "text", "note"))
    notes += (notes.empty() ? "" : " ") + note.content;
  EXPECT_EQ(notes, p.stages[1].turns_note);
}

TEST(batch_picture, escapes_names_and_replaces_what_no_text_may_hold) {
  const auto a = planned_array({100});
  a->element.name = "pair<A&&, \"B\">";
  launch_list launches;
  auto& launch = launches.add(a->all, {a}, "a: global i => write a[i]");
  launch.arguments[0].name = "x\x01<\xff";
  launch.footprint = "a < b && c";
  const auto all = drawn(launches.planned());
  EXPECT_THAT(texts_of(all), Contains("pair<A&&, \"B\">"));
  EXPECT_THAT(texts_of(all), Contains("a0: x <?"));
  EXPECT_EQ(std::ranges::count(all, "for_each at test.cpp:1: a < b && c", &drawn_element::content),
            1);
}

TEST(batch_picture, shows_arrays_and_launches_of_nothing) {
  const auto none = planned_array({0, 7}), one = planned_array({3, 7});
  launch_list launches;
  launches.add(none->all, {none}, "a: global [i,j] => write a[i,j]");
  launches.add(none->all, {one}, "a: global [i,j] => write a[i,j]");
  const auto texts = texts_of(drawn(launches.planned()));
  for (const char* part : {"0 x 7", "0 B", "no elements", "nothing, 0 indices"})
    EXPECT_THAT(texts, Contains(part));
}

TEST(batch_picture, shows_many_launches_over_many_arrays_and_counts_the_others) {
  for (const std::size_t arrays : {1, 20, 23})
    for (const std::size_t count : {1, 64, 70}) {
      std::vector<arrays::image_ptr> of;
      for (std::size_t i = 0; i < arrays; ++i) of.push_back(planned_array({1000, 1000}));
      launch_list launches;
      for (std::size_t i = 0; i < count; ++i)
        launches.add(of[0]->all, {of[i * 7 % arrays], of[i * 11 % arrays], of[i * i % arrays]},
                     "a, b, c: global [i,j] => read a[i-1:i+1,j-10:j+10], readwrite b[i,j], "
                     "read c[i,:]");
      const auto all = drawn(launches.planned());
      const auto texts = texts_of(all);
      const auto boxes = of_kind(all, "rect", "launch");
      EXPECT_EQ(boxes.size(), std::min<std::size_t>(count, 64));
      for (std::size_t i = 0; i < boxes.size(); ++i)
        EXPECT_EQ(std::ranges::count(texts, fmt::format("s{} for_each at test.cpp:1", i)), 1);
      EXPECT_EQ(std::ranges::count(texts, "... 6 more launches"), count > 64 ? 1 : 0);
      EXPECT_LE(of_kind(all, "rect", "array").size(), 20);
      EXPECT_EQ(std::ranges::count(texts, "... 3 more arrays"), arrays > 20 && count > 20 ? 1 : 0);
    }
}

TEST(batch_picture, is_of_no_launches_too) { drawn(launch_list().planned()); }

}  // namespace
}  // namespace pappus::plan
