#include "system/opencl_host.h"

#include <stdexcept>
#include <utility>

namespace pappus::bench::opencl {

device::device(const library& cl, cl_device_id id, std::string name)
    : cl_(cl), id_(id), name_(std::move(name)) {
  cl_uint units = 1;
  check(cl_.GetDeviceInfo(id_, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr),
        "clGetDeviceInfo");
  units_ = units;
  cl_device_type type = 0;
  cl_ulong most = 0;
  check(cl_.GetDeviceInfo(id_, CL_DEVICE_TYPE, sizeof type, &type, nullptr), "clGetDeviceInfo");
  check(cl_.GetDeviceInfo(id_, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, nullptr),
        "clGetDeviceInfo");
  in_place_ = (type & CL_DEVICE_TYPE_CPU) != 0;
  buffer_bytes_max_ = most;
  cl_int code = CL_SUCCESS;
  context_ = {cl_.CreateContext(nullptr, 1, &id_, nullptr, nullptr, &code), release{&cl_}};
  check(code, "clCreateContext");
  uploads_ = make_queue();
  kernels_ = make_queue();
  downloads_ = make_queue();
}

owned<cl_command_queue> device::make_queue() const {
  cl_int code = CL_SUCCESS;
  owned<cl_command_queue> queue(cl_.CreateCommandQueue(context_.get(), id_, 0, &code),
                                release{&cl_});
  check(code, "clCreateCommandQueue");
  return queue;
}

memory device::allocate(std::size_t bytes) const {
  cl_int code = CL_SUCCESS;
  memory made(cl_.CreateBuffer(context_.get(), CL_MEM_READ_WRITE, std::max<std::size_t>(bytes, 16),
                               nullptr, &code),
              release{&cl_});
  check(code, "clCreateBuffer");
  return made;
}

memory device::wrap(const void* data, std::size_t bytes) const {
  cl_int code = CL_SUCCESS;
  memory made(cl_.CreateBuffer(context_.get(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes,
                               const_cast<void*>(data), &code),
              release{&cl_});
  check(code, "clCreateBuffer");
  return made;
}

kernel device::build(std::string_view text, const char* function, const std::string& definitions) {
  const std::string whole = definitions + std::string(text);
  const char* begin = whole.data();
  const std::size_t size = whole.size();
  cl_int code = CL_SUCCESS;
  const owned<cl_program> program(
      cl_.CreateProgramWithSource(context_.get(), 1, &begin, &size, &code), release{&cl_});
  check(code, "clCreateProgramWithSource");
  code = cl_.BuildProgram(program.get(), 1, &id_, "", nullptr, nullptr);
  if (code != CL_SUCCESS) {
    std::string log(1 << 14, '\0');
    cl_.GetProgramBuildInfo(program.get(), id_, CL_PROGRAM_BUILD_LOG, log.size(), log.data(),
                            nullptr);
    throw std::runtime_error(name_ + ": the hand-written kernel " + function +
                             " doesn't compile:\n" + log.c_str());
  }
  kernel made(cl_.CreateKernel(program.get(), function, &code), release{&cl_});
  check(code, "clCreateKernel");
  return made;
}

namespace {

/// A list of events as the API takes it.
struct waits {
  cl_event handles[8];
  cl_uint count = 0;
  explicit waits(std::initializer_list<event> after) {
    for (const auto& e : after)
      if (e) handles[count++] = e.get();
  }
  const cl_event* list() const { return count > 0 ? handles : nullptr; }
};

}  // namespace

event device::write(const memory& to, std::size_t offset, const void* from, std::size_t bytes,
                    std::initializer_list<event> after) {
  const waits on(after);
  cl_event done = nullptr;
  check(cl_.EnqueueWriteBuffer(uploads_.get(), to.get(), CL_FALSE, offset, bytes, from, on.count,
                               on.list(), &done),
        "clEnqueueWriteBuffer");
  return event_of(done);
}

event device::read(const memory& from, std::size_t offset, void* to, std::size_t bytes,
                   std::initializer_list<event> after) {
  const waits on(after);
  cl_event done = nullptr;
  check(cl_.EnqueueReadBuffer(downloads_.get(), from.get(), CL_FALSE, offset, bytes, to, on.count,
                              on.list(), &done),
        "clEnqueueReadBuffer");
  return event_of(done);
}

void device::set_argument(const kernel& to, cl_uint index, const memory& value) const {
  const cl_mem handle = value.get();
  check(cl_.SetKernelArg(to.get(), index, sizeof handle, &handle), "clSetKernelArg");
}

event device::enqueue(const kernel& what, std::size_t items, std::initializer_list<event> after) {
  const waits on(after);
  const std::size_t group = 1;
  cl_event done = nullptr;
  check(cl_.EnqueueNDRangeKernel(kernels_.get(), what.get(), 1, nullptr, &items, &group, on.count,
                                 on.list(), &done),
        "clEnqueueNDRangeKernel");
  return event_of(done);
}

void device::flush() {
  for (const auto* queue : {&uploads_, &kernels_, &downloads_})
    check(cl_.Flush(queue->get()), "clFlush");
}

void device::wait(const event& done) const {
  const cl_event handle = done.get();
  if (handle != nullptr) check(cl_.WaitForEvents(1, &handle), "clWaitForEvents");
}

void device::finish() {
  for (const auto* queue : {&uploads_, &kernels_, &downloads_})
    check(cl_.Finish(queue->get()), "clFinish");
}

void device::check(cl_int code, const char* call) const {
  if (code != CL_SUCCESS)
    throw std::runtime_error(name_ + ": " + call + " failed with code " + std::to_string(code));
}

namespace {

std::vector<cl_device_id> all_devices(const library& cl) {
  cl_uint count = 0;
  if (cl.GetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_platform_id> platforms(count);
  cl.GetPlatformIDs(count, platforms.data(), nullptr);
  std::vector<cl_device_id> all;
  for (const cl_platform_id platform : platforms) {
    if (cl.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) continue;
    std::vector<cl_device_id> own(count);
    cl.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, own.data(), nullptr);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

}  // namespace

device_list named(std::string_view list) {
  device_list chosen;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string name(list.substr(begin, end - begin));
    begin = end + 1;
    if (!name.starts_with("opencl")) continue;
    std::string why;
    const library* cl = pappus::devices::opencl::load_library(&why);
    const auto present = cl ? all_devices(*cl) : std::vector<cl_device_id>();
    bool found = false;
    for (std::size_t i = 0; i < present.size(); ++i) {
      const std::string own = "opencl:" + std::to_string(i);
      if (name != "opencl" && name != own) continue;
      chosen.push_back(std::make_unique<device>(*cl, present[i], own));
      found = true;
    }
    if (!found)
      throw std::runtime_error("bench: expected an OpenCL device, got \"" + name +
                               "\"; there are " + std::to_string(present.size()) +
                               (why.empty() ? "" : ": " + why));
  }
  return chosen;
}

bool are_processors(const device_list& all) {
  return !all.empty() && std::ranges::all_of(all, [](const auto& d) { return d->in_place(); });
}

std::string names_of(const device_list& all) {
  std::string names;
  for (const auto& device : all) names += (names.empty() ? "" : ",") + device->name();
  return names;
}

streamed_input::streamed_input(device& on, const void* rows, std::size_t row_bytes, std::int64_t n,
                               std::int64_t chunk_rows, bool resident)
    : on_(on),
      rows_(static_cast<const std::byte*>(rows)),
      row_bytes_(row_bytes),
      n_(n),
      chunk_rows_(std::min(chunk_rows, n)),
      stays_(resident || on.in_place()) {
  slots_.resize(static_cast<std::size_t>(stays_ ? chunks() : std::min<std::int64_t>(2, chunks())));
  for (std::int64_t i = 0; i < std::ssize(slots_); ++i)
    slot_of(i).data = on_.in_place()
                          ? on_.wrap(host(i), bytes_of(i))
                          : on_.allocate(static_cast<std::size_t>(chunk_rows_) * row_bytes);
  if (!resident || on_.in_place()) return;
  for (std::int64_t i = 0; i < chunks(); ++i) write(i);
  on_.finish();
}

event streamed_input::write(std::int64_t i) {
  slot& s = slot_of(i);
  return on_.write(s.data, 0, host(i), bytes_of(i), {s.used});
}

streamed_input::chunk streamed_input::upload(std::int64_t i) {
  event ready = stays_ ? nullptr : write(i);
  return {&slot_of(i).data, i * chunk_rows_, rows_of(i), std::move(ready)};
}

void streamed_input::used(std::int64_t i, event until) { slot_of(i).used = std::move(until); }

streamed_output::streamed_output(device& on, void* rows, std::size_t row_bytes, std::int64_t n,
                                 std::int64_t chunk_rows)
    : on_(on),
      rows_(static_cast<std::byte*>(rows)),
      bytes_(static_cast<std::size_t>(n) * row_bytes),
      chunk_bytes_(static_cast<std::size_t>(std::min(chunk_rows, n)) * row_bytes) {
  if (!on_.in_place()) {
    for (int i = 0; i < 2; ++i) rooms_.push_back(on_.allocate(chunk_bytes_));
  } else {
    for (std::size_t at = 0; at < bytes_; at += chunk_bytes_)
      rooms_.push_back(on_.wrap(rows_ + at, std::min(chunk_bytes_, bytes_ - at)));
  }
  delivered_.resize(rooms_.size());
}

void streamed_output::deliver(std::int64_t i, const event& computed) {
  const std::size_t at = static_cast<std::size_t>(i) * chunk_bytes_;
  delivered_[slot_of(i)] =
      on_.read(room(i), 0, rows_ + at, std::min(chunk_bytes_, bytes_ - at), {computed});
}

}  // namespace pappus::bench::opencl
