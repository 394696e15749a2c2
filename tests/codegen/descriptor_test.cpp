#include "codegen/plugin/descriptor.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/conditions.h"
#include "pappus/category.h"
#include "pappus/detail/base/compiled.h"
#include "pappus/footprint.h"
#include "regions/footprint.h"

namespace pappus::codegen {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* of_views =
    R"json({"version":4, "name":"k_cpp_3", "function":"(lambda at k.cpp:3:5)", "source":"k.cpp:3:5",
        "footprint":"read in[i-w:i+w,:], readwrite out[unknown], write t[i/2,0:in.extent(1)-1]",
        "ranks":[2,1,2],
        "accesses":[
          {"view":0, "kind":"read", "text":"read in[i-w:i+w,:]",
           "region":[{"low":"- i0 s0", "high":"+ i0 s0"}, {"low":null}]},
          {"view":1, "kind":"readwrite", "text":"readwrite out[unknown]", "unknown":true},
          {"view":2, "kind":"write", "text":"write t[i/2,0:in.extent(1)-1]",
           "region":[{"low":"/ i0 2", "high":"/ i0 2"}, {"low":"0", "high":"- s1 1"}]}],
        "symbols":[{"name":"w", "path":[8,0], "bytes":4, "signed":false},
                   {"name":"in.extent(1)", "view":0, "dimension":1}],
        "narrow":true,
        "references":[{"offset":8, "bytes":4, "align":4}],
        "reasons":[{"id":"recursion", "what":"calls f, which calls itself", "remedy":"write a loop",
                    "where":"k.cpp:4:9", "chain":[]}]})json";

TEST(descriptor, tells_which_elements_a_function_of_views_touches) {
  const auto& function = compiled_function_of(of_views);
  EXPECT_EQ(function.problem, "");
  ASSERT_TRUE(function.inferred);
  const std::string in[] = {"i"}, known[] = {"w", "in.extent(1)"}, arrays[] = {"in", "out", "t"};
  EXPECT_EQ(text(function.inferred->touches, {{in, known}, arrays}),
            "read in[i-w:i+w,:], readwrite out, write t[i/2,0:in.extent(1)-1]");
  EXPECT_THAT(function.inferred->unknown, ElementsAre(false, true, false));
  EXPECT_THAT(function.inferred->ranks, ElementsAre(2, 1, 2));
  EXPECT_TRUE(function.inferred->narrow);
}

TEST(descriptor, tells_where_the_values_of_symbols_are) {
  const auto& symbols = compiled_function_of(of_views).inferred->symbols;
  ASSERT_EQ(symbols.size(), 2u);
  EXPECT_EQ(symbols[0].name, "w");
  const auto& w = std::get<symbol::captured>(symbols[0].from);
  EXPECT_THAT(w.path, ElementsAre(8, 0));
  EXPECT_EQ(w.bytes, 4u);
  EXPECT_FALSE(w.is_signed);
  const auto& extent = std::get<symbol::extent>(symbols[1].from);
  EXPECT_EQ(extent.view, 0u);
  EXPECT_EQ(extent.dimension, 1u);
}

TEST(descriptor, tells_what_a_function_of_views_reads_behind_captured_pointers) {
  const auto& function = compiled_function_of(of_views);
  EXPECT_TRUE(function.copyable);
  ASSERT_EQ(function.references.size(), 1u);
  EXPECT_EQ(function.references[0].offset, 8u);
  EXPECT_EQ(function.references[0].bytes, 4u);
  EXPECT_EQ(function.references[0].align, 4u);
  std::string unknown(of_views);
  constexpr std::string_view known = R"("references":[{"offset":8, "bytes":4, "align":4}],)";
  unknown.erase(unknown.find(known), known.size());
  EXPECT_FALSE(compiled_function_of(unknown).copyable);
  EXPECT_TRUE(compiled_function_of(unknown).inferred);
}

