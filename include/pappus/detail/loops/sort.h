// The typed loops of sorting: they write records' keys as bits (detail/base/keys.h), and beside
// each key what moves with it.
//
// Neighbouring keys are joined into parts of at most 16 bytes; a string is a part of its own. One
// part is the rule: it is sorted once, stably. More parts are sorted one after the other, the least
// significant first.
//
// What moves with a key depends on the record: nothing if the key's bits tell the whole record; the
// record itself if it has up to 16 bytes; else its address, and records are moved once, at the end.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <new>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "pappus/detail/base/keys.h"
#include "pappus/detail/base/request.h"
#include "pappus/detail/fuse/expression.h"

namespace pappus::detail {

/// Writes the key part that is sorted by first for each row of a block, as bits or as
/// std::string_view, and to `payload` what moves with the key.
using key_loop = void (*)(const void* element, const block_args& args, std::byte* keys,
                          std::byte* payload);
/// Writes a key part of n records, given by their addresses, as bits or as std::string_view.
using rekey_loop = void (*)(const void* element, const std::byte* const* records, std::int64_t n,
                            std::byte* keys);

/// One stable sort by a part of the keys.
struct sort_pass {
  std::size_t key_bytes = 0;  ///< 4, 8 or 16; 0: the keys are strings
  bool descending = false;    ///< for strings; bits are complemented instead
  rekey_loop keys = nullptr;  ///< writes this part's keys of records; start does for rows
};

/// What is moved: keys alone, keys and records, or keys and records' addresses.
enum class sort_moves : std::uint8_t { keys, records, addresses };

struct sort_params : op_params {
  sort_moves moves = sort_moves::addresses;
  std::size_t payload_bytes = 0;  ///< 0, 4, 8 or 16
  key_loop start = nullptr;       ///< keys of the first pass
  std::vector<sort_pass> passes;  ///< least significant part first; one unless addresses move
  /// For sort_moves::keys: `integers` says that the records are integers of 4 or 8 bytes, whose
  /// order is that of (record ^ flip) as unsigned numbers. `start` then writes the records
  /// themselves; if input_is_keys they lie in the first input, and needn't be written.
  bool integers = false, input_is_keys = false;
  std::uint64_t flip = 0;
  /// For sort_moves::keys without `integers`: turns key bits back into records; in place, if both
  /// have the same size.
  void (*decode)(const std::byte* keys, std::byte* records, std::int64_t n) = nullptr;
};
const graph::operator_entry& sort_operator();

/// A key function and its direction.
template <typename F, bool Descending>
struct directed_key {
  F function;
};
template <typename K>
struct key_direction {
  using function = K;
  static constexpr bool descending = false;
  static const K& of(const K& key) { return key; }
};
template <typename F, bool Descending>
struct key_direction<directed_key<F, Descending>> {
  using function = F;
  static constexpr bool descending = Descending;
  static const F& of(const directed_key<F, Descending>& key) { return key.function; }
};

/// The record as its own key.
struct whole_record {
  static constexpr bool yields_its_argument = true;
  template <typename T>
  const T& operator()(const T& record) const {
    return record;
  }
};

template <typename K, typename T>
using sort_key_of =
    std::remove_cvref_t<std::invoke_result_t<const typename key_direction<K>::function&, const T&>>;

/// Types whose keys can be made from their bits again. Floats can't: -0.0 has the bits of 0.0, and
/// all NaNs have the same.
template <typename K>
inline constexpr bool exact_key = std::is_integral_v<K> || std::is_enum_v<K>;
template <typename A, typename B>
inline constexpr bool exact_key<pair<A, B>> = exact_key<A> && exact_key<B>;
template <typename A, std::size_t N>
inline constexpr bool exact_key<std::array<A, N>> = exact_key<A>;

/// Integers of 4 or 8 bytes, whose key bits are their own with the sign bit flipped, if any.
template <typename K>
inline constexpr bool flat_integer =
    (std::is_integral_v<K> || std::is_enum_v<K>) && (sizeof(K) == 4 || sizeof(K) == 8);

template <key K>
constexpr unsigned key_width() {
  if constexpr (string_key<K>)
    return 0;
  else
    return key_codec<K>::width;
}

/// What a sort computes: an expression and the key functions of its records.
template <typename E, typename... Keys>
struct sort_element {
  using value_type = value_of<E>;
  static constexpr std::size_t key_count = sizeof...(Keys);
  template <std::size_t I>
  using direction = key_direction<std::tuple_element_t<I, std::tuple<Keys...>>>;
  template <std::size_t I>
  using key_type = sort_key_of<std::tuple_element_t<I, std::tuple<Keys...>>, value_type>;

