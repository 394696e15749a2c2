// The parameters of partitioning and apply nodes, without their types.
#pragma once

#include <cstdint>
#include <string>

#include "pappus/detail/base/request.h"

namespace pappus::detail {

enum class partition_kind : std::uint8_t {
  hash,   ///< by a hash of the key
  range,  ///< by the order of keys, into parts of about the same number of rows
};

struct partition_params : op_params {
  write_loop loop = nullptr;  ///< writes the key of each row: its bits, or std::string_view
  std::size_t key_bytes = 8;
  bool strings = false;
  partition_kind kind = partition_kind::hash;
  std::int64_t parts = 1;
  std::string identity;  ///< equal for partitionings that are known to be the same
};
const graph::operator_entry& partition_operator();

/// Where the records that an applied function returns go. Called once for each piece.
struct apply_output {
  /// Returns memory for all `rows` records of the piece.
  std::byte* (*room)(apply_output& self, std::int64_t rows) = nullptr;
};

/// Calls the function with one piece of rows and copies what it returns to `out`.
using apply_loop = void (*)(const void* element, const block_args& piece, apply_output& out);

struct apply_params : op_params {
  apply_loop loop = nullptr;
  std::int64_t pieces = 0;    ///< of about equal length; 0: the input's partitions
  bool shares_input = false;  ///< the partitioning node existed before: other apply()s use it, too
};
const graph::operator_entry& apply_operator();

/// A node whose rows are `rows` put together by partition.
struct partition_node {
  node_ptr node;
  bool existed = false;  ///< an equal partitioning of these rows was asked for before
};
partition_node make_partition(const session_ptr& session, const node_ptr& rows, stage_spec stage,
                              partition_params params);

}  // namespace pappus::detail
