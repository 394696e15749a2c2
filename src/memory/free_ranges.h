// Memory that nobody uses for now, by place and by size.
//
// As long as there is plenty, a range is what somebody had, and goes to who wants exactly as much:
// queries that are run again want the same sizes. Where memory is short (merge()) ranges that touch
// become one, and who wants less gets a part of the smallest that is large enough: its pages are
// there, where those of the system would have to be cleared first.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <utility>

namespace pappus::memory {

class free_ranges {
 public:
  struct range {
    std::byte* begin;
    std::size_t bytes;
    std::byte* end() const noexcept { return begin + bytes; }
  };

  /// Adds a range, none of which is free. Throws std::bad_alloc, and hasn't added it then.
  /// O(log n).
  void add(range more);
  /// Takes so many bytes. Null: there are none in one piece.
  /// \param alignment  of a part of a range, which is cut from its front then; 1: from its end, so
  ///                   that what is left begins where it did. Powers of two.
  std::byte* take(std::size_t bytes, std::size_t alignment) noexcept;
  /// Takes the smallest range whole. There is one.
  range take_smallest() noexcept { return remove(by_size_.begin()); }
  /// From now on ranges that touch are one, and may be taken in part. O(n log n) the first time.
  void merge() noexcept;

  bool empty() const noexcept { return by_size_.empty(); }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  using places = std::map<std::byte*, std::size_t>;
  using sizes = std::set<std::pair<std::size_t, std::byte*>>;
  range remove(sizes::iterator which) noexcept;
  places::iterator insert(range more);
  void cut(sizes::iterator which, range taken);
  void resize(places::iterator which, std::size_t bytes) noexcept;
  void merge_with_next(places::iterator which) noexcept;

  bool merges_ = false;
  std::size_t bytes_ = 0;
  places by_place_;
  sizes by_size_;  // the same
};

}  // namespace pappus::memory
