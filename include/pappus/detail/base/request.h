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

/// What an operator needs beyond its stage: a struct of its own. Beside each stands the operator's
/// entry, which is defined in src/ops/.
struct op_params {
  virtual ~op_params() = default;
};
using params_ptr = std::shared_ptr<const op_params>;

/// A fused stage written to memory.
struct write_params : op_params {
  write_loop loop = nullptr;
};
const graph::operator_entry& materialise_operator();

/// A fused stage reduced to one record.
struct fold_params : op_params {
  fold_loop loop = nullptr;
  reduce_kernel reducer;
  /// Where functions are slow, in place of `loop`: writes the values that are to be reduced. Asks
  /// for room for each.
  write_loop values = nullptr;
  std::size_t value_bytes = 0;
  /// Then accumulates n of them. `lanes` tells the lane of each; null: they take turns.
  void (*accumulate)(const std::byte* values, const std::uint8_t* lanes, std::int64_t n,
                     std::byte* state) = nullptr;
};
const graph::operator_entry& fold_operator();

/// A fused stage handed to the caller run by run.
struct deliver_params : write_params {
  /// Takes n records; called on the query's own thread, in row order.
  std::function<void(workers& team, const std::byte* records, std::int64_t n)> take;
};
const graph::operator_entry& deliver_operator();

struct slice_params : op_params {
  std::int64_t skip = 0, take = 0;  ///< rows; clipped to what there is
};
const graph::operator_entry& slice_operator();
const graph::operator_entry& concat_operator();

/// Rows of a std range or span, copied or borrowed.
struct memory_params : op_params {
  rows_ptr rows;
  bool borrowed = false;
};
const graph::operator_entry& memory_operator();

struct file_params : op_params {
  std::string path;
  std::int64_t rows = -1;  ///< where the file tells; else -1
  double bytes = 0;        ///< of the file
  std::function<std::shared_ptr<formats::reader>(memory_source&)> open;
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

/// The rows of a range of n integers. Throws usage_error when 63 bits can't count them.
std::int64_t range_rows(std::uint64_t n);

/// Throws usage_error where records of this alignment can't lie at `data`.
void check_borrowed(const void* data, std::size_t align, std::string_view record);

/// Throws usage_error: the range's type can't hold both ends.
[[noreturn]] void refuse_range(const std::string& begin, const std::string& end,
                               std::string_view type);

/// A new id for one call of an operator in the user's program.
std::uint64_t next_op_id() noexcept;

/// Runs what `roots` need, sharing common nodes, and returns their rows. Blocks. Throws what the
/// operators and lambdas throw.
std::vector<rows_ptr> evaluate(const session_ptr& session, std::span<const node_ptr> roots);
/// The same for one root, as one contiguous chunk.
rows_ptr evaluate_contiguous(const session_ptr& session, const node_ptr& root);

/// A node of the same rows that keeps them when they are next computed.
/// \param others_have_it  `rows` may have other consumers, whose business that isn't; else it is
///                        `rows` itself.
node_ptr cached_node(const session_ptr& session, const node_ptr& rows, bool others_have_it);

enum class explain_format : std::uint8_t { text, passes, dot };
/// Describes graph, plan and tasks without running anything.
std::string explain(const session_ptr& session, const node_ptr& root, explain_format format);
/// Runs the query and describes what happened beside what was predicted.
std::string explain_analyze(const session_ptr& session, const node_ptr& root);

/// A node for the rows of a file. Opens it now, so that a wrong path or header is told at once, and
/// reads it when needed. `format` is a name such as "csv", or null: told by the path's suffix.
/// Throws format_error, usage_error.
node_ptr open_rows(const session_ptr& session, record_type record, record_layout layout,
                   const std::string& path, const char* format);

/// Runs a deliver node's request. Blocks.
void deliver(const session_ptr& session, node_request request);
/// Runs it with a file as its taker; the file appears when all rows are written.
void deliver_to_file(const session_ptr& session, node_request request, record_layout layout,
                     const std::string& path);

/// Copies n records into memory charged to the session's budget.
rows_ptr copy_rows(const session_ptr& session, record_type layout, const void* data,
                   std::int64_t n);

}  // namespace pappus::detail
