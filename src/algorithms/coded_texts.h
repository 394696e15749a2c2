// Codes of texts (detail/base/text_code.h) that many workers meet: short texts are their own,
// longer ones are numbered (strings.h).
//
// Where there must not be more different texts than memory has room for, all that were coded so far
// are collected once, and from then on only as many more get codes: others never do.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/strings.h"
#include "pappus/detail/base/memory.h"
#include "pappus/detail/base/parallel.h"
#include "pappus/detail/base/text_code.h"

namespace pappus::algorithms {

using detail::bits128;

class coded_texts {
 public:
  static constexpr std::size_t batch_max = string_ids::batch_max;
  static constexpr bits128 none{0xfe, 0};  ///< no code

  /// \param given  whether the texts' bytes stay where they are as long as this
  coded_texts(detail::memory_source& memory, std::string_view owner, string_ids::bytes given)
      : memory_(&memory), owner_(owner), given_(given), longer_(memory, owner, given) {}

  /// Codes texts for one worker, one at a time or a batch. Must not outlive the coded_texts, and
  /// can't be moved.
  class worker : public detail::text_coder {
   public:
    /// \param stay  whether bytes at a place are the same while there are workers
    worker(coded_texts& of, bool stay);
    worker(const worker&) = delete;
    worker& operator=(const worker&) = delete;
    ~worker();

    /// Sets codes[i] to that of texts[i], n <= batch_max; none: it came when there was no room for
    /// more. Returns how many have none.
    std::size_t codes_of(const std::string_view* texts, std::size_t n, bits128* codes);

   private:
    bits128 code_of_longer(std::string_view text);
    char* room_for(std::size_t bytes);
    void number_longer(const std::string_view* texts, std::size_t n, bits128* codes);
    std::size_t find_seen(const std::string_view* texts, std::size_t n, bits128* codes);

    coded_texts* of_;
    bool stay_;
    string_ids::recent known_longer_, known_;
    std::int64_t rows_longer_ = 0;
    std::unique_ptr<char[]> room_;
    std::size_t room_bytes_ = 0;
  };

  /// No more than so many texts get codes from now on, nor take more bytes, about, those included
  /// that have one. No one may code any meanwhile.
  /// \param for_each_code  (use): calls use(code) for all codes
  template <typename F>
  void limit(std::size_t texts, std::size_t bytes, F&& for_each_code) {
    numbered_ = longer_.size();
    longer_.limit(0, 0);
    using bytes_are = string_ids::bytes;
    seen_ = std::make_unique<string_ids>(
        *memory_, owner_,
        given_ == bytes_are::stay ? bytes_are::stay : bytes_are::of_longer_are_copied);
    for_each_code([&](const bits128& code) {
      std::array<char, 16> room;
      if (detail::text_codes::is_short(code))
        seen_->find_or_insert(detail::text_codes::text(code, room.data()));
    });
    seen_->limit(std::max(texts, numbered_ + seen_->size()) - numbered_, bytes);
  }
  bool limited() const noexcept { return seen_ != nullptr; }
  /// The number of texts that were coded; before there is a limit, of longer ones.
  std::size_t size() const noexcept { return longer_.size() + (seen_ ? seen_->size() : 0); }

  /// Longer texts by number. No one may code any meanwhile.
  detail::buffer longer(detail::workers& team) const;
  /// \param longer  by number
  /// \param room    for 16 bytes, where short ones go
  static std::string_view text_of(const bits128& code, const std::string_view* longer, char* room) {
    return detail::text_codes::is_short(code) ? detail::text_codes::text(code, room)
                                              : longer[detail::text_codes::number(code)];
  }
  /// How often a worker that is gone was asked for one that is longer.
  std::int64_t rows_longer() const noexcept { return rows_longer_.load(); }
  /// Bytes of memory.
  std::size_t bytes() const noexcept {
    return longer_.held_bytes() + (seen_ ? seen_->held_bytes() : 0);
  }

  /// As those of string_ids.
  void drop_old_tables() noexcept;
  std::vector<detail::buffer> take_copies();

 private:
  detail::memory_source* memory_;
  std::string owner_;
  string_ids::bytes given_;
  string_ids longer_;
  // All texts that have a code, but those in longer_, of which there come no more; null: there is
  // no limit. Longer ones here have numbers behind those.
  std::unique_ptr<string_ids> seen_;
  std::size_t numbered_ = 0;  // of those
  std::atomic<std::int64_t> rows_longer_{0};
};

}  // namespace pappus::algorithms
