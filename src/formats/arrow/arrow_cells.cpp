#include "formats/arrow/arrow_cells.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "formats/arrow/arrow_bits.h"
#include "pappus/category.h"

namespace pappus::formats {
namespace {

using detail::cell;

__extension__ using int128 = __int128;

/// Digits of a decimal's integer.
std::string text_of(int128 value) {
  std::string text;
  const bool negative = value < 0;
  for (; value != 0 || text.empty(); value /= 10)
    text.insert(text.begin(), static_cast<char>('0' + std::abs(static_cast<int>(value % 10))));
  return negative ? "-" + text : text;
}

/// A piece's value number `i`, which is a number of its width.
template <typename T>
T value_of(const void* values, std::int64_t i) {
  T value;
  std::memcpy(&value,
              static_cast<const std::byte*>(values) + static_cast<std::size_t>(i) * sizeof(T),
              sizeof(T));
  return value;
}

template <typename To>
void put(std::byte* field, To value) {
  std::memcpy(field, &value, sizeof(To));
}

/// The value where `keep` is -1, or zero where it is 0.
template <typename To>
To masked(std::int64_t keep, To value) {
  if constexpr (std::is_floating_point_v<To>) {
    using word = std::conditional_t<sizeof(To) == 4, std::uint32_t, std::uint64_t>;
    return std::bit_cast<To>(masked(keep, std::bit_cast<word>(value)));
  } else {
    return static_cast<To>(value & static_cast<To>(keep));
  }
}

/// Text number `i` of a piece: between two places, or of a fixed size.
template <typename Place>
struct text_at {
  const Place* places;
  const char* text;
  std::string_view operator()(std::int64_t i) const {
    return {text + places[i], static_cast<std::size_t>(places[i + 1] - places[i])};
  }
};
struct fixed_text_at {
  const char* text;
  std::size_t width;
  std::string_view operator()(std::int64_t i) const {
    return {text + static_cast<std::size_t>(i) * width, width};
  }
};

/// Calls use(at), where at(i) is a text of the piece.
template <typename Use>
auto with_texts_of(const arrow_piece& piece, const Use& use) {
  if (piece.fixed_text)
    return use(fixed_text_at{piece.text, static_cast<std::size_t>(piece.width)});
  if (piece.width == 4)
    return use(text_at{static_cast<const std::int32_t*>(piece.values), piece.text});
  return use(text_at{static_cast<const std::int64_t*>(piece.values), piece.text});
}

/// Records that are to be filled with a piece's values.
struct filled {
  const arrow_binding& binding;
  const arrow_piece& piece;
  std::span<const std::uint32_t> codes;
  std::int64_t begin, n;
  std::byte* records;
  std::size_t record_bytes;

  [[noreturn]] void refuse(std::int64_t row, const std::string& got) const {
    throw arrow_cell_problem{
        row, fmt::format("expected {}, got {}", field_type(binding.field.type), got)};
  }

  /// Calls set(field, number in the buffers), which returns whether the value could be had.
  template <typename Set, typename Text>
  void each(Set&& set, Text&& text) const {
    const auto presence = binding.field.presence;
    const auto first = piece.first + begin, count = n;
    const auto stride = record_bytes;
    std::byte* record = records;
    if (piece.valid == nullptr) {
      std::byte* const field = records + binding.field.offset;
      for (std::int64_t i = 0; i < count; ++i)
        if (!set(field + static_cast<std::size_t>(i) * stride, first + i)) [[unlikely]]
          refuse(i, text(first + i));
      if (presence != 0)
        for (std::int64_t i = 0; i < count; ++i, record += stride) record[presence] = std::byte{1};
      return;
    }
    const auto* const valid = piece.valid;
    const auto offset = binding.field.offset;
    const auto bytes = detail::cell_bytes(binding.field.type);
    for (std::int64_t i = 0; i < count; ++i, record += stride) {
      const bool there = bit_of(valid, first + i);
      if (presence != 0) record[presence] = std::byte{there};
      std::byte* const field = record + offset;
      if (!there) {
        if (presence == 0)
          throw arrow_cell_problem{i,
                                   "expected a value, got none (null); make the field a "
                                   "std::optional"};
        std::memset(field, 0, bytes);
      } else if (!set(field, first + i)) {
        refuse(i, text(first + i));
      }
    }
  }

