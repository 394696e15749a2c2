// Users call records and functions what they like: nothing of a device's language, of a prelude, of
// an operator's text or of generated text is in the way.
#include <algorithm>
#include <deque>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/embedded.h"
#include "codegen/element/element.h"
#include "codegen/text/c_text.h"
#include "device_ops/stage_runner.h"
#include "support/nvrtc.h"

namespace pappus::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

/// Of OpenCL C and of CUDA.
constexpr const char* languages = R"(
  as_char as_uchar as_short as_ushort as_int as_uint as_long as_ulong as_float as_double as_int2
  convert_int convert_int_rte convert_float4 size_t ptrdiff_t intptr_t uintptr_t cl_mem_fence_flags
  event_t sampler_t image1d_t image2d_t image3d_t half kernel global local constant private generic
  pipe restrict uniform complex quad read_only write_only read_write __kernel __global
  char2 char3 char4 uchar2 uchar3 uchar4 short2 short3 ushort3 int2 int3 int4 int8 int16 uint2 uint3
  uint4 long2 long3 ulong3 float2 float3 float4 float8 float16 double2 double3 double4 half2 bool4
  get_work_dim get_global_size get_global_id get_local_size get_local_id get_num_groups get_group_id
  get_global_offset barrier mem_fence read_mem_fence work_group_barrier atomic_add atomic_inc
  atomic_or atomic_cmpxchg atom_add vload4 vstore4 async_work_group_copy wait_group_events prefetch
  printf shuffle select bitselect vec_step clamp degrees max min mix radians step smoothstep sign
  cross dot distance length normalize fast_length abs abs_diff add_sat hadd rhadd clz ctz mad_hi
  mad24 mul24 mul_hi popcount rotate sub_sat upsample acos asin atan atan2 cbrt ceil copysign cos
  erf erfc exp exp2 exp10 expm1 fabs fdim floor fma fmax fmin fmod fract frexp hypot ilogb ldexp
  lgamma log log2 log10 log1p logb mad maxmag modf nan nextafter pow pown powr remainder remquo rint
  rootn round rsqrt sin sincos sinpi sqrt tan tanh tgamma trunc half_cos native_sqrt isequal isnan
  isinf isfinite isnormal isordered signbit any all M_PI M_PI_F MAXFLOAT HUGE_VALF INFINITY NAN
  FLT_MAX FLT_EPSILON DBL_MAX INT_MAX CHAR_BIT CLK_LOCAL_MEM_FENCE CLK_GLOBAL_MEM_FENCE NULL TRUE
  true false cl_khr_fp64 FP_CONTRACT OPENCL EXTENSION
  threadIdx blockIdx blockDim gridDim warpSize dim3 cudaError __syncthreads __shared__ __device__
  __ldg __popc __clz __umul64hi __float_as_uint __fadd_rn atomicAdd atomicOr atomicCAS longlong2
  ulonglong2 tex1D surf1Dread fminf fmaxf sqrtf rsqrtf norm3d saturate this class new delete
  template typename operator namespace using bool asm typeof inline alignas noexcept wchar_t
)";

/// Of generated text.
constexpr const char* generated = R"(
  element element_out element_count element_write accumulate accumulate_row values_t values
  group_key group_value group_row reducer_state combine key_0 key_of_0 float_bits double_bits
  join_index join_entry join_find join_row join_mix row first_row in0 side0 side0_rows v0 v1 n0 j0
  p0 a b s x out trap record count captures captured IS_INTEGER RETURNS_INTEGER RETURNS_FLOAT
  ELEMENT_PARAMS ELEMENT_ARGS ELEMENT_MANY main f
)";

std::set<std::string> words_of(std::string_view text) {
  std::set<std::string> words;
  for (const auto token : codegen::tokens_of(text))
    if (std::isalpha(static_cast<unsigned char>(token[0])) != 0 || token[0] == '_')
      words.emplace(token);
  return words;
}

/// These, and every name in the texts that devices compile with a user's functions.
std::vector<std::string> taken_names() {
  auto names = words_of(languages);
  names.merge(words_of(generated));
  for (std::size_t i = 0; i < base::embedded_texts_size; ++i)
    names.merge(words_of(base::embedded_texts[i].text));
  return {names.begin(), names.end()};
}

