// What a session keeps in memory and can do without for a while: when memory is short it goes to
// the spill file, and comes back when somebody needs it.
//
// A chunk is bytes with up to two copies, in memory and on the disk. Nobody changes them, so one
// that is on the disk, too, is dropped for nothing. Rows that rest are fragments: so many rows of a
// chunk. A row_set goes on meaning that its rows are in memory: as long as somebody has it, they
// stay there (they are pinned). Arrays lie in sections (sections.h). Who needs more memory than
// there is evicts sections of arrays that no launch waits for, then rows that were used longest
// ago, first what is on the disk already, then other sections; and writes by itself, so that
// whoever doesn't need memory never waits for a disk. Where all of it together wouldn't do, nothing
// is evicted.
//
// Records are moved as bytes. The text that they point to stays where it is, in memory, or is part
// of the chunk (base/text_heap.h).
//
// Locks: one mutex, under which nothing is read, written or acquired. A thread that waits for
// another one's write holds nothing that the disk could need, so waits end.
//
// Not here: the file (spill_file.h), and who keeps which rows (graph/node_table.h).
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/kept_rows.h"
#include "memory/pool.h"
#include "memory/sections.h"
#include "memory/spill_file.h"

namespace pappus::memory {

class stored_rows;

/// Bytes of rows and their text.
struct rows_where {
  std::size_t all = 0, in_memory = 0, on_disk = 0;
  std::size_t stays = 0;    ///< what can't go to a disk
  bool text_stays = false;  ///< the text that rows point to can't, though they can
};

class store final : public graph::row_store, public std::enable_shared_from_this<store> {
 public:
  /// A store of rows in `memory`, which it gives back when that is short. Throws usage_error for
  /// settings::io that can't be right.
  static std::shared_ptr<store> make(std::shared_ptr<pool> memory, const spill_settings& settings);

  bool spills() override { return file_ != nullptr && file_->usable(); }
  std::size_t available() override;
  std::shared_ptr<graph::kept_rows> keep(detail::rows_ptr rows) override;
  std::shared_ptr<graph::kept_rows> keep_with_text(std::shared_ptr<detail::row_set> rows,
                                                   detail::workers& team,
                                                   std::string_view owner) override;
  void read(std::span<const copy> wanted, detail::workers& team, std::string_view owner) override;
  std::future<void> read_beside(std::vector<copy> wanted, const detail::workers& team,
                                std::string owner) override;
  std::shared_ptr<graph::kept_rows> in_parts(const detail::record_type& layout,
                                             std::vector<std::shared_ptr<graph::kept_rows>> parts,
                                             detail::missing_counts missing) override;
  void expect(std::size_t bytes, std::string_view owner) override;

  /// Where arrays lie, whose memory is given back, too.
  const std::shared_ptr<sections>& arrays() const noexcept { return arrays_; }

  /// What will become of rows that are to be kept: "in a spill file in /var/tmp where memory is
  /// short".
  std::string about_rows_to_come();
  /// The same of rows that are kept: "80 MiB in memory, ...".
  std::string about(const rows_where& kept) const;

  std::size_t spilled_bytes() const noexcept { return file_ ? file_->written() : 0; }
  std::size_t bytes_read_back() const noexcept { return file_ ? file_->read_back() : 0; }

 private:
  friend class stored_rows;
  store(std::shared_ptr<pool> memory, std::shared_ptr<spill_file> file)
      : memory_(std::move(memory)),
        file_(std::move(file)),
        arrays_(std::make_shared<sections>(memory_, file_)) {}
  /// Called where `bytes` more don't fit. True: something was given back, or somebody else's write
  /// has ended; try again. Throws spill_error where only the disk was in the way.
  bool make_room(std::size_t bytes, std::string_view owner);
  class reading;  // what one call of read() copies
  struct victim;
  struct search;
  victim find_victim(search& why);  // called with mutex_ locked
  void evict(victim& chosen) noexcept;
  void write(victim& chosen, std::string_view owner, std::unique_lock<std::mutex>& lock);
  void write_ahead(const std::string& owner);

  const std::shared_ptr<pool> memory_;
  const std::shared_ptr<spill_file> file_;  // null: nothing goes to a disk
  const std::shared_ptr<sections> arrays_;
  std::mutex mutex_;                 // guards what follows, and all stored_rows
  std::condition_variable changed_;  // a write or a wake has ended
  std::vector<stored_rows*> known_;
  std::uint64_t clock_ = 0;
  std::size_t ahead_ = 0;  // bytes still to be written before somebody needs their place
  bool writing_ahead_ = false;
  std::future<void> writer_;  // ends before all else
};

}  // namespace pappus::memory