  /// The same of value(number) where fits(number). Both are asked of missing values, too: no branch
  /// depends on which ones are there.
  template <typename Value, typename Fits, typename Text>
  void each_value(Value value, Fits fits, Text&& text) const {
    using To = decltype(value(0));
    const auto presence = binding.field.presence;
    bool good = true;
    if (const auto* const valid = piece.valid; valid != nullptr && presence != 0) {
      const auto offset = binding.field.offset;
      const auto first = piece.first + begin, end = first + n;
      const auto stride = record_bytes;
      std::byte* record = records;
      for (auto i = first; i < end;) {
        const auto some = std::min(end - i, bits_at_once);
        const auto bits = bits_of(valid, i, some);
        for (std::int64_t bit = 0; bit < some; ++bit, ++i, record += stride) {
          // Of signs, so that compilers don't make it a jump.
          const auto keep = static_cast<std::int64_t>(bits << (63 - bit)) >> 63;
          put<To>(record + offset, masked(keep, value(i)));
          record[presence] = static_cast<std::byte>(-keep);
          good &= (keep == 0) | fits(i);
        }
      }
      if (good) return;
    }
    each(
        [&](std::byte* field, std::int64_t i) {
          put<To>(field, value(i));
          return fits(i);
        },
        text);
  }

  template <typename From, typename To>
  void numbers() const {
    const auto* const values = piece.values;
    each_value([values](std::int64_t i) { return static_cast<To>(value_of<From>(values, i)); },
               [values](std::int64_t i) {
                 const auto value = value_of<From>(values, i);
                 if constexpr (std::is_same_v<From, To> || std::is_floating_point_v<From>) {
                   return true;
                 } else if constexpr (std::is_integral_v<To>) {
                   return std::in_range<To>(value);
                 } else if constexpr (sizeof(From) < sizeof(To)) {
                   return true;
                 } else {  // an integer that the float has
                   const auto as_float = static_cast<To>(value);
                   constexpr auto end =
                       static_cast<To>(std::numeric_limits<From>::max() / 2 + 1) * 2;
                   return as_float < end && static_cast<From>(as_float) == value;
                 }
               },
               [&](std::int64_t i) { return fmt::format("{}", value_of<From>(values, i)); });
  }

  template <typename From>
  void integers() const {
    switch (binding.field.type) {
      case cell::i8:
        return numbers<From, std::int8_t>();
      case cell::i16:
        return numbers<From, std::int16_t>();
      case cell::i32:
        return numbers<From, std::int32_t>();
      case cell::i64:
        return numbers<From, std::int64_t>();
      case cell::u8:
        return numbers<From, std::uint8_t>();
      case cell::u16:
        return numbers<From, std::uint16_t>();
      case cell::u32:
        return numbers<From, std::uint32_t>();
      case cell::u64:
        return numbers<From, std::uint64_t>();
      case cell::f32:
        return numbers<From, float>();
      default:
        return numbers<From, double>();
    }
  }

  void booleans() const {
    const auto* const bits = piece.values;
    each_value([bits](std::int64_t i) { return bit_of(bits, i); },
               [](std::int64_t) { return true; }, [](std::int64_t) { return std::string(); });
  }

  /// Microseconds of times in units of which `unit` make a second.
  void timestamps() const {
    const auto unit = binding.from.unit;
    constexpr std::int64_t micro = 1'000'000;
    if (unit == micro) return numbers<std::int64_t, std::int64_t>();
    const auto value = [values = piece.values](std::int64_t i) {
      return value_of<std::int64_t>(values, i);
    };
    if (unit < micro)
      return each(
          [&](std::byte* field, std::int64_t i) {
            std::int64_t product;
            const bool fits = !__builtin_mul_overflow(value(i), micro / unit, &product);
            put(field, product);
            return fits;
          },
          [&](std::int64_t i) {
            return fmt::format("one of {} {}", value(i), unit == 1 ? "s" : "ms");
          });
    each(
        [&](std::byte* field, std::int64_t i) {
          put(field, value(i) / (unit / micro));
          return value(i) % (unit / micro) == 0;
        },
        [&](std::int64_t i) {
          return fmt::format(
              "one with nanoseconds ({} ns), which would be lost; round the column where the file "
              "is written",
              value(i));
        });
  }

  int128 decimal_at(std::int64_t i) const {
    if (piece.width == 4) return value_of<std::int32_t>(piece.values, i);
    if (piece.width == 8) return value_of<std::int64_t>(piece.values, i);
    return value_of<int128>(piece.values, i);
  }

  template <typename To>
  void whole_decimals() const {
    each(
        [&](std::byte* field, std::int64_t i) {
          const auto value = decimal_at(i);
          put(field, static_cast<To>(value));
          return value >= int128{std::numeric_limits<To>::min()} &&
                 value <= int128{std::numeric_limits<To>::max()};
        },
        [&](std::int64_t i) { return text_of(decimal_at(i)); });
  }

