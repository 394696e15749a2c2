// Rows that devices use where they lie on the host: the CPU's answers wherever that is, and
// nobody's rows change.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/harness.h"
#include "device_ops/stage_runner.h"
#include "devices/opencl/device.h"
#include "pappus/device_code.h"

namespace pappus::testing {
namespace {

using pappus::testing::chosen_device;
using pappus::testing::compiling_devices;
using pappus::testing::memory_with_copies;
using pappus::testing::records_of;
using pappus::testing::run_on;
using ::testing::HasSubstr;
using ::testing::Not;

/// Eight bytes that need an alignment of four: words of eight move it.
struct place {
  float x, y;
};
/// Twelve bytes, no power of two.
struct drawn {
  std::int32_t sensor, draw;
  float value;
};

constexpr const char* moved_text = R"(
typedef struct { float x, y; } place;
typedef struct { int sensor, draw; float value; } drawn;
place mirrored(place p) { float x = p.x; p.x = p.y; p.y = x; return p; }
drawn next(drawn r) { r.draw += 1; return r; }
int twice(int x) { return 2 * x; }
int with_side(int x, GLOBAL const int* side, long n) { return n == 0 ? x : x + side[x % n]; }
int passes(int x) { return x % 3 != 0; }
)";
place mirrored(const place& p) { return {p.y, p.x}; }
drawn next(const drawn& r) { return {r.sensor, r.draw + 1, r.value}; }
int twice(int x) { return 2 * x; }
int with_side(int x, std::span<const int> side) {
  return side.empty() ? x : x + side[static_cast<std::size_t>(x) % side.size()];
}
bool passes(int x) { return x % 3 != 0; }

auto coded(auto function, const char* name) {
  return with_device_code(function, device_text(name, moved_text));
}

/// Rows that begin `shift` bytes behind an address that any device finds aligned.
template <typename T>
class shifted {
 public:
  shifted(std::int64_t n, std::size_t shift)
      : bytes_(std::max<std::size_t>(static_cast<std::size_t>(n), 1) * sizeof(T) + 8192) {
    const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
    auto* const first = bytes_.data() + (4096 - address % 4096) + shift;
    rows_ = {reinterpret_cast<T*>(first), static_cast<std::size_t>(n)};
    for (std::size_t i = 0; i < rows_.size() * sizeof(T) / 4; ++i) {
      const auto value = static_cast<std::int32_t>(i * 7919 % 1'000'003);
      const auto number = static_cast<float>(value) / 8;
      std::memcpy(first + 4 * i,
                  std::is_same_v<T, place> ? static_cast<const void*>(&number)
                                           : static_cast<const void*>(&value),
                  4);
    }
    before_ = bytes_;
  }
  std::span<const T> rows() const { return rows_; }
  bool unchanged() const { return bytes_ == before_; }

 private:
  std::vector<std::byte> bytes_, before_;
  std::span<T> rows_;
};

constexpr std::size_t shifts[] = {0, 4, 8, 16, 20, 64, 100};
constexpr std::int64_t lengths_in_place[] = {0, 1, 2, 1023, 70'001};

/// query(session, rows) on every OpenCL device, in place and with copies, in one chunk and in some:
/// the CPU's rows.
template <typename T, typename Out, typename Query>
void expect_same_at_any_address(Query query) {
  const auto devices = compiling_devices();
  if (devices.empty()) GTEST_SKIP() << "there is no OpenCL device";
  for (const auto n : lengths_in_place)
    for (const auto shift : shifts) {
      const shifted<T> in(n, shift);
      session cpu(options{.threads = 2, .devices = "cpu"});
      const auto asked = query(cpu, in.rows()).materialise();
      const std::vector<Out> expected = asked.collect().to_vector();
      for (auto device : devices)
        for (const bool copies : {false, true})
          for (const std::int64_t chunk_rows : {std::int64_t{0}, n / 3 + 1}) {
            SCOPED_TRACE(::testing::Message() << device.name << ", " << n << " rows at " << shift
                                              << ", chunks of " << chunk_rows);
            device.memory_bytes = copies ? memory_with_copies : 0;
            EXPECT_TRUE(
                same_rows(records_of<Out>(run_on(device, *detail::access::node(asked), chunk_rows)),
                          expected));
          }
      EXPECT_TRUE(in.unchanged());
    }
}

TEST(device_in_place, maps_read_and_write_rows_at_any_address) {
  expect_same_at_any_address<int, int>(
      [](session& s, auto rows) { return s.borrow(rows).map(coded(fn<twice>, "twice")); });
  expect_same_at_any_address<drawn, drawn>(
      [](session& s, auto rows) { return s.borrow(rows).map(coded(fn<next>, "next")); });
  expect_same_at_any_address<place, place>(
      [](session& s, auto rows) { return s.borrow(rows).map(coded(fn<mirrored>, "mirrored")); });
}

TEST(device_in_place, sorts_move_records_in_words_that_their_address_allows) {
  expect_same_at_any_address<place, place>(
      [](session& s, auto rows) { return s.borrow(rows).sort_by(&place::x); });
}

TEST(device_in_place, filters_scans_and_sides_read_rows_at_any_address) {
  expect_same_at_any_address<int, int>(
      [](session& s, auto rows) { return s.borrow(rows).filter(coded(fn<passes>, "passes")); });
  expect_same_at_any_address<int, int>(
      [](session& s, auto rows) { return s.borrow(rows).inclusive_scan(std::plus<int>{}); });
  expect_same_at_any_address<int, int>([](session& s, auto rows) {
    const auto all = s.borrow(rows);
    return all.map(coded(fn<with_side>, "with_side"), all.shared());
  });
}

TEST(device_in_place, the_same_rows_may_be_read_twice_and_overlap) {
  expect_same_at_any_address<int, pair<int, int>>([](session& s, auto rows) {
    const auto all = s.borrow(rows);
    return all.zip(all);
  });
  expect_same_at_any_address<int, pair<int, int>>([](session& s, auto rows) {
    const auto later = rows.subspan(rows.empty() ? 0 : 1);
    return s.borrow(rows).zip(s.borrow(later));
  });
}

/// A session that uses the first OpenCL device, whose memory is the host's.
class device_in_place_sessions : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto all = devices::all_devices();
    if (all.empty() || !all.front()->about().in_place)
      GTEST_SKIP() << "there is no OpenCL device that can use the host's memory";
  }
  static options on_device(const char* devices, std::size_t memory = 0) {
    return {.threads = 2, .devices = devices, .device_memory = memory};
  }
};

