// Rows that are kept, in memory or on a disk: those of `.cache()`, and runs of an operator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
  /// Bytes of the text that is kept with rows [first, first + rows), and some more. Zero where text
  /// stays where it was.
  virtual std::size_t text_bytes(std::int64_t first, std::int64_t rows) const noexcept = 0;
  /// What the rows need, such as text that they point to, wherever they are. Of rows in parts each
  /// part has its own.
  virtual std::span<const std::shared_ptr<const void>> owners() const noexcept = 0;
  /// The sets that its rows are in, one behind the other, each of which goes and comes back by
  /// itself. None: it is one.
  virtual std::span<const std::shared_ptr<kept_rows>> parts() const noexcept { return {}; }
};

/// Keeps rows that nobody needs for a while. May be used by any threads.
class row_store {
 public:
  virtual ~row_store() = default;

  /// Whether rows can go to a disk; else they stay in memory.
  virtual bool spills() = 0;
  /// Bytes that can be had at once: free ones, and those of rows that may go to the disk.
  virtual std::size_t available() = 0;
  /// Keeps rows. Those that can't rest stay in memory as long as they are kept: parts of other
  /// rows, those that the user lent, and fewer than 64 KiB of them.
  virtual std::shared_ptr<kept_rows> keep(detail::rows_ptr rows) = 0;
  /// Keeps rows together with the text that their std::string_views point to, of which it makes a
  /// copy: what had it may go. Nobody else has the set, whose rows lie in one buffer. Throws
  /// memory_error. O(bytes), by all workers.
  virtual std::shared_ptr<kept_rows> keep_with_text(std::shared_ptr<detail::row_set> rows,
                                                    detail::workers& team,
                                                    std::string_view owner) = 0;
  /// Keeps sets that this store keeps as parts of one.
  /// \param missing  what is known of their rows
  virtual std::shared_ptr<kept_rows> in_parts(const detail::record_type& layout,
                                              std::vector<std::shared_ptr<kept_rows>> parts,
                                              detail::missing_counts missing) = 0;

  /// Rows [first, first + rows) of a set that this store keeps, and where they are wanted.
  struct copy {
    std::shared_ptr<kept_rows> of;
    std::int64_t first = 0, rows = 0;
    std::byte* to = nullptr;
    std::byte* text_to = nullptr;  ///< room for text_bytes(), to which the copies will point
  };
  /// Copies records, from memory or the disk, wherever they are; those on the disk stay there.
  /// Throws cancelled, and spill_error: what can't be read is lost then. O(bytes), by all workers.
  virtual void read(std::span<const copy> wanted, detail::workers& team,
                    std::string_view owner) = 0;
  /// The same beside the caller, by one thread. `team` is only asked whether it is to stop.
  virtual std::future<void> read_beside(std::vector<copy> wanted, const detail::workers& team,
                                        std::string owner) = 0;
  /// Somebody will need so many bytes soon: what would have to go to the disk then is written now,
  /// beside the caller. Where that fails, who needs the bytes is told.
  virtual void expect(std::size_t bytes, std::string_view owner) = 0;
};

}  // namespace pappus::graph