/// A function of this name that makes a record of this name of a number, as the compiler plugin
/// would describe it, and one that makes the number of the record again, and adds 1.
struct named {
  std::string name;
  std::string make, take;
  detail::device_type record{.size = 12, .align = 4, .cpp_name = {}};

  explicit named(const std::string& of) : name(of) {
    const auto descriptor = [&](const std::string& function, const char* body) {
      return fmt::format(
          R"({{"version":{}, "name":"{}", "source":"", "function":"f", "reasons":[],
          "doubles":false, "traps":false, "maths":[], "references":[], "reads":[], "throws":false,
          "text":"DEVICE void $f($1 const uchar* x, uchar* out) {{ {} }}"}})",
          detail::compiler_version, function, body);
    };
    make = descriptor(name,
                      "*(uint_a*)out = *($1 const uint_a*)x; "
                      "*(uint_a*)(out + 4) = *($1 const uint_a*)(x + 4);");
    take = descriptor("number_of_" + name,
                      "*(long_a*)out = (long)(*($1 const uint_a*)x | "
                      "(ulong)*($1 const uint_a*)(x + 4) << 32) + 1;");
    record.cpp_name = name;
  }
};

detail::device_writer::variable called(detail::device_writer& to, const std::string& descriptor,
                                       detail::device_writer::variable x,
                                       const detail::device_type& result) {
  static constexpr detail::device_type nothing{.size = 0, .align = 1, .cpp_name = "captures"};
  detail::compiled_call call;
  call.descriptor = descriptor.c_str();
  call.captures = {nullptr, &nothing};
  call.result = &result;
  return to.call(call, {&x, 1});
}

/// What the stage that is described next goes through. (A description is a plain function.)
std::vector<const named*> chain;

detail::node_ptr through_chain(const query<detail::source<std::int64_t>>& numbers) {
  const auto node =
      detail::access::node(numbers.map([](std::int64_t x) { return x; }).materialise());
  const_cast<detail::node&>(*node).stage.describe = [](const void*, detail::device_writer& to) {
    to.begin();
    auto x = to.load(0, detail::device_type_of<std::int64_t>);
    to.begin();
    for (const auto* each : chain)
      x = called(to, each->take, called(to, each->make, x, each->record),
                 detail::device_type_of<std::int64_t>);
    to.yield(x);
  };
  return node;
}

class names : public ::testing::Test {
 protected:
  static constexpr std::size_t names_a_stage = 60;

  static std::vector<std::int64_t> plus(std::int64_t by) {
    std::vector<std::int64_t> all;
    for (std::int64_t i = -50; i < 50; ++i) all.push_back(i * 0x1234567 + by);
    return all;
  }

  /// look(stage, names in it) for all names.
  template <typename Look>
  void for_all_names(Look look) {
    std::deque<named> all;
    for (const auto& name : taken_names()) all.emplace_back(name);
    ASSERT_GT(all.size(), 400u);
    for (std::size_t begin = 0; begin < all.size(); begin += names_a_stage) {
      chain.clear();
      for (auto i = begin; i < std::min(begin + names_a_stage, all.size()); ++i)
        chain.push_back(&all[i]);
      SCOPED_TRACE(chain.front()->name + " to " + chain.back()->name);
      look(through_chain(numbers_), static_cast<std::int64_t>(chain.size()));
    }
  }

  const std::vector<std::int64_t> rows_ = plus(0);
  session session_{options{.threads = 1, .devices = "cpu"}};
  const query<detail::source<std::int64_t>> numbers_ = session_.borrow(rows_);
};

TEST_F(names, of_compiled_functions_and_their_records_may_be_any) {
  const auto devices = compiling_devices();
  if (devices.empty()) GTEST_SKIP() << "no device that compiles";
  for_all_names([&](const detail::node_ptr& stage, std::int64_t n) {
    ASSERT_EQ(refusal(*stage), "");
    EXPECT_EQ(records_of<std::int64_t>(run_on(devices.front(), *stage)), plus(n));
  });
}

TEST_F(names, of_compiled_functions_and_their_records_may_be_any_in_cuda) {
  if (nvrtc::installed() == nullptr) GTEST_SKIP() << "NVRTC is not installed";
  for_all_names([&](const detail::node_ptr& stage, std::int64_t) {
    EXPECT_EQ(
        nvrtc::installed()->refusal(*stage->op->run_by(*stage).devices->main_program(*stage).text),
        "");
  });
}

