// The messages of a file or stream of Arrow's IPC format: where the buffers of its columns lie.
//
// Bodies aren't read here. Arrow's own reader would read batches as a whole, however many rows they
// have, and decompress them before any of their rows is there; with their places known, columns
// come some rows at a time (ipc_column.h).
#pragma once

#include <arrow/memory_pool.h>
#include <arrow/type.h>
#include <arrow/util/compression.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "formats/arrow/arrow_library.h"

namespace pappus::formats {

struct ipc_buffer {
  std::int64_t offset = 0, bytes = 0;  ///< in the file
};

struct ipc_node {
  std::int64_t rows = 0, nulls = 0;
};

/// Columns of some rows. Those of nested types have several nodes.
struct ipc_batch {
  std::int64_t rows = 0;
  std::vector<ipc_node> nodes;
  std::vector<ipc_buffer> buffers;
  std::vector<std::int64_t> view_buffers;  ///< how many each column of views has for its texts
  arrow::Compression::type codec = arrow::Compression::UNCOMPRESSED;
  std::size_t dictionaries = 0;  ///< so many come before it
};

/// Values that columns have numbers of.
struct ipc_dictionary {
  std::int64_t id = 0;
  bool adds = false;  ///< to those before, whose place it takes otherwise
  ipc_batch values;
};

struct ipc_messages {
  std::shared_ptr<arrow::Schema> schema;
  std::vector<std::int64_t> ids;  ///< of each column's, or its lists', dictionary; -1: it has none
  bool stream = false;      ///< of messages in order; in a file batches may lie before dictionaries
  bool old_unions = false;  ///< which have a buffer more
  std::vector<ipc_batch> batches;
  std::vector<ipc_dictionary> dictionaries;
};

/// Throws arrow_problem, and what the source and the memory throw.
ipc_messages read_ipc_messages(const byte_source& source, arrow::MemoryPool& pool);

}  // namespace pappus::formats
