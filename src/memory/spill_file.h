// Where bytes go that don't fit in memory: one unnamed file, made when it is first needed, in a
// folder on a disk.
//
// The file has no name (O_TMPFILE, else its name is removed at once): nothing of it is left when
// the process ends, however it ends, and two processes can't meet in it. Space is handed out in
// extents of whole 64 KiB, first fit, and asked of the disk before it is written to. Each page of
// 4 KiB has a checksum, which stays in memory. Bytes are copied through aligned buffers of 1 MiB,
// of which eight stay for later calls, so that they can go past the page cache (O_DIRECT), which
// would be a second copy that nobody counts.
//
// Not here: what is written when (store.h).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/transfers.h"
#include "pappus/detail/base/parallel.h"

namespace pappus::memory {

struct spill_settings {
  bool off = false;           ///< nothing goes to a disk
  std::string folder{};       ///< empty: TMPDIR, else /var/tmp, whichever is on a disk
  std::size_t bytes_max = 0;  ///< of the file; 0: half of what is free when it is made
  std::string io{};           ///< PAPPUS_IO
};

/// Why no file can be made in a folder: it is missing, can't be written to, or is in memory itself
/// (tmpfs). Empty: one can.
std::string why_no_spill_folder(const std::string& folder);

/// May be used by any threads. Calls block; none is made with a lock held.
class spill_file : public std::enable_shared_from_this<spill_file> {
 public:
  /// Throws usage_error for settings::io that can't be right.
  explicit spill_file(spill_settings settings);
  ~spill_file();
  spill_file(const spill_file&) = delete;
  spill_file& operator=(const spill_file&) = delete;

  /// Bytes that were written. Whose owner goes gives the space back.
  class extent {
   public:
    ~extent();
    extent(const extent&) = delete;
    extent& operator=(const extent&) = delete;
    std::size_t bytes() const noexcept { return bytes_; }

   private:
    friend class spill_file;
    extent(std::shared_ptr<spill_file> of, std::uint64_t offset, std::size_t bytes)
        : of_(std::move(of)), offset_(offset), bytes_(bytes) {}
    std::shared_ptr<spill_file> of_;
    std::uint64_t offset_;
    std::size_t bytes_;
    std::vector<std::uint32_t> sums_;  // of its pages
  };
  using extent_ptr = std::unique_ptr<const extent>;

  /// Writes the parts one behind the other. Throws spill_error, which names `owner`, who needs the
  /// memory; nothing is taken up then. O(bytes).
  extent_ptr write(std::span<const std::span<const std::byte>> parts, std::string_view owner);
  /// Bytes of an extent, and where they are wanted.
  struct part {
    const extent* from = nullptr;
    std::size_t begin = 0, bytes = 0;
    std::byte* to = nullptr;
  };
  /// Reads the parts, whole pages at a time: at most two more a part than its bytes fill. A page
  /// that isn't what was written is read once more. Throws spill_error.
  /// \param for_whom  the query; where it is cancelled meanwhile: cancelled. Null: it can't be.
  void read(std::span<const part> parts, std::string_view owner,
            const detail::workers* for_whom = nullptr);

  /// False: no folder was named, and none of the usual ones is on a disk.
  bool usable();
  /// The folder of the file, made or to be made.
  std::string folder();
  /// The most bytes that it may have; as far as the disk is asked, now.
  std::size_t capacity();

  std::size_t in_use() const noexcept { return in_use_.load(std::memory_order_relaxed); }
  // Bytes so far.
  std::size_t written() const noexcept { return written_.load(std::memory_order_relaxed); }
  std::size_t read_back() const noexcept { return read_back_.load(std::memory_order_relaxed); }

 private:
  using piece_buffer = std::unique_ptr<std::byte, void (*)(void*)>;
  class pieces;                       // the buffers of one call
  class piece_list;                   // what one call reads, piece by piece
  void choose_folder();               // called with mutex_ locked
  void open(std::string_view owner);  // likewise
  std::size_t limit_in(const std::string& folder) const;
  std::uint64_t take(std::size_t bytes, std::string_view owner);
  void give_back(std::uint64_t offset, std::size_t bytes) noexcept;
  void reserve(std::uint64_t offset, std::size_t bytes, std::string_view owner);
  [[noreturn]] void fail(std::string_view owner, std::string_view what, int problem);
  [[noreturn]] void refuse(const extent& from, std::size_t begin, std::size_t bytes,
                           std::string_view owner);
  /// Checks `n` bytes that were read of the part's extent from its byte `begin` on, where a page
  /// begins, and copies what the part wants of them. False: a page isn't what was written.
  static bool take_over(const part& wanted, std::size_t begin, std::size_t n,
                        const std::byte* bytes);

  const spill_settings settings_;
  io::transfers transfers_;
  std::mutex mutex_;                // guards what follows, but for the atomics
  std::vector<piece_buffer> idle_;  // whose pages the system has cleared before
  bool folder_chosen_ = false;
  std::string folder_;
  int file_ = -1;
  bool direct_ = false;
  std::uint64_t end_ = 0, limit_ = 0;
  std::map<std::uint64_t, std::uint64_t> free_;  // extents below end_: offset, bytes
  std::atomic<std::size_t> in_use_{0}, written_{0}, read_back_{0};
};

}  // namespace pappus::memory
