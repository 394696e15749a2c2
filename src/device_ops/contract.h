// What an operator's version for devices is; for the CPU's see cpu_ops/contract.h.
//
// A version puts the stage's element function and the operator's text together to a program, and
// has a chunk operator, to which the chunk loop (chunk_loop/) hands the stage's chunks.
#pragma once

#include <string>
#include <string_view>

#include "chunk_loop/chunk_job.h"
#include "chunk_loop/chunk_loop.h"
#include "chunk_loop/collected_rows.h"
#include "graph/operator_entry.h"
#include "ops/answer.h"

namespace pappus::device_ops {

using namespace chunk_loop;  // what operators are made of

/// The program of a stage: its element function and an operator's text.
/// \param defines  "#define" lines before the operator's text.
program stage_program(const graph::node& n, std::string_view operator_path,
                      std::string_view defines = {});

/// An operator's version for devices. A constant of the program.
class device_operator {
 public:
  virtual ~device_operator() = default;
  /// Whether it can run a node and what that takes, as far as that is the same for all devices;
  /// ask() adds what depends on the device.
  /// \param on_host  the device runs the user's typed loops, so no device code is needed.
  virtual ops::answer supports(const graph::node& n, bool on_host) const = 0;
  virtual void run(stage_run& stage) const = 0;
  /// The program and the kernel by which ask() tells whether a node's kernels are built.
  virtual program main_program(const graph::node& n) const = 0;
  virtual kernel_entry main_entry(const graph::node& n) const = 0;
};

/// Whether the device can run the node's stage, and what that takes there.
ops::answer ask(device_session& device, const graph::node& n);

}  // namespace pappus::device_ops
