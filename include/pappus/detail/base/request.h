// How the public templates ask for graph nodes, and how results come back.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pappus/detail/base/chunks.h"
#include "pappus/detail/base/columns.h"
#include "pappus/detail/base/parallel.h"
#include "pappus/detail/base/partition.h"
#include "pappus/detail/base/stage.h"

namespace pappus::formats {
class reader;  // defined in src/formats/
}
namespace pappus::graph {
class operator_entry;  // what an operator is; defined in src/graph/
}

namespace pappus::detail {

class session_core;  // defined in src/session/
using session_ptr = std::shared_ptr<session_core>;

/// The base of operators' parameters: what an operator needs beyond its stage. After each struct of
/// parameters the operator's entry is declared; it is defined in src/ops/.
struct op_params {
  virtual ~op_params() = default;
};
using params_ptr = std::shared_ptr<const op_params>;

/// For a fused stage whose records are written to memory.
struct write_params : op_params {
  write_loop loop = nullptr;
};
const graph::operator_entry& materialise_operator();

/// Loops of a reduction behind a join, for left records in the order of the index's regions.
struct region_loops {
  /// Puts the left records of a block's rows into partitions, by the top bits of their keys'
  /// hash() without a seed. Null: their order matters, or they can't be told apart from the rest.
  void (*partition)(const void* element, const block_args& args, partition_buffers& to) = nullptr;
  fold_loop loop = nullptr;             ///< of `element`
  std::shared_ptr<const void> element;  ///< the stage's, with left records as its one input
  std::size_t left_bytes = 0;           ///< of a left record
  int side = 0;                         ///< the index's
  bool gathers = false;                 ///< the next side's rows are read
};

/// A reduction that only counts records.
struct counted_records {
  /// For each count, where in a record of the only input the byte lies that says which records
  /// count; 0: all do.
  std::vector<std::size_t> presences;
  /// Adds counts to a leaf's state. Null: it does more.
  void (*add)(const std::int64_t* counts, std::byte* state) = nullptr;
};

/// Reducers with states of as many bytes and more have longer leaves.
inline constexpr std::size_t large_fold_state = 4096;

/// For a fused stage that is reduced to one record.
struct fold_params : op_params {
  fold_loop loop = nullptr;
  reduce_kernel reducer;
  /// With `accumulate` in place of `loop` where functions are slow: writes the values that are to
  /// be reduced; out_rows needn't have room at first.
  write_loop values = nullptr;
  std::size_t value_bytes = 0;
  /// Accumulates n such values. lanes[i] is the lane of value i; null: values take the lanes in
  /// turn.
  void (*accumulate)(const std::byte* values, const std::uint8_t* lanes, std::int64_t n,
                     std::byte* state) = nullptr;
  region_loops by_region;
  counted_records counted;
};
const graph::operator_entry& fold_operator();

/// For a fused stage whose records are handed to the caller, some at a time.
struct deliver_params : write_params {
  /// Takes n records; called on the query's own thread, in row order.
  std::function<void(workers& team, const std::byte* records, std::int64_t n)> take;
};
const graph::operator_entry& deliver_operator();

struct slice_params : op_params {
  std::int64_t skip = 0, take = 0;  ///< rows; may be more than the input has
};
const graph::operator_entry& slice_operator();
const graph::operator_entry& concat_operator();

/// For rows in memory: those of a std range or span, copied or borrowed.
struct memory_params : op_params {
  rows_ptr rows;
  bool borrowed = false;
};
const graph::operator_entry& memory_operator();

struct file_params : op_params {
  std::string path;                ///< as errors and explain show it
  std::vector<std::string> files;  ///< what it stands for
  std::int64_t rows = -1;          ///< -1: the file's header and size don't tell
  double bytes = 0;                ///< of the file
  double text_bytes = 0;           ///< that are parsed; of a compressed file about
  bool text_bytes_known = true;
  std::vector<column_binding> columns;  ///< that are bound
  bool tells_ranges = false;  ///< of the values of some rows at a time, which may be left out
  std::function<std::shared_ptr<formats::reader>(memory_source&, const looked_at&)> open;
};
const graph::operator_entry& file_operator();

struct node_request {
  const graph::operator_entry& op;
  std::string name;  ///< shown by explain: "sum", "sort_by"
  record_type out;
  stage_spec stage;
  params_ptr params;
};

/// Adds a node to the session's graph. Throws usage_error when the session has ended or an input
/// belongs to another session.
node_ptr make_node(const session_ptr& session, node_request request);

/// n as a number of rows of session::range(). Throws usage_error if n is 2^63 or more.
std::int64_t range_rows(std::uint64_t n);

/// Throws usage_error unless `data` is aligned to `align` bytes, as records of this type are; none
/// (`rows` is 0) may lie anywhere.
void check_borrowed(const void* data, std::size_t rows, std::size_t align, std::string_view record);

/// Throws usage_error saying that session::range()'s type can't hold both ends.
[[noreturn]] void refuse_range(const std::string& begin, const std::string& end,
                               std::string_view type);

/// A new id for one call of an operator in the user's program.
std::uint64_t next_op_id() noexcept;

/// Runs what `roots` need, sharing common nodes, and returns their rows. Blocks. Throws what the
/// operators and lambdas throw.
std::vector<rows_ptr> evaluate(const session_ptr& session, std::span<const node_ptr> roots);
/// The same for one root, as one contiguous chunk.
rows_ptr evaluate_contiguous(const session_ptr& session, const node_ptr& root);

/// A node of the same rows that is cached: it keeps them when they are next computed.
/// \param others_have_it  true: the user has other handles of `rows`, which aren't to be cached, so
///                        the node is a new one. false: it is `rows` itself.
node_ptr cached_node(const session_ptr& session, const node_ptr& rows, bool others_have_it);

enum class explain_format : std::uint8_t { text, passes, dot, svg };  // svg: of launches
/// Describes graph, plan and tasks without running anything.
std::string explain(const session_ptr& session, const node_ptr& root, explain_format format);
/// Runs the query and describes what happened beside what was predicted.
std::string explain_analyze(const session_ptr& session, const node_ptr& root);

/// A node for the rows of files, one behind the other. Opens each now, so that a wrong path or
/// header is told at once, and reads them when needed. Paths may have * ? [..] in them. `format` is
/// a name such as "csv", or null: told by each path's suffix. Throws format_error, usage_error.
node_ptr open_rows(const session_ptr& session, record_type record, const record_layout& layout,
                   const std::vector<std::string>& paths, const char* format);

/// Runs the request of a deliver node, which calls deliver_params::take. Blocks.
void deliver(const session_ptr& session, node_request request);
/// Runs it and writes the records to a file, which appears when all are written. Blocks.
void deliver_to_file(const session_ptr& session, node_request request, record_layout layout,
                     const std::string& path);

/// Runs it and puts the records behind those of a file, when all are known. Blocks.
void append_to_file(const session_ptr& session, node_request request, record_layout layout,
                    const std::string& path);

/// Writes them to a file for each name that `name_of` gives a record. Blocks.
void deliver_to_files(const session_ptr& session, node_request request, record_layout layout,
                      const std::string& pattern,
                      std::function<void(const std::byte* record, std::string& name)> name_of);

/// The same, but puts the records behind those of the files, when all are known. Blocks.
void append_to_files(const session_ptr& session, node_request request, record_layout layout,
                     const std::string& pattern,
                     std::function<void(const std::byte* record, std::string& name)> name_of);

/// Copies n records into memory charged to the session's budget.
rows_ptr copy_rows(const session_ptr& session, record_type layout, const void* data,
                   std::int64_t n);

}  // namespace pappus::detail
