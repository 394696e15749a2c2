// What a platform and a device say of themselves.
#pragma once

#include <string>

#include "devices/opencl/errors.h"
#include "devices/opencl/library.h"

namespace pappus::devices::opencl {

class asking {
 public:
  asking(const library& cl, cl_platform_id platform, cl_device_id id)
      : cl_(cl), platform_(platform), id_(id) {}

  // Each throws device_error where there is no answer.
  std::string platform_text(cl_platform_info what) const;
  std::string device_text(cl_device_info what) const;
  template <typename T>
  T device(cl_device_info what) const {
    T answer{};
    check(cl_.GetDeviceInfo(id_, what, sizeof answer, &answer, nullptr), what);
    return answer;
  }
  /// False where the device doesn't know the question, as those of extensions that it lacks.
  template <typename T>
  bool device(cl_device_info what, T& answer) const {
    return cl_.GetDeviceInfo(id_, what, sizeof answer, &answer, nullptr) == CL_SUCCESS;
  }

 private:
  static void check(cl_int code, cl_uint what);

  const library& cl_;
  cl_platform_id platform_;
  cl_device_id id_;
};

/// 300 for "OpenCL 3.0 and more"; 0 where there is no number.
unsigned version_number(const std::string& text);

}  // namespace pappus::devices::opencl
