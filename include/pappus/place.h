// Names of the devices that query::on takes.
#pragma once

#include <string>
#include <utility>

namespace pappus {

/// Where a stage may run: q.on(place::cpu()), q.on(place::opencl(1)). A list in text does the same:
/// q.on("opencl:0,opencl:1").
class place {
 public:
  /// \param devices  names with commas between them, as `pappus devices` shows them.
  place(std::string devices) : devices_(std::move(devices)) {}
  place(const char* devices) : devices_(devices) {}

  static place cpu() { return "cpu"; }
  /// One or several OpenCL devices, as Pappus chooses.
  static place opencl() { return "opencl"; }
  /// The OpenCL device of this number.
  static place opencl(unsigned number) { return "opencl:" + std::to_string(number); }
  static place cuda() { return "cuda"; }
  static place cuda(unsigned number) { return "cuda:" + std::to_string(number); }

  const std::string& devices() const noexcept { return devices_; }

 private:
  std::string devices_;
};

}  // namespace pappus