  void decimals() const {
    switch (binding.field.type) {
      case cell::i8:
        return whole_decimals<std::int8_t>();
      case cell::i16:
        return whole_decimals<std::int16_t>();
      case cell::i32:
        return whole_decimals<std::int32_t>();
      case cell::i64:
        return whole_decimals<std::int64_t>();
      case cell::u8:
        return whole_decimals<std::uint8_t>();
      case cell::u16:
        return whole_decimals<std::uint16_t>();
      case cell::u32:
        return whole_decimals<std::uint32_t>();
      case cell::u64:
        return whole_decimals<std::uint64_t>();
      default:
        break;
    }
    // Both are exact, so that the quotient is rounded once: the double that is nearest.
    double scale = 1;
    for (int digit = 0; digit < binding.from.scale; ++digit) scale *= 10;
    constexpr int128 end = 1'000'000'000'000'000;  // 10^exact_digits
    each(
        [&](std::byte* field, std::int64_t i) {
          const auto value = decimal_at(i);
          put(field, static_cast<double>(static_cast<std::int64_t>(value)) / scale);
          return -end < value && value < end;
        },
        [&](std::int64_t i) {
          return fmt::format("{} * 10^-{}, of more digits than the column has",
                             text_of(decimal_at(i)), binding.from.scale);
        });
  }

  /// \param at  the piece's texts, or its dictionary's
  template <typename At>
  void texts(const At& at) const {
    const bool category = binding.field.type == cell::category;
    if (!piece.dictionary) {
      const auto none = [](std::int64_t) { return std::string(); };
      if (category)
        return each(
            [at](std::byte* field, std::int64_t i) {
              put<std::uint32_t>(field, detail::code_of_text(at(i)));
              return true;
            },
            none);
      return each(
          [at](std::byte* field, std::int64_t i) {
            put<std::string_view>(field, at(i));
            return true;
          },
          none);
    }
    if (category)
      return from_dictionary([codes = codes](std::byte* field, std::int64_t number) {
        put<std::uint32_t>(field, codes[static_cast<std::size_t>(number)]);
      });
    from_dictionary([at, first = piece.dictionary->first](std::byte* field, std::int64_t number) {
      put<std::string_view>(field, at(first + number));
    });
  }
  /// \param set  (field, number of a text of the dictionary)
  template <typename Set>
  void from_dictionary(const Set& set) const {
    if (piece.width == 1) return from_dictionary<std::int8_t>(set);
    if (piece.width == 2) return from_dictionary<std::int16_t>(set);
    if (piece.width == 4) return from_dictionary<std::int32_t>(set);
    from_dictionary<std::int64_t>(set);
  }
  template <typename Index, typename Set>
  void from_dictionary(const Set& set) const {
    const auto* const numbers = piece.values;
    const auto texts = piece.dictionary->rows;
    each(
        [set, numbers, texts](std::byte* field, std::int64_t i) {
          const auto number = value_of<Index>(numbers, i);
          if (number < 0 || number >= texts) return false;
          set(field, number);
          return true;
        },
        [&](std::int64_t i) {
          return fmt::format("number {} of a dictionary of {} texts; the file is damaged",
                             value_of<Index>(numbers, i), texts);
        });
  }
  void texts() const {
    with_texts_of(piece.dictionary ? *piece.dictionary : piece,
                  [this](const auto& at) { texts(at); });
  }
};

}  // namespace

std::vector<std::uint32_t> codes_of_texts(const arrow_piece& dictionary) {
  std::vector<std::uint32_t> codes(static_cast<std::size_t>(dictionary.rows));
  with_texts_of(dictionary, [&](const auto& at) {
    for (std::int64_t i = 0; i < dictionary.rows; ++i)
      codes[static_cast<std::size_t>(i)] = detail::code_of_text(at(dictionary.first + i));
  });
  return codes;
}

void fill_arrow_cells(const arrow_binding& binding, const arrow_piece& piece,
                      std::span<const std::uint32_t> codes, std::int64_t begin, std::int64_t n,
                      std::byte* records, std::size_t record_bytes) {
  const filled rows{binding, piece, codes, begin, n, records, record_bytes};
  switch (binding.from.kind) {
    case arrow_kind::i8:
      return rows.integers<std::int8_t>();
    case arrow_kind::i16:
      return rows.integers<std::int16_t>();
    case arrow_kind::i32:
      return rows.integers<std::int32_t>();
    case arrow_kind::i64:
      return rows.integers<std::int64_t>();
    case arrow_kind::u8:
      return rows.integers<std::uint8_t>();
    case arrow_kind::u16:
      return rows.integers<std::uint16_t>();
    case arrow_kind::u32:
      return rows.integers<std::uint32_t>();
    case arrow_kind::u64:
      return rows.integers<std::uint64_t>();
    case arrow_kind::f32:
      if (binding.field.type == cell::f32) return rows.numbers<float, float>();
      return rows.numbers<float, double>();
    case arrow_kind::f64:
      return rows.numbers<double, double>();
    case arrow_kind::boolean:
      return rows.booleans();
    case arrow_kind::text:
    case arrow_kind::list:  // as packed_lists() has made them
      return rows.texts();
    case arrow_kind::date:
      return rows.numbers<std::int32_t, std::int32_t>();
    case arrow_kind::timestamp:
      return rows.timestamps();
    default:
      return rows.decimals();
  }
}

}  // namespace pappus::formats