TEST(descriptor, has_formulas_that_can_be_evaluated) {
  const auto& inferred = *compiled_function_of(of_views).inferred;
  const unsigned w = 2;
  const struct {
    double unused = 0;
    const unsigned* w;
  } captures{.w = &w};
  const regions::box arrays[] = {{{0, 0}, {10, 7}}, {{0}, {10}}, {{0, 0}, {5, 9}}};
  const auto values = values_of(inferred, &captures, arrays);
  EXPECT_THAT(values, ElementsAre(2, 7));
  const auto touched_by = [&](std::size_t n) {
    const auto& access = inferred.touches.accesses[n];
    return touched(access, {{4}, {6}}, values, arrays[access.array]).elements;
  };
  EXPECT_EQ(touched_by(0), regions::box({2, 0}, {8, 7}));
  EXPECT_EQ(touched_by(1), arrays[1]);
  EXPECT_EQ(touched_by(2), regions::box({2, 0}, {3, 7}));
}

TEST(descriptor, of_a_function_of_views_may_have_reasons) {
  EXPECT_THAT(compiled_function_of(of_views).reasons,
              ElementsAre("calls f, which calls itself at k.cpp:4:9: write a loop"));
}

std::string of_predicate(std::string_view comparison) {
  return R"json({"version":4, "name":"k_cpp_3", "function":"f", "source":"k.cpp:3:5", "text":"",
      "doubles":false, "traps":false, "references":[], "reasons":[], "reads":[], "throws":false,
      "pure":true, "comparisons":[)json" +
         std::string(comparison) + "]}";
}

TEST(descriptor, tells_what_a_predicate_compares) {
  const auto& function = compiled_function_of(of_predicate(
      R"json({"parameter":1, "offset":8, "bytes":4, "is":">=", "floating":false, "bits":64,
          "sign_extended":true, "addend":-5, "signed":true,
          "captured":{"offset":4, "bytes":2, "steps":[["sign",64,64],["multiply",10,64],
                                                       ["add",3,64]]}},
         {"parameter":1, "offset":16, "bytes":4, "is":"<", "floating":true,
          "captured":{"offset":0, "bytes":4, "steps":[]}})json"));
  EXPECT_EQ(function.problem, "");
  EXPECT_TRUE(function.pure);
  ASSERT_EQ(function.comparisons.size(), 2u);
  const struct {
    float limit = 2.5F;
    std::int16_t n = -7;
  } captures;
  const auto bytes = std::as_bytes(std::span(&captures, 1));
  const auto of = [&](std::size_t i, std::size_t captured) {
    return condition_of(function.comparisons[i], bytes.data(), captured);
  };
  EXPECT_EQ(base::text(*of(0, bytes.size()), "x", detail::cell::i32), "x >= -62");
  EXPECT_EQ(base::text(*of(1, bytes.size()), "x", detail::cell::f32), "x < 2.5");
  EXPECT_FALSE(of(0, 4)) << "there are no more captures";
  EXPECT_FALSE(condition_of(function.comparisons[0], nullptr, 0));
}

