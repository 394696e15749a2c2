// Numbers strings, so that algorithms on key bits can work on the numbers.
//
// Problem: many workers meet the same strings again and again; each distinct one must get one
// number, and a look-up must cost little more than hashing and comparing its bytes.
//
// Idea: 64 tables of open addressing, chosen by the hash. An entry's first word holds hash bits and
// the number and is written last, with release order, so look-ups take no lock. Strings of up to 15
// bytes are in their entries as a whole (text_image.h). A string that isn't
// found is looked for again under its table's lock, then inserted. A table that is half full is
// copied to one twice as large; the old one stays as long as someone may still be reading it, and
// whoever misses a string there finds it under the lock.
//
// Numbers are dense, but which string gets which depends on the workers: only the order that
// sorted() gives may reach a result.
//
// Alternatives: a table a worker, merged afterwards (a second pass over all rows to renumber them);
// 128-bit hashes instead of strings (wrong once in a great while).
//
// Where numbers mustn't take more than some memory, the first strings get them, and all others
// never do.
//
// The bytes belong to the rows that the strings come from, or, where these go before the numbers do
// (windows) or have the bytes in them, each distinct string is copied once.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/text_image.h"
#include "base/memory_scale.h"
#include "base/recent_views.h"
#include "base/text_arena.h"
#include "pappus/detail/base/memory.h"
#include "pappus/detail/base/parallel.h"

namespace pappus::algorithms {

class string_ids {
 public:
  static constexpr std::size_t batch_max = 512;  ///< the most strings of a call of find_or_insert
  static constexpr std::uint32_t none = 0xffffffffu;  ///< no number

  enum class bytes : std::uint8_t { stay, are_copied, of_longer_are_copied };

  /// \param given  whether the strings' bytes stay where they are as long as this; of_longer...:
  ///               nobody asks for those that entries have as a whole
  string_ids(detail::memory_source& memory, std::string_view owner, bytes given = bytes::stay);

  /// No more than so many strings get numbers from now on, nor take more bytes, about. Once there
  /// was no room for one, no other gets a number any more.
  void limit(std::size_t strings, std::size_t bytes);

  /// Numbers of strings that a worker has met, by where their bytes lie, as long as these stay.
  class recent {
   public:
    /// Before bytes change.
    void forget() noexcept {
      if (pays_) numbers_.forget();
    }

   private:
    friend class string_ids;
    const std::uint32_t* find(std::string_view text) const noexcept {
      return pays_ && !text.empty() ? numbers_.find(text) : nullptr;
    }
    void remember(std::string_view text, std::uint32_t number) noexcept {
      if (pays_ && number != none && !text.empty()) numbers_.remember(text, number);
    }
    void note(std::size_t looked_up, std::size_t found) noexcept;

    base::recent_views<std::uint32_t, 7> numbers_;
    std::size_t looked_up_ = 0, found_ = 0;
    bool pays_ = true;
  };

  /// Sets ids[i] to the number of strings[i], n <= batch_max; none: it came when there was no room
  /// for more. Returns how many have no number. Thread-safe, with a `recent` each. Throws
  /// usage_error beyond 2^32 - 1 different strings, and where there is no limit memory_error.
  std::size_t find_or_insert(const std::string_view* strings, std::size_t n, std::uint32_t* ids,
                             recent& known);
  /// The number of one string, as above.
  std::uint32_t find_or_insert(std::string_view string);
  std::uint32_t find_or_insert(std::string_view string, recent& known);

  /// Gives back tables that have been copied to larger ones. No one may look up or insert
  /// meanwhile.
  void drop_old_tables() noexcept;

  /// The number of different strings; their ids are below it.
  std::size_t size() const noexcept { return size_.load(std::memory_order_acquire); }

  /// Writes size() strings by their ids. No one may insert meanwhile.
  void by_id(detail::workers& team, std::string_view* strings) const;
  /// Writes size() strings in ascending order and their ids. No one may insert meanwhile.
  void sorted(detail::workers& team, std::string_view* strings, std::uint32_t* ids) const;

  /// Of tables, and of copies.
  std::size_t held_bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }
  /// The copied bytes, for whoever needs the strings longer than this. No one may insert
  /// afterwards.
  std::vector<detail::buffer> take_copies();

 private:
  struct entry {
    std::atomic<std::uint64_t> word;  // 0: empty; else hash bits above, id + 1 below
    const char* data;
    text_image image;

    std::string_view text() const noexcept { return {data, image.size()}; }
  };
  /// A string that is looked for.
  struct wanted {
    std::string_view text;
    text_image image;
    std::uint64_t hash;
  };
  struct table {
    entry* entries;
    std::size_t mask;
  };
  struct alignas(64) shard {
    std::atomic<const table*> current{nullptr};
    std::mutex lock;
    std::size_t used = 0;
    std::vector<detail::buffer> blocks;  // each a table and its entries; the last is current
    base::text_arena copies{base::scaled<std::size_t>(512),
                            base::scaled(std::size_t{256} << 10)};  // of strings
  };
  static constexpr std::size_t shards = 64;

  static const entry* find(const table* in, const wanted& one);
  std::uint32_t find_or_insert(const wanted& one);
  std::uint32_t insert(shard& where, const wanted& one);
  bool copies(const wanted& one) const noexcept;
  bool has_room_for(const wanted& one) const noexcept;
  void grow(shard& where);

  detail::memory_source* memory_;
  std::string owner_;
  bytes given_;
  std::size_t strings_max_ = none, bytes_max_ = std::numeric_limits<std::size_t>::max();
  bool limited_ = false;
  std::atomic<bool> full_{false};                // nothing more is inserted
  bool all_found_ = false;                       // and all that was can be found without a lock
  std::atomic<std::size_t> size_{0}, bytes_{0};  // without old tables
  std::array<shard, shards> shards_;
};

}  // namespace pappus::algorithms
