// Rows that `.cache()` keeps, in memory or on a disk.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "pappus/detail/base/chunks.h"
#include "pappus/detail/base/parallel.h"

namespace pappus::graph {

/// May be used by any threads.
class kept_rows {
 public:
  virtual ~kept_rows() = default;

  virtual std::int64_t rows() const noexcept = 0;
  /// The rows, if they are in memory; they stay there as long as somebody has them. Null: they rest
  /// elsewhere. Never waits for a disk.
  virtual detail::rows_ptr in_memory() = 0;
  /// Brings the rows into memory if they aren't there. Throws memory_error, which names `owner`,
  /// and spill_error: they are lost then.
  /// \param for_whom  the query; where it is cancelled meanwhile: cancelled. Null: it can't be.
  virtual detail::rows_ptr wake(std::string_view owner,
                                const detail::workers* for_whom = nullptr) = 0;
  /// They couldn't be read back, and must be computed again.
  virtual bool lost() const noexcept = 0;
  /// Where they are, and where they may go: "80 MiB in memory, ...".
  virtual std::string about() = 0;
};

}  // namespace pappus::graph