  E expression;
  std::tuple<Keys...> keys;
};

/// A part of a sort's keys: the keys [first, last) of a sort_element.
struct key_part {
  std::size_t first = 0, last = 0;
  unsigned width = 0;  ///< bits; 0: a string
};

/// A sort's keys in parts, the most significant first; `count` entries of `part` are used.
template <typename Element>
struct key_parts {
  static constexpr std::size_t keys = Element::key_count;
  std::array<key_part, keys> part{};
  std::size_t count = 0;

  static constexpr key_parts make() {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      const std::array<unsigned, keys> widths{
          key_width<typename Element::template key_type<I>>()...};
      key_parts parts;
      for (std::size_t i = 0; i < keys; ++i) {
        key_part* open = parts.count == 0 ? nullptr : &parts.part[parts.count - 1];
        const bool joins =
            open != nullptr && open->width != 0 && widths[i] != 0 && open->width + widths[i] <= 128;
        if (!joins) {
          open = &parts.part[parts.count++];
          open->first = i;
        }
        open->last = i + 1;
        open->width += widths[i];
      }
      return parts;
    }(std::make_index_sequence<keys>{});
  }
};

constexpr std::size_t key_bytes_of(unsigned width) {
  return width == 0 ? 0 : width <= 32 ? 4 : width <= 64 ? 8 : 16;
}

/// Computes one part of a record's keys, as it is stored.
template <typename Element, std::size_t Part>
class part_encoder {
  static constexpr key_part part = key_parts<Element>::make().part[Part];
  using word = std::conditional_t<(part.width > 64), wide, std::uint64_t>;

 public:
  using stored = std::conditional_t<
      part.width == 0, std::string_view,
      std::conditional_t<part.width <= 32, std::uint32_t,
                         std::conditional_t<part.width <= 64, std::uint64_t, bits128>>>;

  explicit part_encoder(const Element& element)
      : keys_(make_keys(element, std::make_index_sequence<part.last - part.first>{})) {}

  stored operator()(const typename Element::value_type& record) const {
    if constexpr (part.width == 0) {
      return std::get<0>(keys_)(record);
    } else {
      word bits = 0;
      join<part.first>(bits, record);
      if constexpr (part.width > 64)
        return from_wide(bits);
      else
        return static_cast<stored>(bits);
    }
  }

 private:
  template <std::size_t... I>
  static auto make_keys(const Element& element, std::index_sequence<I...>) {
    return std::tuple{
        bound_function<typename Element::template direction<part.first + I>::function>(
            Element::template direction<part.first + I>::of(
                std::get<part.first + I>(element.keys)))...};
  }

  template <std::size_t I>
  void join(word& bits, const typename Element::value_type& record) const {
    using codec = key_codec<typename Element::template key_type<I>>;
    word own = static_cast<word>(codec::encode(std::get<I - part.first>(keys_)(record)));
    if constexpr (Element::template direction<I>::descending)
      own ^= static_cast<word>(reversed_bits<codec>());
    if constexpr (I == part.first)
      bits = own;
    else
      bits = bits << codec::width | own;
    if constexpr (I + 1 < part.last) join<I + 1>(bits, record);
  }

  decltype(make_keys(std::declval<const Element&>(),
                     std::make_index_sequence<part.last - part.first>{})) keys_;
};

/// Describes a sort key to devices.
/// \param key  the one in the stage's element: references that it captured are read there.
template <typename T, typename F>
void describe_sort_key(const F& key, bool descending, device_writer& to) {
  using K = std::remove_cvref_t<std::invoke_result_t<const F&, const T&>>;
  const auto record = to.begin_key(device_type_of<T>);
  if constexpr (requires { F::of_category; })
    to.refuse("its key has a category, which is sorted by its text", record);
  else
    describe_key<K>(to, describe_function<K, T>(key, to, std::span(&record, 1)), descending);
}

template <typename Element>
PAPPUS_GLUE void describe_sort(const void* element, device_writer& to) {
  using T = typename Element::value_type;
  const auto& self = *static_cast<const Element*>(element);
  describe_records<decltype(Element::expression)>(&self.expression, to);
  std::apply(
      [&](const auto&... key) {
        (describe_sort_key<T>(key_direction<std::remove_cvref_t<decltype(key)>>::of(key),
                              key_direction<std::remove_cvref_t<decltype(key)>>::descending, to),
         ...);
      },
      self.keys);
}

