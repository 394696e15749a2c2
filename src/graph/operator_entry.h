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
  double read = 0, written = 0;  ///< from and to memory
  double output = 0;             ///< of its result
  double scratch = 0;            ///< held while it runs, besides input and output
  double spillable = 0;          ///< scratch that it can do without where rows can go to a disk
  double shrinks = 0;            ///< scratch of which it takes less where memory is short
};

/// An operator's versions. Both null: nothing is run; its rows are those of rows_of(), or run/
/// reads them from a file. Whatever devices can run the CPU can, too: it takes their place when
/// they fail.
struct implementations {
  const cpu_ops::cpu_operator* cpu = nullptr;
  const device_ops::device_operator* devices = nullptr;
};

/// What an operator makes of the records that its stage's functions yield: which element function a
/// device needs.
enum class element_use : std::uint8_t {
  none,     ///< the operator has no device version
  records,  ///< takes the records one by one
  fold,     ///< reduces all of them: its parameters are fold_params
  group,    ///< reduces those of each key: its parameters are group_params
};

/// The table of a group_by with domain{keys}: a place for each of the keys 0, ..., keys - 1.
struct domain_table {
  std::int64_t keys = -1;  ///< -1: there is no such table
  double key_bytes = 0;    ///< of a key's state and its record in the result
};

/// What a stage in a loop's body keeps from one iteration for the next.
struct kept_in_loop {
  std::string_view what{};
  double bytes = 0;            ///< about; 0: nothing
  bool needs_outside = false;  ///< only where its input doesn't depend on the loop's state
};

/// Memory that an operator takes for a window.
struct window_memory {
  double row = 0;     ///< bytes a row, its output included if kept is 0; 0: any windows do
  double widest = 0;  ///< of these, bytes in one buffer
  double worker = 0;  ///< bytes a worker
  double kept = 0;    ///< bytes a row that it keeps until it has had all; 0: a record of its output
  bool text = false;  ///< besides, copies of the text of its rows, whatever its output has
  bool wants_all_rows() const noexcept { return row > 0; }
};

class operator_entry {
 public:
  virtual ~operator_entry() = default;

  /// Rows of the output, given the stage's input rows.
  virtual bound output_rows(const node& n, const bound& input) const = 0;
  /// Its traffic, given how many rows go in and come out, or bounds of these.
  virtual traffic bytes(const node& n, double rows_in, double rows_out) const = 0;
  /// Bytes that it holds, while it runs, for each row of one of its sides.
  virtual double scratch_of_side_row(const node&, std::size_t /*side*/) const { return 0; }
  virtual implementations run_by(const node&) const { return {}; }

  /// For operators without versions: the rows they stand for. Null: those of a file.
  virtual detail::rows_ptr rows_of(const node&,
                                   std::span<const detail::rows_ptr> /*inputs*/) const {
    return nullptr;
  }

  /// What it computes for each row, besides the stage's functions, in simple instructions
  /// (machine::core_gops: 5 of them a nanosecond). Figures of ops/ are from bench/results, times of
  /// two cores of an AMD EPYC (Zen 5), or CPU times of programs on it.
  virtual double row_work(const node&) const { return 0; }
  /// The same for all rows. Fewer come out than otherwise where the stage has a limit.
  virtual double work(const node& n, double rows_in, double /*rows_out*/) const {
    return row_work(n) * rows_in;
  }
  /// Whether the stage's description for devices names all functions that it calls.
  virtual bool describes_its_functions() const { return true; }
  /// Which element function devices need.
  virtual element_use uses_elements() const { return element_use::none; }
  /// A chain that ends in it is named without it: "map·filter", not "map·filter·collect".
  virtual bool is_named_by_its_chain() const { return false; }
  /// What messages call it. Empty: by its node's name.
  virtual std::string_view user_name() const { return {}; }
  /// What explain tells the user about the node. Empty: nothing.
  virtual std::string note(const node&) const { return {}; }

  // Rows.
  /// Its rows are those of its inputs, one input after the other. Else inputs are read in step: row
  /// i of each together.
  virtual bool adds_its_inputs() const { return false; }
  /// It yields one row, which points to an index of its input's keys.
  virtual bool is_join_index() const { return false; }
  /// Its first rows may take less time than all of them (run_context::limit).
  virtual bool takes_limit(const node&) const { return false; }
  virtual domain_table domain_of(const node&) const { return {}; }
  /// A node of the same rows that needs none of its sides in memory as a whole, but more time.
  virtual node_ptr without_whole_sides(const node&) const { return nullptr; }

  // Windows.
  /// Its input may come window by window, wherever windows end.
  virtual bool takes_windows(const node&) const { return false; }
  /// Of an operator that needs all rows before it can yield any, and sends them to the disk where
  /// memory is short: what it holds while it handles a window. Its windows are as long as memory
  /// allows.
  virtual window_memory holds_of_window(const node&) const { return {}; }
  /// Where it gets its input window by window, it may hand its rows on to one reader so, too.
  virtual bool passes_windows_on(const node&) const { return false; }
  /// Its version for the CPU looks at records of its input only while a loop is at their block, so
  /// that they needn't lie in memory (row_set::maker()).
  virtual bool reads_block_by_block(const node&) const { return false; }
  /// Whether the rows that it makes of a window depend on nothing but that and its place.
  virtual bool depends_on_window_alone(const node&) const { return false; }
  /// Where it gets its input window by window: the text that records of a window point to has to
  /// stay in memory until it has had all.
  virtual bool keeps_text(const node&) const { return false; }
  /// It takes all its windows before it yields its first.
  virtual bool yields_windows(const node& n) const { return holds_of_window(n).wants_all_rows(); }
  /// Its result may be certain before the last window: first(), take(n).
  virtual bool may_stop_early(const node&) const { return false; }

  // What planning and running treat by itself.
  virtual const detail::file_params* file_of(const node&) const { return nullptr; }
  virtual const detail::slice_params* slice_of(const node&) const { return nullptr; }
  virtual const detail::loop_params* loop_of(const node&) const { return nullptr; }
  virtual kept_in_loop kept(const node&, double /*rows_in*/) const { return {}; }
  /// The state of a do_while, in its body.
  virtual bool is_loop_state() const { return false; }
};

/// Whether the node's operator is run, and isn't just a name for rows, such as those of a file.
inline bool is_run(const node& n) { return n.op->run_by(n).cpu != nullptr; }

}  // namespace pappus::graph
