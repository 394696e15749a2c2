// Records and functions that are called like types, functions and macros of OpenCL C, of CUDA and
// of the preludes run where others do. (tests/device_ops/names_test.cpp has all names there are.)
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/on_opencl.h"
#include "pappus/pappus.h"

// clang-format off
#define RECORDS(X) \
  X(float3) X(int3) X(double3) X(uchar3) X(float4) X(size_t) X(ptrdiff_t) X(int_a) X(float_a) \
  X(cl_mem_fence_flags) X(event_t) X(half) X(uchar) X(ulong) X(dim3) X(element_out) X(values_t)
#define FUNCTIONS(X) \
  X(as_int) X(as_uint) X(as_ulong) X(DEVICE) X(GLOBAL) X(LOCAL) X(CONSTANT) X(KERNEL) X(ITEM) \
  X(ITEMS) X(GROUP) X(ROWS_BEGIN) X(FOR_ROWS) X(SET_TRAP) X(LIKE_CPU) X(FAST_FLOATS) \
  X(ELEMENT_PARAMS) X(element) X(get_global_id) X(kernel) X(atomicAdd) X(__float_as_uint) X(clamp) \
  X(max)
// clang-format on

namespace pappus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace records {
#define RECORD(name) \
  struct name {      \
    float x, y, z;   \
  };
RECORDS(RECORD)
}  // namespace records

namespace functions {
#define FUNCTION(name) \
  std::int64_t name(std::int64_t x) { return 3 * x + 1; }
FUNCTIONS(FUNCTION)
}  // namespace functions

class names : public testing::on_opencl {
 protected:
  /// make(session) -> query.
  template <typename Make>
  static void expect_same(const char* name, Make make) {
    SCOPED_TRACE(name);
    session cpu(options{.threads = 1, .devices = "cpu"});
    const auto expected = make(cpu).collect().to_vector();
    for (const std::string device : {"opencl:0", "test:seed=1+delay_us=0"}) {
      session there(options{.threads = 1, .devices = device});
      const auto query = make(there);
      const auto ran = "ran on " + device.substr(0, device.find(':'));
      EXPECT_THAT(query.explain_analyze(), HasSubstr(ran));
      const auto got = query.collect().to_vector();
      ASSERT_EQ(got.size(), expected.size());
      EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof got[0]), 0) << device;
      EXPECT_THAT(there.device_faults(), ElementsAre());
    }
  }

  template <typename Record>
  static void expect_rotated(const char* name) {
    std::vector<Record> rows;
    for (int i = 0; i < 100; ++i) {
      const auto x = static_cast<float>(i);
      rows.push_back({x, x / 2, -x});
    }
    expect_same(name, [&](session& s) {
      return s.borrow(rows).map([](Record p) { return Record{p.y, p.z, p.x}; });
    });
  }
};

TEST_F(names, of_records_may_be_those_of_devices){
#define ROTATED(name) expect_rotated<records::name>(#name);
    RECORDS(ROTATED)}

TEST_F(names, of_functions_may_be_those_of_devices) {
#define CALLED(name) \
  expect_same(#name, \
              [](session& s) { return s.range(std::int64_t{0}, 100).map(fn<functions::name>); });
  FUNCTIONS(CALLED)
}

}  // namespace
}  // namespace pappus