/// \tparam Payload  bytes from one payload to the next.
template <typename Element, std::size_t Part, sort_moves Moves, std::size_t Payload>
void write_keys(const void* element, const block_args& args, std::byte* keys, std::byte* payload) {
  using T = typename Element::value_type;
  const auto& self = *static_cast<const Element*>(element);
  const part_encoder<Element, Part> encode(self);
  using stored = typename part_encoder<Element, Part>::stored;
  const auto bound = self.expression.bind(args);
  auto* const to = reinterpret_cast<stored*>(keys);
  for (std::int64_t i = 0; i < args.rows; ++i) {
    bound.at(i, [&](const auto& value) {
      ::new (static_cast<void*>(to + i)) stored(encode(value));
      std::byte* const beside = payload + static_cast<std::size_t>(i) * Payload;
      if constexpr (Moves == sort_moves::records)
        ::new (static_cast<void*>(beside)) T(value);
      else if constexpr (Moves == sort_moves::addresses)
        ::new (static_cast<void*>(beside)) const void*(&value);
    });
  }
}

template <typename Element>
void write_integers(const void* element, const block_args& args, std::byte* keys, std::byte*) {
  const auto bound = static_cast<const Element*>(element)->expression.bind(args);
  auto* const to = reinterpret_cast<typename Element::value_type*>(keys);
  for (std::int64_t i = 0; i < args.rows; ++i)
    bound.at(i, [&](const auto& value) { to[i] = value; });
}

template <typename Element, std::size_t Part>
void write_keys_of(const void* element, const std::byte* const* records, std::int64_t n,
                   std::byte* keys) {
  using T = typename Element::value_type;
  const part_encoder<Element, Part> encode(*static_cast<const Element*>(element));
  using stored = typename part_encoder<Element, Part>::stored;
  auto* const to = reinterpret_cast<stored*>(keys);
  for (std::int64_t i = 0; i < n; ++i)
    ::new (static_cast<void*>(to + i)) stored(encode(*reinterpret_cast<const T*>(records[i])));
}

template <typename T, bool Descending>
void decode_keys(const std::byte* keys, std::byte* records, std::int64_t n) {
  using codec = key_codec<T>;
  using stored = key_bits<T>;
  using word = std::conditional_t<(codec::width > 64), wide, std::uint64_t>;
  constexpr word flip = Descending ? static_cast<word>(reversed_bits<codec>()) : word{0};
  for (std::int64_t i = 0; i < n; ++i) {
    const stored bits = reinterpret_cast<const stored*>(keys)[i];
    T record = [&] {
      if constexpr (codec::width > 64)
        return codec::decode(to_wide(bits) ^ flip);
      else
        return codec::decode(static_cast<std::uint64_t>(bits ^ flip));
    }();
    ::new (static_cast<void*>(records + static_cast<std::size_t>(i) * sizeof(T))) T(record);
  }
}

template <typename Element>
constexpr sort_moves moves_of() {
  using T = typename Element::value_type;
  if (key_parts<Element>::make().count > 1 || key_parts<Element>::make().part[0].width == 0)
    return sort_moves::addresses;
  if (Element::key_count == 1 &&
      std::is_same_v<typename Element::template direction<0>::function, whole_record> &&
      exact_key<T>)
    return sort_moves::keys;
  return sizeof(T) <= 16 ? sort_moves::records : sort_moves::addresses;
}

constexpr std::size_t payload_bytes_of(sort_moves moves, std::size_t record_bytes) {
  switch (moves) {
    case sort_moves::keys:
      return 0;
    case sort_moves::records:
      return record_bytes <= 4 ? 4 : record_bytes <= 8 ? 8 : 16;
    case sort_moves::addresses:
      break;
  }
  return sizeof(void*);
}

template <typename Element>
PAPPUS_GLUE std::shared_ptr<sort_params> make_sort_params() {
  using T = typename Element::value_type;
  constexpr auto parts = key_parts<Element>::make();
  constexpr auto moves = moves_of<Element>();
  constexpr auto payload = payload_bytes_of(moves, sizeof(T));
  auto params = std::make_shared<sort_params>();
  params->moves = moves;
  params->payload_bytes = payload;
  params->start = write_keys<Element, parts.count - 1, moves, payload>;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto add = [&]<std::size_t Part>(std::integral_constant<std::size_t, Part>) {
      constexpr auto part = parts.part[Part];
      params->passes.push_back({key_bytes_of(part.width),
                                Element::template direction<part.first>::descending,
                                write_keys_of<Element, Part>});
    };
    (add(std::integral_constant<std::size_t, parts.count - 1 - I>{}), ...);
  }(std::make_index_sequence<parts.count>{});
  constexpr bool descending = Element::template direction<0>::descending;
  if constexpr (moves == sort_moves::keys && flat_integer<T>) {
    params->start = write_integers<Element>;
    params->integers = true;
    params->input_is_keys = std::is_same_v<decltype(Element::expression), source<T>>;
    params->flip = key_codec<T>::encode(T{}) ^ (descending ? ~std::uint64_t{0} : 0);
  } else if constexpr (moves == sort_moves::keys) {
    params->decode = decode_keys<T, descending>;
  }
  return params;
}

}  // namespace pappus::detail