TEST(descriptor, tells_with_which_text_a_predicate_compares) {
  const auto& function = compiled_function_of(of_predicate(
      R"json({"parameter":1, "offset":32, "bytes":4, "text":[78,34,255], "whole":true},
         {"parameter":1, "offset":24, "bytes":8, "text":[78], "whole":false},
         {"parameter":1, "offset":0, "bytes":8, "text":[78], "whole":false},
         {"parameter":1, "offset":24, "bytes":8, "whole":true,
          "captured":{"pointer":16, "size":8}})json"));
  EXPECT_EQ(function.problem, "");
  ASSERT_EQ(function.comparisons.size(), 4u);
  const auto of_category = condition_of(function.comparisons[0], nullptr, 0);
  EXPECT_EQ(*of_category, base::condition_of(32, sizeof(pappus::category), "N\"\xff", true));
  // Views of the standard library here have their length first.
  const auto of_view = condition_of(function.comparisons[1], nullptr, 0);
  EXPECT_EQ(*of_view, base::condition_of(16, sizeof(std::string_view), "N", false));
  EXPECT_FALSE(condition_of(function.comparisons[2], nullptr, 0)) << "no view has it there";
  struct {
    int number = 7;
    std::size_t size = 4;
    const char* text = "N123 and more";
  } captures;
  const auto of_captured = [&](std::size_t bytes) {
    const auto* const all = std::as_bytes(std::span(&captures, 1)).data();
    return condition_of(function.comparisons[3], all, bytes);
  };
  EXPECT_EQ(of_captured(24), base::condition_of(16, sizeof(std::string_view), "N123", true));
  EXPECT_FALSE(of_captured(23)) << "there are no more captures";
  EXPECT_FALSE(condition_of(function.comparisons[3], nullptr, 0));
  captures.size = 0;
  EXPECT_FALSE(of_captured(24)) << "all texts begin with this one";
}

TEST(descriptor, is_refused_where_a_comparison_is_malformed) {
  const std::string right =
      R"json({"parameter":1, "offset":8, "bytes":4, "is":">=", "floating":false, "bits":32,
          "sign_extended":true, "addend":0, "signed":true, "value":7})json";
  EXPECT_EQ(compiled_function_of(of_predicate(right)).problem, "");
  const auto problem = [&](std::string_view part, std::string_view by) {
    auto changed = right;
    changed.replace(changed.find(part), part.size(), by);
    return compiled_function_of(of_predicate(changed)).problem;
  };
  EXPECT_THAT(problem("\"bytes\":4", "\"bytes\":3"), HasSubstr("expected 1, 2, 4 or 8, got 3"));
  EXPECT_THAT(problem("\"bits\":32", "\"bits\":16"), HasSubstr("4 bytes or more, got 16"));
  EXPECT_THAT(problem("\"bits\":32", "\"bits\":65"), HasSubstr("4 bytes or more, got 65"));
  EXPECT_THAT(problem(">=", "=>"), HasSubstr("expected how something is compared, got \"=>\""));
  EXPECT_THAT(problem("\"value\":7", "\"v\":7"), HasSubstr("key 'value' not found"));
  EXPECT_THAT(problem("\"value\":7", "\"whole\":true"), HasSubstr("key 'text' not found"));
}

TEST(descriptor, of_another_version_is_refused_whatever_else_it_says) {
  EXPECT_EQ(compiled_function_of(R"({"version":99, "text":5})").problem,
            "it was compiled by version 99 of the compiler plugin, this library expects version " +
                std::to_string(detail::compiler_version) +
                ": rebuild it with the plugin that was installed with this library");
}

/// `of_views` with one part replaced by another.
std::string problem_with(std::string_view part, std::string_view by) {
  std::string changed(of_views);
  changed.replace(changed.find(part), part.size(), by);
  const auto& function = compiled_function_of(changed);
  EXPECT_FALSE(function.inferred) << by;
  return function.problem;
}

