// Partitioning and apply once their types are erased.
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

/// Where an applied function's results go.
struct apply_output {
  std::byte* (*room)(apply_output& self, std::int64_t rows) = nullptr;  ///< called once a piece
};

/// Calls the function with one piece of rows.
using apply_loop = void (*)(const void* element, const block_args& piece, apply_output& out);

struct apply_params : op_params {
  apply_loop loop = nullptr;
  std::int64_t pieces = 0;    ///< > 0: even pieces; 0: the partitions of the input
  bool shares_input = false;  ///< the partitioning had been asked for before
};
const graph::operator_entry& apply_operator();

/// The node of `rows` put together by partition: an existing one where there is one.
struct partition_node {
  node_ptr node;
  bool existed = false;
};
partition_node make_partition(const session_ptr& session, const node_ptr& rows, stage_spec stage,
                              partition_params params);

}  // namespace pappus::detail
