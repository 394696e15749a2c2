// What an operator's version for devices is, beside the CPU's (cpu_ops/contract.h).
//
// It makes a program of the stage's element function and its own text, and a chunk operator, which
// the chunk loop (chunk_loop/) feeds.
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
/// \param defines  "#define" lines before it.
program stage_program(const graph::node& n, std::string_view operator_path,
                      std::string_view defines = {});

/// What an operator says of a node, whatever device it is.
struct support {
  std::string reason;            ///< why a node can't run on a device; empty: it can
  double launches = 1;           ///< per chunk
  double scratch_row_bytes = 0;  ///< device memory besides input and output
};

/// An operator's version for devices. A constant of the program.
class device_operator {
 public:
  virtual ~device_operator() = default;
  /// \param on_host  the device runs the user's own loops: no device code is needed.
  virtual support supports(const graph::node& n, bool on_host) const = 0;
  virtual void run(stage_run& stage) const = 0;
  /// Its program for a node, to tell whether it is built.
  virtual program main_program(const graph::node& n) const = 0;
  virtual kernel_entry main_entry(const graph::node& n) const = 0;
};

/// Whether the device can run the node's stage, and what that takes there.
ops::answer ask(device_session& device, const graph::node& n);

}  // namespace pappus::device_ops
