// What becomes of OpenCL's errors. A real driver is called through a table in which one function
// fails.
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "devices/kernel_cache.h"
#include "devices/opencl/device.h"
#include "support/device_errors.h"
#include "support/memory_apart.h"

namespace pappus::devices::opencl {
namespace {

using testing::error_of;

using ::testing::AllOf;
using ::testing::HasSubstr;

cl_int code_of_broken = CL_SUCCESS;

template <typename R, typename... A>
R broken(A... arguments) {
  if constexpr (std::is_same_v<R, cl_int>) {
    return code_of_broken;
  } else {  // makes an object: the last argument says why it doesn't
    *std::get<sizeof...(A) - 1>(std::tie(arguments...)) = code_of_broken;
    return nullptr;
  }
}

template <typename R, typename... A>
void replace_by_broken(R (*&function)(A...)) {
  function = broken<R, A...>;
}

// Events that failed, in the eyes of a table with this function.
std::set<void*> failed_events;
const library* real = nullptr;
cl_int failing_event_info(cl_event e, cl_event_info what, std::size_t size, void* to,
                          std::size_t* needed) {
  if (!failed_events.contains(e)) return real->GetEventInfo(e, what, size, to, needed);
  *static_cast<cl_int*>(to) = CL_OUT_OF_RESOURCES;
  return CL_SUCCESS;
}

int builds = 0;
cl_int counting_build(cl_program program, cl_uint count, const cl_device_id* ids,
                      const char* options, void(CL_CALLBACK* call)(cl_program, void*), void* data) {
  ++builds;
  return real->BuildProgram(program, count, ids, options, call, data);
}

class opencl_faults : public ::testing::Test {
 protected:
  void SetUp() override {
    real = load_library(nullptr);
    cl_uint count = 0;
    if (!real || real->GetPlatformIDs(1, &platform_, nullptr) != CL_SUCCESS ||
        real->GetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, 1, &id_, &count) != CL_SUCCESS)
      GTEST_SKIP() << "there is no OpenCL device";
    table_ = *real;
    failed_events.clear();
    builds = 0;
  }
  std::unique_ptr<opencl_device> open() {
    return std::make_unique<opencl_device>(table_, platform_, id_, "opencl:0", apart_);
  }
  static kernel_source source(const std::string& value = "1") {
    return {"store", "store",
            std::make_shared<const std::string>(
                "KERNEL void store(GLOBAL int* x) { x[ITEM] = " + value + "; }\n"),
            nullptr, nullptr};
  }
  // Every call of devices/device.h.
  void do_everything(const kernel_source& text) {
    static int numbers[1024] = {};
    const auto on = open();
    const auto kernel = on->build(text);
    const auto memory = on->allocate(sizeof numbers), other = on->allocate(sizeof numbers);
    const auto queue = on->make_queue(), second = on->make_queue();
    const event written[] = {queue->write(*memory, 0, numbers, sizeof numbers)};
    second->fill(*other, 0, sizeof numbers, 0, written);
    queue->launch(*kernel, {4, 0}, std::vector<argument>{memory});
    queue->copy(*memory, 0, *other, 0, 64);
    queue->fill(*memory, 0, 0, 1);
    queue->wait(queue->read(*memory, 0, numbers, sizeof numbers));
    queue->flush();
    second->finish();
    queue->finish();
  }
  void expect_errors_of_the_right_kind();

