// A device of OpenCL 1.2 or later.
#pragma once

#include <memory>
#include <optional>

#include "devices/opencl/context.h"
#include "devices/opencl/programs.h"
#include "devices/opencl/staging.h"

namespace pappus::devices::opencl {

class opencl_device final : public device {
 public:
  /// \param name   what users call it: "opencl:0".
  /// \param apart  tests: copies go as if the device's memory weren't the host's
  /// Throws device_error when the driver doesn't even tell what the device is.
  opencl_device(const library& cl, cl_platform_id platform, cl_device_id id, std::string name,
                std::optional<staging_sizes> apart = std::nullopt);

  const properties& about() const noexcept override { return context_.about; }
  std::unique_ptr<buffer> allocate(std::size_t bytes) override;
  std::unique_ptr<buffer> wrap(void* memory, std::size_t bytes) override;
  std::unique_ptr<queue> make_queue() override;
  std::unique_ptr<kernel> build(const kernel_source& source) override;
  bool is_built(const kernel_source& source) const override { return programs_.has(source); }

 private:
  context context_;
  programs programs_{context_};
};

}  // namespace pappus::devices::opencl
