// What an operator is, whoever runs it: how many rows it yields, what it reads and writes, and what
// planning has to know of it besides.
//
// An entry is a constant of the program, in ops/; each node refers to its own. It is pure:
// its implementations, for the CPU and for devices, are named here and defined where they are at
// home (cpu_ops/, device_ops/). They are asked for by node, because a call of an annotated library
// function brings implementations of its own.
//
// Traits answer what passes ask, so that no pass needs to know an operator by name.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "graph/node.h"
#include "pappus/detail/base/chunks.h"

namespace pappus::detail {
struct loop_params;
}
namespace pappus::cpu_ops {
struct cpu_operator;  // defined in cpu_ops/contract.h
}
namespace pappus::device_ops {
class device_operator;  // defined in device_ops/contract.h
}

namespace pappus::graph {

/// Bytes an operator moves and holds, for admission, explain and cost.
struct traffic {
  double read = 0, written = 0;  ///< to and from memory
  double output = 0;             ///< of its result
  double scratch = 0;            ///< held besides, at the same time
};

/// Who runs an operator. Nobody: rows_of() has its rows, or the file that run/ reads. The CPU can
/// run whatever devices can: it takes their place when they fail.
struct implementations {
  const cpu_ops::cpu_operator* cpu = nullptr;
  const device_ops::device_operator* devices = nullptr;
};

/// What an operator makes of the records that its stage's functions yield: which element function a
/// device needs.
enum class element_use : std::uint8_t {
  none,     ///< nothing that devices could
  records,  ///< takes them one by one
  fold,     ///< reduces all of them: its parameters are fold_params
  group,    ///< reduces those of each key: its parameters are group_params
};

/// A table with a place for each of the keys 0, ..., keys - 1, which the user named.
struct domain_table {
  std::int64_t keys = -1;  ///< -1: there is none
  double key_bytes = 0;
};

class operator_entry {
 public:
  virtual ~operator_entry() = default;

  /// Rows of the output, given the stage's input rows.
  virtual bound output_rows(const node& n, const bound& input) const = 0;
  /// Bytes, given the rows that go in and come out: bounds where that is all there is.
  virtual traffic bytes(const node& n, double rows_in, double rows_out) const = 0;
  virtual implementations run_by(const node&) const { return {}; }

  /// Of operators that nobody runs: the rows they stand for. Null: those of a file.
  virtual detail::rows_ptr rows_of(const node&,
                                   std::span<const detail::rows_ptr> /*inputs*/) const {
    return nullptr;
  }

  /// What it computes for each row, besides the stage's functions, in simple instructions
  /// (machine::core_gops: 5 of them a nanosecond). Figures of ops/ are from bench/results, times of
  /// two cores of an AMD EPYC (Zen 5), or CPU times of programs on it.
  virtual double row_work(const node&) const { return 0; }
  /// Whether the stage's description for devices names all functions that it calls.
  virtual bool describes_its_functions() const { return true; }
  /// Which element function devices need.
  virtual element_use uses_elements() const { return element_use::none; }
  /// A chain of element-wise operators that ends in it is named by those alone.
  virtual bool is_named_by_its_chain() const { return false; }
  /// What users call it, in messages, where its node's name doesn't say. Empty: it does.
  virtual std::string_view user_name() const { return {}; }
  /// What the user should know of it, for explain. Empty: nothing.
  virtual std::string note(const node&) const { return {}; }

  // Rows.
  /// Several inputs are put one after the other; else rows are read from all in step.
  virtual bool adds_its_inputs() const { return false; }
  /// It yields one row, an index of its input's.
  virtual bool is_join_index() const { return false; }
  virtual domain_table domain_of(const node&) const { return {}; }

  // Windows.
  /// Its input may come window by window, wherever windows end.
  virtual bool takes_windows(const node&) const { return false; }
  /// It may hand its own rows to this reader window by window, where it gets them so.
  virtual bool passes_windows_to(const node& /*reader*/) const { return false; }
  /// Of those that take windows: the result may be certain before the last one.
  virtual bool may_stop_early(const node&) const { return false; }

  // What planning and running treat by itself.
  virtual const detail::file_params* file_of(const node&) const { return nullptr; }
  virtual const detail::slice_params* slice_of(const node&) const { return nullptr; }
  virtual const detail::loop_params* loop_of(const node&) const { return nullptr; }
  /// The state of a do_while, in its body.
  virtual bool is_loop_state() const { return false; }
};

/// Whether somebody runs it: it isn't just a name for rows.
inline bool is_run(const node& n) { return n.op->run_by(n).cpu != nullptr; }

}  // namespace pappus::graph
