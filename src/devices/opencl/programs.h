// Compiled texts of one device: in this process, and through kernel_cache on disk.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "devices/opencl/context.h"

namespace pappus::devices::opencl {

class programs {
 public:
  explicit programs(context& on) : on_(on) {}
  ~programs();
  programs(const programs&) = delete;
  programs& operator=(const programs&) = delete;

  std::unique_ptr<opencl_kernel> make_kernel(const kernel_source& source);
  bool has(const kernel_source& source) const;

 private:
  cl_program compiled(const kernel_source& source);
  cl_int build(const kernel_source& source, const std::string& text, const std::string& options,
               cl_program& program);
  cl_program from_few_builtins(const kernel_source& source);
  cl_program from_source(const kernel_source& source);
  cl_program from_binary(std::span<const std::byte> binary);
  std::string cache_key(const kernel_source& source) const;
  void store_binary(cl_program program, const std::string& key);
  std::string build_log(cl_program program) const;

  context& on_;
  std::unordered_map<std::string, cl_program> by_text_;
};

}  // namespace pappus::devices::opencl
