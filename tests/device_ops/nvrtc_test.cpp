// CUDA's compiler takes every operator's text after the CUDA prelude. It needs no GPU, and is
// loaded at run time; where there is none these tests are skipped.
#include <dlfcn.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "base/embedded.h"
#include "device_ops/operator_samples.h"
#include "device_ops/stage.h"

namespace pappus::test {
namespace {

constexpr std::string_view texts = "device_ops/text/";

// NVRTC's C interface, as its documentation has it.
class nvrtc {
 public:
  static const nvrtc* installed() {
    static const std::optional<nvrtc> library = load();
    return library ? &*library : nullptr;
  }

  /// The compiler's log if it refuses a text, else nothing.
  std::string refusal(const std::string& text) const {
    const std::string whole =
        std::string(base::embedded("devices/cuda/prelude.cuh")) + "\n#line 1 \"kernel\"\n" + text;
    void* program = nullptr;
    if (create_(&program, whole.c_str(), "kernel.cu", 0, nullptr, nullptr) != 0)
      return "nvrtcCreateProgram failed";
    const std::array options{"--gpu-architecture=sm_90", "--fmad=false",
                             "--device-as-default-execution-space", "--std=c++17"};
    const int code = compile_(program, static_cast<int>(options.size()), options.data());
    std::size_t size = 0, binary = 0;
    log_size_(program, &size);
    std::string log(size, '\0');
    log_(program, log.data());
    if (code == 0) cubin_size_(program, &binary);
    destroy_(&program);
    if (code == 0) return binary > 0 ? "" : "no binary";
    return "error " + std::to_string(code) + ":\n" + log.c_str();
  }

 private:
  static std::optional<nvrtc> load() {
    for (const char* name :
         {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"}) {
      void* handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
      nvrtc found;
      if (handle != nullptr && found.look_up(handle)) return found;
    }
    return {};
  }
  bool look_up(void* handle) {
    const auto take = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
      return function != nullptr;
    };
    return take(create_, "nvrtcCreateProgram") && take(compile_, "nvrtcCompileProgram") &&
           take(log_size_, "nvrtcGetProgramLogSize") && take(log_, "nvrtcGetProgramLog") &&
           take(cubin_size_, "nvrtcGetCUBINSize") && take(destroy_, "nvrtcDestroyProgram");
  }

  int (*create_)(void**, const char*, const char*, int, const char* const*,
                 const char* const*) = nullptr;
  int (*compile_)(void*, int, const char* const*) = nullptr;
  int (*log_size_)(void*, std::size_t*) = nullptr;
  int (*log_)(void*, char*) = nullptr;
  int (*cubin_size_)(void*, std::size_t*) = nullptr;
  int (*destroy_)(void**) = nullptr;
};

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
      {"gather.cl", {"#define WORD uchar\n#define WORDS 3\n", "#define WORD ulong\n", ""}},
      {"scan.cl", {"#define TOTAL uint\n", "#define TOTAL ulong\n"}},
      {"segments.cl", {"#define KEY uint\n", "#define KEY ulong\n"}},
      {"sort.cl",
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
                      before + std::string(base::embedded(std::string(texts) + std::string(file))));
}

TEST_F(cuda_text, of_every_operator_compiles_after_element_functions) {
  session s(options{.devices = "cpu"});
  for (const auto& [name, node] : operator_samples(s, 1))
    expect_compiles(name, *device_ops::find(node->kind)->main_program(*node).text);
}

// Else a new text would never be compiled here.
TEST(cuda_text_samples, are_there_for_every_text_of_an_operator) {
  session s(options{.devices = "cpu"});
  std::string compiled;
  for (const auto& [name, node] : operator_samples(s, 1))
    compiled += *device_ops::find(node->kind)->main_program(*node).text;
  for (const auto& fixed : fixed_texts())
    compiled += base::embedded(std::string(texts) + std::string(fixed.file));
  for (std::size_t i = 0; i < base::embedded_texts_size; ++i) {
    const auto& [path, text] = base::embedded_texts[i];
    if (!path.starts_with(texts)) continue;
    EXPECT_NE(compiled.find(text), std::string::npos) << path;
  }
}

}  // namespace
}  // namespace pappus::test
