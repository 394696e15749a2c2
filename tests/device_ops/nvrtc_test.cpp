// CUDA's compiler takes every operator's text after the CUDA prelude. It needs no GPU, and is
// loaded at run time; where there is none these tests are skipped.
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/embedded.h"
#include "device_ops/contract.h"
#include "device_ops/operator_samples.h"
#include "support/nvrtc.h"

namespace pappus::testing {
namespace {

class cuda_text : public ::testing::Test {
 protected:
  void SetUp() override {
    if (nvrtc::installed() == nullptr) GTEST_SKIP() << "NVRTC is not installed";
  }
  static void expect_compiles(const std::string& name, const std::string& text) {
    EXPECT_EQ(nvrtc::installed()->refusal(text), "") << name;
  }
};

/// Texts that call no element function, and what stands before them.
struct fixed_text {
  std::string_view file;
  std::vector<std::string> definitions;
};
const std::vector<fixed_text>& fixed_texts() {
  static const std::vector<fixed_text> all{
      {"device_ops/text/gather.cl",
       {"#define WORD uchar\n#define WORDS 3\n", "#define WORD ulong\n", ""}},
      {"chunk_loop/place.cl", {"#define WORD uchar\n", "#define WORD uint\n"}},
      {"device_ops/text/scan.cl", {"#define TOTAL uint\n", "#define TOTAL ulong\n"}},
      {"device_ops/text/segments.cl", {"#define KEY uint\n", "#define KEY ulong\n"}},
      {"device_ops/text/sort.cl",
       {"#define KEY uint\n#define WITH_ROWS 0\n", "#define KEY uint\n#define WITH_ROWS 1\n",
        "#define KEY ulong\n#define WITH_ROWS 0\n", "#define KEY ulong\n#define WITH_ROWS 1\n"}}};
  return all;
}

TEST_F(cuda_text, of_the_prelude_defines_every_name) {
  expect_compiles("prelude", R"(
CONSTANT ulong powers[3] = {1, 10, 100};
DEVICE long row_of(GLOBAL const uchar* from, ushort at) { return from[at]; }
KERNEL void all(GLOBAL const uchar* from, GLOBAL uint* to, long rows) {
  LOCAL uint sums[256];
  sums[GROUP_ITEM % 256] = (uint)(GROUP + GROUP_ITEMS + ITEM + ITEMS + LIKE_CPU);
  BARRIER();
  LOCAL_INCREMENT(&sums[0]);
  FOR_ROWS(row, rows) { to[row] = sums[row_of(from, (ushort)row)] + (uint)powers[row % 3]; }
}
)");
}

TEST_F(cuda_text, is_refused_where_it_is_wrong) {
  const auto log = nvrtc::installed()->refusal("\nKERNEL void wrong() { unknown(); }\n");
  EXPECT_NE(log.find("kernel(2): error"), std::string::npos) << log;
}

TEST_F(cuda_text, of_fixed_kernels_compiles) {
  for (const auto& [file, definitions] : fixed_texts())
    for (const auto& before : definitions)
      expect_compiles(std::string(file) + " after " + before,
                      before + std::string(base::embedded(file)));
}

TEST_F(cuda_text, of_every_operator_compiles_after_element_functions) {
  session s(options{.devices = "cpu"});
  for (const auto& [name, node] : operator_samples(s, 1))
    expect_compiles(name, *node->op->run_by(*node).devices->main_program(*node).text);
}

// Else a new text would never be compiled here.
TEST(cuda_text_samples, are_there_for_every_text_of_an_operator) {
  session s(options{.devices = "cpu"});
  std::string compiled;
  for (const auto& [name, node] : operator_samples(s, 1))
    compiled += *node->op->run_by(*node).devices->main_program(*node).text;
  for (const auto& fixed : fixed_texts()) compiled += base::embedded(fixed.file);
  for (std::size_t i = 0; i < base::embedded_texts_size; ++i) {
    const auto& [path, text] = base::embedded_texts[i];
    if (path.starts_with("devices/")) continue;  // preludes
    EXPECT_NE(compiled.find(text), std::string::npos) << path;
  }
}

}  // namespace
}  // namespace pappus::testing