TEST(descriptor, is_refused_where_a_footprint_is_malformed) {
  struct change {
    std::string_view part, by, why;
  };
  for (const auto& [part, by, why] : {
           change{"- i0 s0", "- i0", "\"low\": no formula: \"- i0\""},
           change{"- i0 s0", "i-w", "\"low\": no formula: \"i-w\""},
           change{"- i0 s0", "", "\"low\": no formula: \"\""},
           change{"- i0 s0", "i4", "\"low\": no formula: \"i4\""},
           change{"- i0 s0", "s-1", "\"low\": no formula: \"s-1\""},
           change{"+ i0 s0", "+ i0 s2", "\"high\" mentions s2, but there are 2 symbols"},
           change{"\"- i0 s0\"", "7", "type must be string, but is number"},
           change{"{\"low\":null}", "null", "\"region\": expected objects, got null"},
           change{"{\"low\":null}", "{}, {}", "expected 2 slices for view 0, got 3"},
           change{"{\"low\":null}", "{}, {}, {}, {}", "expected 2 slices for view 0, got 5"},
           change{", {\"low\":null}", "", "expected 2 slices for view 0, got 1"},
           change{"\"view\":2", "\"view\":3", "\"view\": expected a number below 3, got 3"},
           change{"\"view\":2", "\"view\":-1", "\"view\": expected a number below 3, got -1"},
           change{"\"view\":2", "\"view\":[]", "\"view\": expected a number below 3, got []"},
           change{"\"kind\":\"write\"", "\"kind\":\"fold\"",
                  "expected read, write, readwrite or reduce"},
           change{"\"unknown\":true", "\"unknown\":1", "\"unknown\": expected true or false"},
           change{"\"unknown\":true", "\"unknown\":false", "key 'region' not found"},
           change{"[2,1,2]", "[2,1,5]", "\"ranks\": expected numbers from 1 to 4, got 5"},
           change{"[2,1,2]", "[0,1,2]", "\"ranks\": expected numbers from 1 to 4, got 0"},
           change{"[2,1,2]", "{}", "\"ranks\": expected a list, got {}"},
           change{"[2,1,2]", "[2]", "\"view\": expected a number below 1, got 1"},
           change{"[8,0]", "[]", "\"path\": expected offsets, got none"},
           change{"[8,0]", "[-8]", "\"path\": expected offsets, got [-8]"},
           change{"[8,0]", "[8,\"x\"]", "\"path\": expected offsets"},
           change{"[8,0]", "8", "\"path\": expected a list, got 8"},
           change{"\"bytes\":4", "\"bytes\":3", "\"bytes\": expected 1, 2, 4 or 8, got 3"},
           change{"\"bytes\":4", "\"bytes\":16", "\"bytes\": expected a number below 9, got 16"},
           change{"\"signed\":false", "\"signed\":\"no\"", "\"signed\": expected true or false"},
           change{"\"dimension\":1", "\"dimension\":2", "\"dimension\": expected a number below 2"},
           change{"\"name\":\"w\"", "\"name\":5", "type must be string"},
           change{"\"align\":4", "\"align\":\"4\"", "type must be number, but is string"},
           change{"\"narrow\":true", "\"narrow\":null", "\"narrow\": expected true or false"},
       }) {
    const auto problem = problem_with(part, by);
    EXPECT_THAT(problem, HasSubstr("the compiler plugin's description of it is broken ("));
    EXPECT_THAT(problem, HasSubstr(why)) << by;
  }
}

TEST(inferred_footprint, has_values_of_every_kind_of_integer) {
  const struct {
    std::int8_t a = -1;
    std::uint8_t b = 255;
    std::int16_t c = -2;
    std::uint16_t d = 65535;
    std::int32_t e = -3;
    std::uint32_t f = 4'000'000'000;
    std::int64_t g = -4;
  } captures;
  inferred_footprint of;
  const auto add = [&](std::int64_t offset, std::size_t bytes, bool is_signed) {
    of.symbols.push_back({"", symbol::captured{{offset}, bytes, is_signed}});
  };
  add(0, 1, true), add(1, 1, false), add(2, 2, true), add(4, 2, false);
  add(8, 4, true), add(12, 4, false), add(16, 8, true), add(16, 8, false);
  EXPECT_THAT(values_of(of, &captures, {}),
              ElementsAre(-1, 255, -2, 65535, -3, 4'000'000'000, -4, -4));
}

TEST(inferred_footprint, has_values_behind_pointers) {
  struct inner {
    long unused = 0, n = 7;
  };
  const inner last;
  const struct {
    const inner* to;
  } middle{&last};
  const struct {
    int unused = 0;
    const void *good, *null = nullptr;
  } captures{.good = &middle};
  inferred_footprint of;
  of.symbols.push_back({"", symbol::captured{{8, 0, 8}, 8, true}});
  of.symbols.push_back({"", symbol::captured{{16, 0, 8}, 8, true}});
  EXPECT_THAT(values_of(of, &captures, {}), ElementsAre(7, 0));
}

TEST(footprint, is_what_the_descriptor_says) {
  EXPECT_EQ(detail::footprint_text(of_views),
            "read in[i-w:i+w,:], readwrite out[unknown], write t[i/2,0:in.extent(1)-1]");
  EXPECT_THAT(detail::footprint_text("{}"), HasSubstr("unknown: the compiler plugin's descr"));
}

TEST(footprint, is_unknown_without_the_plugin) {
  const auto twice = [](idx<1> i, reads<int> in, writes<int> out) { out[i] = 2 * in[i]; };
  EXPECT_EQ((footprint_of<idx<1>, reads<int>, writes<int>>(twice)),
            "unknown: compile with pappus_enable(target)");
}

}  // namespace
}  // namespace pappus::codegen
