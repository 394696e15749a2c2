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

/// An operator's version for devices. A constant of the program.
class device_operator {
 public:
  virtual ~device_operator() = default;
  /// What it says of a node, whatever device it is; ask() adds what depends on that.
  /// \param on_host  the device runs the user's own loops: no device code is needed.
  virtual ops::answer supports(const graph::node& n, bool on_host) const = 0;
  virtual void run(stage_run& stage) const = 0;
  /// Its program for a node, to tell whether it is built.
  virtual program main_program(const graph::node& n) const = 0;
  virtual kernel_entry main_entry(const graph::node& n) const = 0;
};

/// Whether the device can run the node's stage, and what that takes there.
ops::answer ask(device_session& device, const graph::node& n);

}  // namespace pappus::device_ops