  cl_platform_id platform_ = nullptr;
  cl_device_id id_ = nullptr;
  library table_;
  std::optional<staging_sizes> apart_;
};

void opencl_faults::expect_errors_of_the_right_kind() {
  const std::pair<cl_int, fault> kinds[] = {
      {CL_OUT_OF_RESOURCES, fault::out_of_memory},
      {CL_MEM_OBJECT_ALLOCATION_FAILURE, fault::out_of_memory},
      {CL_DEVICE_NOT_AVAILABLE, fault::lost},
      {CL_INVALID_CONTEXT, fault::lost},
      {CL_INVALID_COMMAND_QUEUE, fault::lost},
      {CL_INVALID_OPERATION, fault::launch_failed},
      {-1234, fault::launch_failed}};
  // Without these nothing is kept on disk, or copies don't go by way of pinned memory; those that
  // find devices aren't called here.
  const std::set<std::string> harmless = {
      "CreateProgramWithBinary", "GetProgramInfo",   "GetProgramBuildInfo",  "GetDeviceIDs",
      "GetPlatformIDs",          "EnqueueMapBuffer", "EnqueueUnmapMemObject"};
  for (const auto& [code, kind] : kinds) {
    code_of_broken = code;
    const auto with_broken = [&, kind = kind](const char* name, auto library::* function) {
      if (std::string(name).starts_with("Release")) return;  // would only leak
      table_ = *real;
      replace_by_broken(table_.*function);
      // Only a text that no cache has is compiled.
      const bool compiles = std::string(name) == "CreateProgramWithSource";
      const auto text = source(std::to_string(compiles ? code_of_broken : 1));
      SCOPED_TRACE(std::string(name) + " fails with " + error_text(code_of_broken));
      if (harmless.contains(name)) {
        EXPECT_NO_THROW(do_everything(text));
        return;
      }
      const auto error = error_of([&] { do_everything(text); });
      EXPECT_EQ(error.what_failed, kind);
      EXPECT_THAT(error.what(), AllOf(HasSubstr("opencl"), HasSubstr(error_text(code_of_broken))));
    };
#define PAPPUS_WITH_BROKEN(name) with_broken(#name, &library::name);
    PAPPUS_OPENCL_FUNCTIONS(PAPPUS_WITH_BROKEN)
#undef PAPPUS_WITH_BROKEN
  }
}

TEST_F(opencl_faults, of_any_function_are_device_errors_of_the_right_kind) {
  expect_errors_of_the_right_kind();
}

TEST_F(opencl_faults, of_any_function_are_so_where_copies_go_by_way_of_pinned_memory) {
  apart_ = testing::small_slots;
  expect_errors_of_the_right_kind();
}

TEST_F(opencl_faults, tell_operation_size_and_code) {
  table_.EnqueueWriteBuffer = broken;
  code_of_broken = CL_OUT_OF_RESOURCES;
  const auto on = open();
  const auto memory = on->allocate(4096);
  const auto queue = on->make_queue();
  const std::vector<char> bytes(4096);
  const auto error = error_of([&] { queue->write(*memory, 0, bytes.data(), bytes.size()); });
  EXPECT_THAT(error.what(), HasSubstr("opencl:0: write of 4 KiB failed: CL_OUT_OF_RESOURCES (-5)"));
}

TEST_F(opencl_faults, of_an_operation_under_way_are_thrown_once_by_who_waits) {
  table_.GetEventInfo = failing_event_info;
  const auto on = open();
  const auto kernel = on->build(source());
  const auto memory = on->allocate(64);
  const auto queue = on->make_queue();
  const event bad = queue->launch(*kernel, {8, 1}, std::vector<argument>{memory});
  failed_events.insert(bad.get());
  const event good = queue->fill(*memory, 0, 64, 0);
  const auto error = error_of([&] { queue->wait(good); });  // in it or before it
  EXPECT_EQ(error.what_failed, fault::out_of_memory);
  EXPECT_THAT(error.what(), HasSubstr("launch of store with 8 work-items"));
  EXPECT_NO_THROW(queue->wait(good));
  EXPECT_NO_THROW(queue->finish());
}

TEST_F(opencl_faults, after_an_operation_dont_concern_who_waits_for_it) {
  table_.GetEventInfo = failing_event_info;
  const auto on = open();
  const auto memory = on->allocate(64);
  const auto queue = on->make_queue();
  const event good = queue->fill(*memory, 0, 64, 0);
  failed_events.insert(queue->fill(*memory, 0, 32, 1).get());
  EXPECT_NO_THROW(queue->wait(good));
  EXPECT_THAT(error_of([&] { queue->finish(); }).what(), HasSubstr("fill of 32 B"));
}

TEST_F(opencl_faults, are_remembered_while_nobody_waits) {
  table_.GetEventInfo = failing_event_info;
  const auto on = open();
  const auto memory = on->allocate(64);
  const auto queue = on->make_queue();
  const event bad = queue->fill(*memory, 0, 32, 1);
  failed_events.insert(bad.get());
  for (int i = 0; i < 1000; ++i) queue->fill(*memory, 0, 64, 0);
  EXPECT_THAT(error_of([&] { queue->finish(); }).what(), HasSubstr("fill of 32 B"));
}

TEST_F(opencl_faults, in_making_a_queue_leave_the_device_usable) {
  const auto on = open();
  const auto memory = on->allocate(64);
  table_.CreateCommandQueue = broken;
  code_of_broken = CL_OUT_OF_HOST_MEMORY;
  EXPECT_EQ(error_of([&] { on->make_queue(); }).what_failed, fault::out_of_memory);
  table_ = *real;
  const auto queue = on->make_queue(), other = on->make_queue();
  const event filled[] = {queue->fill(*memory, 0, 64, 7)};
  char byte = 0;
  other->wait(other->read(*memory, 63, &byte, 1, filled));
  EXPECT_EQ(byte, 7);
}

TEST_F(opencl_faults, of_a_binary_from_disk_lead_to_a_build_from_source) {
  table_.BuildProgram = counting_build;
  const auto text = source("2");
  open()->build(text);
  const auto counts = kernel_cache::shared().counts();
  if (counts.stores == 0) GTEST_SKIP() << "the kernel cache is off";
  const int with_cache = builds;
  table_.CreateProgramWithBinary = broken;
  code_of_broken = CL_INVALID_BINARY;
  EXPECT_NO_THROW(open()->build(text));
  EXPECT_EQ(builds, with_cache + 1);
  EXPECT_EQ(kernel_cache::shared().counts().stores, counts.stores + 1);  // a good one again
}

}  // namespace
}  // namespace pappus::devices::opencl
