#include "codegen/plugin/descriptor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/detail/base/compiled.h"
#include "pappus/footprint.h"

namespace pappus::codegen {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* of_views =
    R"json({"version":1, "name":"k_cpp_3", "function":"(lambda at k.cpp:3:5)", "source":"k.cpp:3:5",
        "footprint":"read in[i-w:i+w,:], readwrite out[unknown], write t[i/2,0]",
        "accesses":[
          {"view":0, "kind":"read", "text":"read in[i-w:i+w,:]",
           "region":[{"low":"i-w", "high":"i+w"}, {"low":"", "high":""}]},
          {"view":1, "kind":"readwrite", "text":"readwrite out[unknown]", "unknown":true},
          {"view":2, "kind":"write", "text":"write t[i/2,0]",
           "subscript":[{"low":"i/2", "high":"i/2"}, {"low":"0", "high":"0"}]}],
        "captured":[{"name":"w", "path":[8,0], "bytes":4, "signed":false}], "narrow":true,
        "reasons":[{"id":"recursion", "what":"calls f, which calls itself", "remedy":"write a loop",
                    "where":"k.cpp:4:9", "chain":[]}]})json";

TEST(descriptor, tells_which_elements_a_function_of_views_touches) {
  using kind = element_access::kind;
  const auto& function = compiled_function_of(of_views);
  EXPECT_EQ(function.problem, "");
  ASSERT_EQ(function.accesses.size(), 3u);
  const auto& [in, out, table] =
      std::tie(function.accesses[0], function.accesses[1], function.accesses[2]);
  EXPECT_TRUE(in.what == kind::read && in.affine && in.slices.size() == 2);
  EXPECT_EQ(in.slices[0].low, "i-w");
  EXPECT_EQ(in.slices[0].high, "i+w");
  EXPECT_EQ(in.slices[1].low, "");
  EXPECT_TRUE(out.what == kind::readwrite && out.slices.empty() && out.view == 1);
  EXPECT_TRUE(table.what == kind::write && !table.affine && table.slices.size() == 2);
}

TEST(descriptor, tells_what_the_formulas_call_captured_values) {
  const auto& function = compiled_function_of(of_views);
  EXPECT_TRUE(function.narrow);
  ASSERT_EQ(function.captured.size(), 1u);
  EXPECT_EQ(function.captured[0].name, "w");
  EXPECT_THAT(function.captured[0].path, ElementsAre(8, 0));
  EXPECT_EQ(function.captured[0].bytes, 4u);
  EXPECT_FALSE(function.captured[0].is_signed);
}

TEST(descriptor, of_a_function_of_views_may_have_reasons) {
  EXPECT_THAT(compiled_function_of(of_views).reasons,
              ElementsAre("calls f, which calls itself at k.cpp:4:9: write a loop"));
}

TEST(descriptor, of_another_version_is_refused_whatever_else_it_says) {
  EXPECT_EQ(compiled_function_of(R"({"version":99, "text":5})").problem,
            "it was compiled by version 99 of the compiler plugin, this library expects version " +
                std::to_string(detail::compiler_version) +
                ": rebuild it with the plugin that was installed with this library");
}

TEST(footprint, is_what_the_descriptor_says) {
  EXPECT_EQ(detail::footprint_text(of_views),
            "read in[i-w:i+w,:], readwrite out[unknown], write t[i/2,0]");
  EXPECT_THAT(detail::footprint_text("{}"), HasSubstr("unknown: the compiler plugin's descr"));
}

TEST(footprint, is_unknown_without_the_plugin) {
  const auto twice = [](idx<1> i, reads<int> in, writes<int> out) { out[i] = 2 * in[i]; };
  EXPECT_EQ((footprint_of<idx<1>, reads<int>, writes<int>>(twice)),
            "unknown: compile with pappus_enable(target)");
}

}  // namespace
}  // namespace pappus::codegen
