// Keys as bits whose unsigned order is the order of the keys.
//
// Sorts, partitions and hash tables work on 4, 8 or 16 bytes of such bits, once for every key type.
// Values that compare equal get equal bits: -0.0 becomes 0.0 and every NaN the same one, which
// comes after all numbers. Padding never takes part: the fields of composite keys are encoded one
// by one, most significant first. What is missing comes last, its bits those of no value.
// Descending order is the complement, but for the bits that say so: what is missing is last there,
// too.
//
// Strings have no such bits; a query that groups, sorts or joins by strings numbers them first
// (algorithms/strings.h).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "pappus/detail/base/bits.h"
#include "pappus/detail/base/fields.h"

namespace pappus {
template <typename A, typename B>
struct pair;
}

namespace pappus::detail {

/// The most bits of a key: 16 bytes. Types that would need more are no keys.
inline constexpr unsigned key_bits_max = 128;

/// Turns keys of type K into bits (encode) and back (decode). width: how many bits are significant,
/// at most key_bits_max. They are the low bits of a std::uint64_t or, above 64, of a `wide`.
template <typename K>
struct key_codec;

template <typename K>
concept bits_key = requires { key_codec<K>::width; };
template <typename K>
concept string_key = std::is_same_v<K, std::string_view>;
template <typename K>
concept key = bits_key<K> || string_key<K>;

__extension__ typedef unsigned __int128 wide;  // which ISO C++ lacks

constexpr bits128 from_wide(wide w) {
  return {static_cast<std::uint64_t>(w), static_cast<std::uint64_t>(w >> 64)};
}
constexpr wide to_wide(bits128 b) { return static_cast<wide>(b.hi) << 64 | b.lo; }

template <typename K>
  requires std::is_integral_v<K>
struct key_codec<K> {
  static constexpr unsigned width = sizeof(K) * 8;
  using word = std::conditional_t<(sizeof(K) > 8), wide, std::uint64_t>;
  using unsigned_key = std::conditional_t<
      sizeof(K) == 1, std::uint8_t,
      std::conditional_t<sizeof(K) == 2, std::uint16_t,
                         std::conditional_t<sizeof(K) == 4, std::uint32_t, std::uint64_t>>>;
  static constexpr unsigned_key flip =
      std::is_signed_v<K> ? static_cast<unsigned_key>(unsigned_key{1} << (width - 1))
                          : unsigned_key{0};

  static constexpr std::uint64_t encode(const K& key) {
    return static_cast<unsigned_key>(static_cast<unsigned_key>(key) ^ flip);
  }
  static constexpr K decode(std::uint64_t bits) {
    return static_cast<K>(static_cast<unsigned_key>(static_cast<unsigned_key>(bits) ^ flip));
  }
};

template <typename K>
  requires std::is_enum_v<K>
struct key_codec<K> {
  using under = key_codec<std::underlying_type_t<K>>;
  static constexpr unsigned width = under::width;
  static constexpr auto encode(const K& key) {
    return under::encode(static_cast<std::underlying_type_t<K>>(key));
  }
  static constexpr K decode(std::uint64_t bits) { return static_cast<K>(under::decode(bits)); }
};

template <typename K>
  requires(std::is_same_v<K, float> || std::is_same_v<K, double>)
struct key_codec<K> {
  static constexpr unsigned width = sizeof(K) * 8;
  using word = std::conditional_t<sizeof(K) == 4, std::uint32_t, std::uint64_t>;
  static constexpr word sign = word{1} << (width - 1);

  static constexpr std::uint64_t encode(const K& key) {
    const K canonical = key != key ? std::numeric_limits<K>::quiet_NaN() : key + K{0};
    const auto bits = std::bit_cast<word>(canonical);
    const auto negative = static_cast<word>(-(bits >> (width - 1)));  // all ones, or zero
    return static_cast<word>(bits ^ (negative | sign));
  }
  static constexpr K decode(std::uint64_t encoded) {
    const auto bits = static_cast<word>(encoded);
    return std::bit_cast<K>(static_cast<word>(bits & sign ? bits & ~sign : ~bits));
  }
};

/// The bits of a key that descending order complements.
template <typename Codec>
constexpr wide reversed_bits() {
  if constexpr (requires { Codec::reversed; })
    return Codec::reversed;
  else
    return Codec::width < 128 ? (wide{1} << Codec::width) - 1 : ~wide{0};
}

/// A byte that is 1 where the value is missing, above the value's bits. (They are whole bytes, as
/// packed keys take them.)
template <typename T>
  requires requires { key_codec<T>::width; } && (key_codec<T>::width + 8 <= key_bits_max)
struct key_codec<std::optional<T>> {
  using value = key_codec<T>;
  static constexpr unsigned width = value::width + 8;
  static constexpr wide reversed = reversed_bits<value>();
  using word = std::conditional_t<(width > 64), wide, std::uint64_t>;
  static constexpr word missing = word{1} << value::width;

  static constexpr word encode(const std::optional<T>& key) {
    return key ? static_cast<word>(value::encode(*key)) : missing;
  }
  static constexpr std::optional<T> decode(word bits) {
    if ((bits & missing) != 0) return std::nullopt;
    return value::decode(static_cast<decltype(value::encode(std::declval<const T&>()))>(bits));
  }
};

/// Two keys as one, A the most significant. Longer composite keys are chains of these.
template <typename A, typename B>
struct joined_codec {
  static constexpr unsigned width = key_codec<A>::width + key_codec<B>::width;
  static constexpr wide reversed =
      reversed_bits<key_codec<A>>() << key_codec<B>::width | reversed_bits<key_codec<B>>();
  using word = std::conditional_t<(width > 64), wide, std::uint64_t>;

