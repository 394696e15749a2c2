// Programs for compilers that read opencl-c.h are compiled without it where that gives the same.
#include <memory>
#include <regex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/embedded.h"
#include "devices/opencl/ask.h"
#include "devices/opencl/device.h"
#include "support/device_errors.h"

namespace pappus::devices::opencl {
namespace {

using testing::error_of;

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const library* driver = nullptr;
std::vector<std::string> options_of_builds;

cl_int told_build(cl_program program, cl_uint count, const cl_device_id* ids, const char* options,
                  void(CL_CALLBACK* call)(cl_program, void*), void* data) {
  options_of_builds.emplace_back(options);
  return driver->BuildProgram(program, count, ids, options, call, data);
}

std::string declarations() { return std::string(base::embedded("devices/opencl/builtins.cl")); }

class opencl_builtins : public ::testing::Test {
 protected:
  void SetUp() override {
    driver = load_library(nullptr);
    if (!driver || driver->GetPlatformIDs(1, &platform_, nullptr) != CL_SUCCESS ||
        driver->GetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, 1, &id_, nullptr) != CL_SUCCESS)
      GTEST_SKIP() << "there is no OpenCL device";
    table_ = *driver;
    table_.BuildProgram = told_build;
    options_of_builds.clear();
    device_ = std::make_unique<opencl_device>(table_, platform_, id_, "opencl:0");
    const asking of(*driver, platform_, id_);
    if (of.platform_text(CL_PLATFORM_NAME) != "Portable Computing Language")
      GTEST_SKIP() << "its compiler isn't known to read opencl-c.h";
  }

  // What `expression` of x is for x = 1 .. 4, x being a float.
  std::vector<float> values_of(const std::string& expression, const std::string& before = {}) {
    const kernel_source source{
        "store", "store",
        std::make_shared<const std::string>(before +
                                            "KERNEL void store(GLOBAL float* to) {\n"
                                            "const float x = ITEM + 1;\n"
                                            "to[ITEM] = " +
                                            expression + ";\n}\n"),
        nullptr, nullptr};
    const auto kernel = device_->build(source);
    std::vector<float> values(4);
    const auto memory = device_->allocate(values.size() * sizeof(float));
    const auto queue = device_->make_queue();
    queue->launch(*kernel, {values.size(), 0}, std::vector<argument>{memory});
    queue->wait(queue->read(*memory, 0, values.data(), values.size() * sizeof(float)));
    return values;
  }

  cl_platform_id platform_ = nullptr;
  cl_device_id id_ = nullptr;
  library table_;
  std::unique_ptr<opencl_device> device_;
};

TEST_F(opencl_builtins, are_read_in_place_of_the_whole_header) {
  EXPECT_THAT(values_of("sqrt(x * x) + max(1, 2)"), ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(options_of_builds, ElementsAre(HasSubstr("-D_OPENCL_H_")));
}

TEST_F(opencl_builtins, that_they_lack_are_found_in_the_header) {
  EXPECT_THAT(values_of("degrees(radians(x * 90))"),
              ElementsAre(::testing::FloatNear(90, 1e-3f), ::testing::FloatNear(180, 1e-3f),
                          ::testing::FloatNear(270, 1e-3f), ::testing::FloatNear(360, 1e-3f)));
  EXPECT_THAT(options_of_builds,
              ElementsAre(HasSubstr("-D_OPENCL_H_"), Not(HasSubstr("-D_OPENCL_H_"))));
  options_of_builds.clear();
  // Of those that they have only vectors' are lacking.
  EXPECT_THAT(values_of("fmax((float2)(x, 3), (float2)(2, 4)).x"), ElementsAre(2, 2, 3, 4));
  EXPECT_THAT(options_of_builds, ElementsAre(::testing::_, Not(HasSubstr("-D_OPENCL_H_"))));
}

TEST_F(opencl_builtins, of_a_wrong_text_are_told_of_as_ever) {
  const device_error told = error_of([&] { values_of("sqroot(x)"); });
  EXPECT_THAT(told.what(), AllOf(HasSubstr("build of store failed"), HasSubstr("sqroot")));
  EXPECT_THAT(told.log, HasSubstr("kernel:3:"));
}

TEST_F(opencl_builtins, may_have_names_that_a_text_gives_to_its_own) {
  const std::string own = "DEVICE float OF_FLOATS(float PURE) { return PURE + 1; }\n";
  EXPECT_THAT(values_of("OF_FLOATS(x)", own), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(options_of_builds, ElementsAre(HasSubstr("-D_OPENCL_H_")));
}

// clang refuses a declaration beside another one that returns something else. Only the header has
// what the expression calls.
TEST_F(opencl_builtins, are_declared_as_the_header_declares_them) {
  const std::string needs_header = "round(degrees(radians(x)))";
  EXPECT_THAT(values_of(needs_header, declarations()), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(options_of_builds, ElementsAre(::testing::_, Not(HasSubstr("-D_OPENCL_H_"))));
  for (const std::string wrong : {"int OTHER sqrt(float);\n", "float OTHER popcount(uint);\n",
                                  "long OTHER get_global_id(uint);\n"}) {
    const std::string other = "#define OTHER __attribute__((overloadable))\n" + wrong;
    const device_error told = error_of([&] { values_of(needs_header + " + 1", other); });
    EXPECT_THAT(told.log, HasSubstr("conflicting types")) << wrong;
  }
}

// PoCL's linker wouldn't find a function that it doesn't have.
TEST_F(opencl_builtins, can_all_be_called) {
  const std::regex declared("  (?:T|U|int) (?:PURE|OVERLOADED) ([a-z0-9_]+)\\(([^)]*)\\);");
  const std::string text = declarations();
  const std::size_t floats = text.find("#define OF_FLOATS");
  std::string calls;
  int functions = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), declared), none; at != none; ++at) {
    std::string arguments = (*at)[2];
    arguments = std::regex_replace(arguments, std::regex("memory (T|int)\\*"), "&$1_out");
    arguments = std::regex_replace(arguments, std::regex("(T|int)(?!_out)"), "($1)x");
    calls += static_cast<std::size_t>(at->position()) > floats ? "OF_FLOAT(" : "OF_INTEGER(";
    calls += "sum += (float)" + (*at)[1].str() + '(' + arguments + "))\n";
    ++functions;
  }
  EXPECT_GT(functions, 60);
  const auto of = [](const std::string& type) {
    return "{ typedef " + type + " T; T T_out = 0; int int_out = 0; call; } ";
  };
  const std::string all = "#define OF_FLOAT(call) " + of("float") + of("double") +
                          "\n#define OF_INTEGER(call) " + of("char") + of("uchar") + of("short") +
                          of("ushort") + of("int") + of("uint") + of("long") + of("ulong") +
                          "\nDEVICE float all_of(float x) {\nfloat sum = 0;\n" + calls +
                          "return sum;\n}\n";
  EXPECT_EQ(values_of("all_of(x)", all).size(), 4u);
  EXPECT_THAT(options_of_builds, ElementsAre(HasSubstr("-D_OPENCL_H_")));
}

}  // namespace
}  // namespace pappus::devices::opencl