TEST_F(names, of_tables_are_told_from_those_of_functions) {
  const auto devices = compiling_devices();
  if (devices.empty()) GTEST_SKIP() << "no device that compiles";
  named table("f_table0"), f("f"), again("f");
  for (auto* each : {&f, &again}) {
    const auto at = each->make.find("DEVICE");
    each->make.insert(at, "CONSTANT int $f_table0[2] = {0, 7};\\n");
    each->make.insert(each->make.rfind("}\""), fmt::format(" *(uint_a*)out += (uint)$f_table0[{}];",
                                                           each == &again ? 1 : 0));
  }
  for (const auto& order : {std::vector<const named*>{&table, &f, &again, &f},
                            std::vector<const named*>{&again, &f, &table, &again}}) {
    chain = order;
    auto expected = rows_;
    for (auto& x : expected)
      for (const auto* each : order) {
        if (each == &again) x = (x & ~std::int64_t{0xffffffff}) | static_cast<std::uint32_t>(x + 7);
        ++x;
      }
    const auto got = records_of<std::int64_t>(run_on(devices.front(), *through_chain(numbers_)));
    EXPECT_EQ(got, expected);
    const auto text = codegen::element_of(*through_chain(numbers_))->text;
    EXPECT_EQ(text.find("void fn_f_table0("), text.rfind("void fn_f_table0(")) << text;
  }
}

/// Names in texts that come with a user's own, but for what that is written in.
std::vector<std::string> names_of_texts() {
  std::set<std::string> names = words_of(generated), written_in = words_of(R"(
      if else for while do return const void typedef struct union enum sizeof static define ifdef
      ifndef endif elif defined include line pragma undef WITH_ROWS WITH_VALUES)");
  for (std::size_t i = 0; i < base::embedded_texts_size; ++i) {
    const auto& [path, text] = base::embedded_texts[i];
    (path.starts_with("devices/") ? written_in : names).merge(words_of(text));
  }
  std::vector<std::string> all;
  std::ranges::set_difference(names, written_in, std::back_inserter(all));
  return all;
}

TEST_F(names, in_texts_of_users_may_be_those_of_operators) {
  if (compiling_devices().empty()) GTEST_SKIP() << "no device that compiles";
  std::string records, functions;
  const auto all = names_of_texts();
  ASSERT_GT(all.size(), 100u);
  for (const auto& name : all) {
    functions += fmt::format("DEVICE long {}(long x) {{ return x + 1; }}\n", name);
    records += fmt::format("typedef struct {{ int part; }} {};\n", name);
  }
  for (const auto& text : {records, functions}) {
    session s(options{.threads = 1, .devices = "opencl:0"});
    const auto seventh = with_device_code(
        [](std::int64_t x) { return x % 7; },
        device_text("seventh_of", text + "DEVICE long seventh_of(long y) { return y % 7; }"));
    const auto more = s.borrow(rows_).filter(seventh);
    more.collect();
    more.group_by(seventh).count().collect();
    more.sort_by(seventh).collect();
    more.map(seventh).inclusive_scan().collect();
    EXPECT_THAT(s.device_faults(), ElementsAre());
  }
}

TEST(declared_names, are_those_at_file_scope) {
  EXPECT_THAT(codegen::declared_names(R"(
      #define TWICE(x) { x + \
                         inner(x) }
      typedef struct point { float x, y; } place;
      struct __attribute__((packed)) { int z; } pixel;
      enum { red, green = sizeof(int), blue = red + 2 };
      CONSTANT float table[2] = {1, 2};
      enum colour { black };
      DEVICE enum colour __attribute__((const)) f(place p, float (*g)(int)) {
        int local = TWICE(1); if (p.x > h(local)) return k(p); enum { inside }; return black; }
      int g(void);
      float constants = table[0], more;)"),
              UnorderedElementsAre("point", "place", "pixel", "red", "green", "blue", "table",
                                   "colour", "black", "f", "g", "constants", "more"));
  EXPECT_THAT(codegen::declared_names(""), ElementsAre());
}

}  // namespace
}  // namespace pappus::testing
