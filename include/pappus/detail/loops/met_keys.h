// Groups of keys with text in them, found by where the text lies (base/key_place.h).
//
// A row whose key is text takes a code of its bytes, a hash of 16 bytes and a look-up, one whose
// key is a text beside others more. A key that was met before is found by the addresses of its
// texts and by its numbers, which takes a third of that. What costs time is a branch that is
// mispredicted, at each key that isn't where the address says: so the table is large for the few
// keys that it is good for, and remembers them from block to block. Blocks most of whose keys
// haven't been met, as where texts lie apart or groups are many, do without it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "pappus/detail/base/hash.h"
#include "pappus/detail/base/key_place.h"
#include "pappus/detail/base/text_code.h"

namespace pappus::detail {

/// Of rows that belong to one table.
template <typename R, typename Keys>
class met_keys {
  using key = typename Keys::key;
  struct entry {
    key_place<key> place = key_place<key>::none();
    R* state = nullptr;
  };
  /// The last that came first. A power of two is found by a shift.
  struct alignas(std::bit_ceil(2 * sizeof(entry))) set : std::array<entry, 2> {};
  static constexpr std::size_t sets = std::bit_floor((std::size_t{64} << 10) / sizeof(set));

 public:
  explicit met_keys(const group_slots& table) : moves_(table.moves) {}

  /// For one block.
  class finder {
   public:
    finder(met_keys& met, group_slots& table, text_coder& texts)
        : met_(met), state_of_(table), texts_(texts) {
      met_.forget_moved(table);
    }

    /// The state of the group of a record's key, which is inserted if it is new.
    /// \tparam AreFields  whether its texts are known to be fields of the record
    template <bool AreFields, typename Record>
    [[gnu::always_inline]] R& find(const key& of, const Record& record) {
      const key_place<key> place(of);
      set& met = met_.sets_[place.spread() >> (64 - std::countr_zero(sets))];
      if (AreFields || lies_still(of, record)) [[likely]] {
        if (met[0].place == place) [[likely]]
          return *met[0].state;
        if (met[1].place == place) return *met[1].state;
        return look_up(of, place, met);
      }
      return look_up(of);
    }

    /// So many rows had a key that hadn't been met.
    std::int64_t missed() const noexcept { return missed_; }

   private:
    // These are given copies: else each row's key would be in memory, not in registers.
    [[gnu::noinline]] R& look_up(key of, key_place<key> place, set& met) {
      R& state = look_up(of);
      met_.forget_moved(state_of_.table());
      met[1] = met[0];
      met[0] = {place, &state};
      return state;
    }
    [[gnu::noinline]] R& look_up(key of) {
      ++missed_;
      return state_of_(Keys::code(of, texts_));
    }

    met_keys& met_;
    group_finder<R, bits128> state_of_;
    text_coder& texts_;
    std::int64_t missed_ = 0;
  };

 private:
  void forget_moved(const group_slots& table) {
    if (table.moves == moves_) return;
    sets_.fill({});
    moves_ = table.moves;
  }

  std::uint64_t moves_;  // of the table, when all that were met before were forgotten
  std::array<set, sets> sets_{};
};

}  // namespace pappus::detail
