// Texts as 16 bytes by which joins look rows up: those of up to 15 bytes as they are (text_code.h),
// of longer ones how many bytes there are and where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pappus/detail/base/bits.h"
#include "pappus/detail/base/hash.h"
#include "pappus/detail/base/hash_string.h"
#include "pappus/detail/base/text_code.h"

namespace pappus::detail {

/// Of a text that lies where it is as long as this is compared or hashed.
class text_key {
 public:
  text_key() = default;
  [[gnu::always_inline]] explicit text_key(std::string_view text) noexcept
      : bits_(text.size() <= text_codes::short_max ? text_codes::of_short(text) : place_of(text)) {}

  bool is_short() const noexcept { return text_codes::is_short(bits_); }
  /// Of a short text its code.
  const bits128& bits() const noexcept { return bits_; }

  /// Each `seed` gives another hash function. As bits of keys are, it is for tables that mix it.
  std::uint64_t hash(std::uint64_t seed) const noexcept {
    return is_short() ? hash_of_short(seed) : hash_string(longer(), seed);
  }
  std::uint64_t hash_of_short(std::uint64_t seed) const noexcept {
    return bits_.lo + mix(bits_.hi, seed);
  }

  friend bool operator==(const text_key& a, const text_key& b) noexcept {
    return a.bits_.lo == b.bits_.lo &&
           (a.bits_.hi == b.bits_.hi || (!a.is_short() && a.longer() == b.longer()));
  }

 private:
  static bits128 place_of(std::string_view text) noexcept {
    return {text.size() << 8 | text_codes::longer, reinterpret_cast<std::uintptr_t>(text.data())};
  }
  std::string_view longer() const noexcept {
    return {reinterpret_cast<const char*>(bits_.hi), bits_.lo >> 8};
  }

  bits128 bits_;
};

}  // namespace pappus::detail