  static constexpr word join(const A& a, const B& b) {
    return static_cast<word>(key_codec<A>::encode(a)) << key_codec<B>::width |
           static_cast<word>(key_codec<B>::encode(b));
  }
  static constexpr wide low_mask = (wide{1} << key_codec<B>::width) - 1;
};

template <bits_key A, bits_key B>
  requires(key_codec<A>::width + key_codec<B>::width <= key_bits_max)
struct key_codec<pair<A, B>> : joined_codec<A, B> {
  using base = joined_codec<A, B>;
  static constexpr auto encode(const pair<A, B>& key) { return base::join(key.first, key.second); }
  static constexpr pair<A, B> decode(typename base::word bits) {
    return {key_codec<A>::decode(bits >> key_codec<B>::width),
            key_codec<B>::decode(bits & static_cast<typename base::word>(base::low_mask))};
  }
};

template <bits_key T, std::size_t N>
  requires(N > 0 && key_codec<T>::width * N <= key_bits_max)
struct key_codec<std::array<T, N>> {
  static constexpr unsigned part = key_codec<T>::width;
  static constexpr unsigned width = part * N;
  static constexpr wide reversed = [] {
    wide bits = 0;
    for (std::size_t i = 0; i < N; ++i) bits |= reversed_bits<key_codec<T>>() << (i * part);
    return bits;
  }();
  using word = std::conditional_t<(width > 64), wide, std::uint64_t>;

  static constexpr word encode(const std::array<T, N>& key) {
    word bits = 0;
    for (const T& element : key) {
      if constexpr (N > 1) bits <<= part;
      bits |= static_cast<word>(key_codec<T>::encode(element));
    }
    return bits;
  }
  static constexpr std::array<T, N> decode(word bits) {
    using element = decltype(key_codec<T>::encode(std::declval<const T&>()));
    std::array<T, N> key{};
    for (std::size_t i = N; i-- > 0;) {
      key[i] = key_codec<T>::decode(static_cast<element>(bits));
      if constexpr (N > 1) bits >>= part;
    }
    return key;
  }
};

template <typename... Fields>
struct field_list {};

template <typename K, std::size_t Count>
auto fields_of()
    -> decltype(visit_fields<Count>(std::declval<const K&>(),
                                    []<typename... F>(const F&...) { return field_list<F...>{}; }));

/// An aggregate of keys is a key, its first field the most significant.
template <typename K, typename Fields>
struct fields_codec {};  // for aggregates with a field that isn't a key, or with too many bits
template <typename K, bits_key... Fields>
  requires((key_codec<Fields>::width + ...) <= key_bits_max)
struct fields_codec<K, field_list<Fields...>> {
  static constexpr unsigned width = (key_codec<Fields>::width + ...);
  static constexpr wide reversed = [] {
    wide bits = 0;
    unsigned above = width;
    ((above -= key_codec<Fields>::width, bits |= reversed_bits<key_codec<Fields>>() << above), ...);
    return bits;
  }();
  using word = std::conditional_t<(width > 64), wide, std::uint64_t>;

  static constexpr word encode(const K& key) {
    return visit_fields<sizeof...(Fields)>(key, [](const Fields&... fields) {
      word bits = 0;
      ((bits = shifted(bits, key_codec<Fields>::width) |
               static_cast<word>(key_codec<Fields>::encode(fields))),
       ...);
      return bits;
    });
  }
  static constexpr K decode(word bits) {
    unsigned above = width;
    return K{[&] {  // elements of a braced list are evaluated first to last
      above -= key_codec<Fields>::width;
      constexpr wide mask = low_bits(key_codec<Fields>::width);
      using part = decltype(key_codec<Fields>::encode(std::declval<const Fields&>()));
      return key_codec<Fields>::decode(static_cast<part>(
          static_cast<word>(above < width ? bits >> above : bits) & static_cast<word>(mask)));
    }()...};
  }

 private:
  static constexpr word shifted(word bits, unsigned by) {
    return by < sizeof(word) * 8 ? bits << by : word{0};  // the first field has nothing before it
  }
  static constexpr wide low_bits(unsigned n) { return n < 128 ? (wide{1} << n) - 1 : ~wide{0}; }
};

template <typename K>
  requires(std::is_class_v<K> && std::is_trivially_copyable_v<K> && field_count<K>() > 0)
struct key_codec<K> : fields_codec<K, decltype(fields_of<K, field_count<K>()>())> {};

/// The type in which a key's bits are stored: the smallest of std::uint32_t, std::uint64_t and
/// bits128 that holds them.
template <bits_key K>
using key_bits =
    std::conditional_t<(key_codec<K>::width <= 32), std::uint32_t,
                       std::conditional_t<(key_codec<K>::width <= 64), std::uint64_t, bits128>>;

template <bits_key K>
constexpr key_bits<K> encode_key(const K& key) {
  if constexpr (key_codec<K>::width > 64)
    return from_wide(key_codec<K>::encode(key));
  else
    return static_cast<key_bits<K>>(key_codec<K>::encode(key));
}

template <bits_key K>
constexpr K decode_key(key_bits<K> bits) {
  if constexpr (key_codec<K>::width > 64)
    return key_codec<K>::decode(to_wide(bits));
  else
    return key_codec<K>::decode(bits);
}

}  // namespace pappus::detail
