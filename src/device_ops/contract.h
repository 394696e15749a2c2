// What an operator's device version is, beside the CPU's (ops/operator.h).
//
// It makes a program of the stage's element function and its own text, and a chunk operator, which
// the chunk loop (chunk_loop/) feeds.
#pragma once

#include <string>
#include <string_view>

#include "chunk_loop/chunk_job.h"
#include "chunk_loop/chunk_loop.h"
#include "chunk_loop/collected_rows.h"

namespace pappus::device_ops {

using chunk_loop::chunk_job;
using chunk_loop::chunk_operator;
using chunk_loop::collected_rows;
using chunk_loop::device_rows;
using chunk_loop::device_session;
using chunk_loop::kernel_entry;
using chunk_loop::needs_cpu;
using chunk_loop::program;
using chunk_loop::stage_run;

/// The program of a stage: its element function and an operator's text.
/// \param defines  "#define" lines before it.
program stage_program(const graph::node& n, std::string_view operator_path,
                      std::string_view defines = {});

/// What planning asks of an operator.
struct support {
  std::string reason;            ///< why a node can't run on a device; empty: it can
  double launches = 1;           ///< per chunk
  double scratch_row_bytes = 0;  ///< device memory besides input and output
};

/// An operator's device version. One object a kind of operator, see program.cpp.
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

/// Null for operators that only run on the CPU.
const device_operator* find(detail::op_kind kind);

}  // namespace pappus::device_ops