TEST_F(device_in_place_sessions, copy_nothing_unless_a_limit_is_to_be_rehearsed) {
  const shifted<int> in(100'000, 0);
  const auto told = [&](session& s) {
    return s.borrow(in.rows()).map(coded(fn<twice>, "twice")).explain_analyze();
  };
  session free(on_device("opencl:0")), limited(on_device("opencl:0", std::size_t{64} << 20));
  EXPECT_THAT(told(free), HasSubstr("1 launches, 0 B there, 0 B back, 781 KiB used in place"));
  EXPECT_THAT(told(limited), HasSubstr("1 launches, 391 KiB there, 391 KiB back"));
  EXPECT_THAT(told(limited), Not(HasSubstr("in place")));
}

TEST_F(device_in_place_sessions, charge_no_memory_for_rows_that_are_there) {
  constexpr std::size_t MiB = std::size_t{1} << 20;
  const shifted<int> in(20'000'000, 0);  // 76 MiB
  session s(options{.threads = 2, .host_memory = 32 * MiB, .devices = "opencl:0"});
  EXPECT_EQ(s.borrow(in.rows()).map(coded(fn<twice>, "twice")).max().get(), 2'000'004);
  EXPECT_LT(s.host_memory_peak(), 4 * MiB);
}

TEST_F(device_in_place_sessions, take_rows_that_lie_in_several_pieces) {
  const shifted<int> in(300'007, 4);
  session s(on_device("cpu,opencl:0"));
  const auto kept = s.borrow(in.rows()).filter(coded(fn<passes>, "passes")).on("cpu").materialise();
  const auto mapped = kept.map(coded(fn<twice>, "twice"));
  EXPECT_THAT(mapped.on("opencl:0").explain_analyze(), HasSubstr("ran on opencl:0"));
  EXPECT_TRUE(same_rows(mapped.on("opencl:0").collect().to_vector(),
                        mapped.on("cpu").collect().to_vector()));
}

TEST_F(device_in_place_sessions, leave_rows_alone_once_a_query_is_done) {
  records<int> result;
  {
    session s(on_device("opencl:0"));
    auto in = std::make_unique<shifted<int>>(200'003, 8);
    result = s.borrow(in->rows()).map(coded(fn<twice>, "twice")).collect();
    in.reset();
  }
  const shifted<int> again(200'003, 8);
  ASSERT_EQ(result.size(), again.rows().size());
  for (std::size_t i = 0; i < result.size(); ++i) ASSERT_EQ(result[i], 2 * again.rows()[i]) << i;
}

TEST_F(device_in_place_sessions, loops_see_the_state_of_each_iteration) {
  const shifted<int> in(1000, 0);
  const auto last = [&](const char* devices) {
    session s(on_device(devices));
    const auto rows = s.borrow(in.rows());
    const auto step = [&](auto state) {
      return rows.map(coded(fn<with_side>, "with_side"), state.shared());
    };
    const auto always = [](std::span<const int>, std::span<const int>) { return true; };
    return s.do_while(s.from(std::vector<int>{3, 1, 4}), step, always, max_iterations{5})
        .collect()
        .to_vector();
  };
  EXPECT_EQ(last("opencl:0"), last("cpu"));
}

/// OpenCL functions that fail once, at a call of choice.
struct failing {
  static inline const devices::opencl::library* real = nullptr;
  static inline int calls_before = 0;
  static inline cl_int code = CL_SUCCESS;

  static bool strikes() { return calls_before-- == 0; }
  static cl_int launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                       const std::size_t* offset, const std::size_t* items,
                       const std::size_t* group, cl_uint waits, const cl_event* after,
                       cl_event* done) {
    return strikes() ? code
                     : real->EnqueueNDRangeKernel(queue, kernel, dimensions, offset, items, group,
                                                  waits, after, done);
  }
  static cl_int read(cl_command_queue queue, cl_mem from, cl_bool blocking, std::size_t offset,
                     std::size_t bytes, void* to, cl_uint waits, const cl_event* after,
                     cl_event* done) {
    return strikes() ? code
                     : real->EnqueueReadBuffer(queue, from, blocking, offset, bytes, to, waits,
                                               after, done);
  }
  static cl_mem make(cl_context context, cl_mem_flags flags, std::size_t bytes, void* host,
                     cl_int* result) {
    if ((flags & CL_MEM_USE_HOST_PTR) == 0 || !strikes())
      return real->CreateBuffer(context, flags, bytes, host, result);
    *result = code;
    return nullptr;
  }
};

class device_in_place_faults : public ::testing::Test {
 protected:
  void SetUp() override {
    failing::real = devices::opencl::load_library(nullptr);
    cl_uint count = 0;
    if (failing::real == nullptr ||
        failing::real->GetPlatformIDs(1, &platform_, nullptr) != CL_SUCCESS ||
        failing::real->GetDeviceIDs(platform_, CL_DEVICE_TYPE_CPU, 1, &id_, &count) != CL_SUCCESS)
      GTEST_SKIP() << "there is no OpenCL device that can use the host's memory";
    table_ = *failing::real;
  }
  /// The rows of a scan in three chunks of two tiles, whose values go from chunk to chunk, on a
  /// device that calls `table_`: a failed one may be used no more.
  std::vector<int> scanned(const detail::node& n, std::size_t memory_bytes) {
    const auto on = std::make_shared<devices::attached>(
        std::make_unique<devices::opencl::opencl_device>(table_, platform_, id_, "opencl:0"));
    return records_of<int>(run_on({on, on, "opencl:0", memory_bytes}, n, 140'000));
  }

  cl_platform_id platform_ = nullptr;
  cl_device_id id_ = nullptr;
  devices::opencl::library table_;
};

TEST_F(device_in_place_faults, of_memory_at_any_call_make_chunks_smaller_and_lose_no_value) {
  const shifted<int> in(300'007, 4);
  session cpu(options{.threads = 2, .devices = "cpu"});
  const auto asked = cpu.borrow(in.rows()).inclusive_scan(std::plus<int>{});
  const auto expected = asked.collect().to_vector();
  failing::code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  for (const bool launches : {true, false}) {
    table_ = *failing::real;
    if (launches)
      table_.EnqueueNDRangeKernel = failing::launch;
    else
      table_.EnqueueReadBuffer = failing::read;
    for (const std::size_t memory : {std::size_t{0}, memory_with_copies})
      for (int call = 0, struck = 1; struck != 0; ++call) {
        SCOPED_TRACE(::testing::Message()
                     << (launches ? "launch " : "read ") << call << ", memory " << memory);
        failing::calls_before = call;
        EXPECT_TRUE(same_rows(scanned(*detail::access::node(asked), memory), expected));
        struck = failing::calls_before < 0;
      }
  }
  EXPECT_TRUE(in.unchanged());
}

TEST_F(device_in_place_faults, of_an_operation_leave_the_rows_as_they_are) {
  const shifted<int> in(300'007, 4);
  session cpu(options{.threads = 2, .devices = "cpu"});
  const auto asked = cpu.borrow(in.rows()).inclusive_scan(std::plus<int>{});
  failing::code = CL_INVALID_OPERATION;
  table_.EnqueueNDRangeKernel = failing::launch;
  for (const int call : {0, 1, 2, 4}) {
    failing::calls_before = call;
    EXPECT_THROW(scanned(*detail::access::node(asked), 0), devices::device_error) << call;
  }
  EXPECT_TRUE(in.unchanged());
}

TEST_F(device_in_place_faults, of_memory_that_cannot_be_wrapped_mean_copies) {
  const shifted<int> in(300'007, 4);
  session cpu(options{.threads = 2, .devices = "cpu"});
  const auto asked = cpu.borrow(in.rows()).inclusive_scan(std::plus<int>{});
  const auto expected = asked.collect().to_vector();
  failing::code = CL_INVALID_HOST_PTR;
  table_.CreateBuffer = failing::make;
  for (int call = 0, struck = 1; struck != 0; ++call) {
    failing::calls_before = call;
    EXPECT_TRUE(same_rows(scanned(*detail::access::node(asked), 0), expected)) << call;
    struck = failing::calls_before < 0;
  }
}

}  // namespace
}  // namespace pappus::testing
