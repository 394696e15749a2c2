#include "formats/arrow/arrow_cells.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "formats/named_layout.h"
#include "pappus/category.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

using detail::cell;

__extension__ using int128 = __int128;

constexpr int exact_digits = 15;  // decimals of so many are told apart by their nearest doubles

bool is_integer(cell type) { return type <= cell::u64; }

/// Whether a column may become a field, if its values are in range.
bool may_become(const arrow_column& from, cell to) {
  switch (from.kind) {
    case arrow_kind::f32:
      return detail::is_float_cell(to);
    case arrow_kind::f64:
      return to == cell::f64;
    case arrow_kind::boolean:
      return to == cell::boolean;
    case arrow_kind::text:
      return detail::is_text_cell(to);
    case arrow_kind::date:
      return to == cell::date;
    case arrow_kind::timestamp:
      return to == cell::timestamp;
    case arrow_kind::decimal:
      return (to == cell::f64 && from.precision <= exact_digits && from.scale >= 0 &&
              from.scale <= exact_digits) ||
             (is_integer(to) && from.scale == 0);
    case arrow_kind::list:
    case arrow_kind::other:
      return false;
    default:
      return is_integer(to) || detail::is_float_cell(to);
  }
}
bool may_become(const arrow_column& from, const detail::column_binding& to) {
  if (to.type != cell::list) return may_become(from, to.type);
  return from.kind == arrow_kind::list && may_become(from.items.front(), to.item);
}

const char* field_type(cell type) {
  constexpr const char* names[] = {"an 8-bit integer",
                                   "a 16-bit integer",
                                   "a 32-bit integer",
                                   "a 64-bit integer",
                                   "an unsigned 8-bit integer",
                                   "an unsigned 16-bit integer",
                                   "an unsigned 32-bit integer",
                                   "an unsigned 64-bit integer",
                                   "a float",
                                   "a double",
                                   "a bool",
                                   "a std::string_view",
                                   "a pappus::date",
                                   "a pappus::timestamp",
                                   "a pappus::category",
                                   "a pappus::list"};
  return names[static_cast<std::size_t>(type)];
}
std::string field_type(cell type, cell item) {
  if (type != cell::list) return field_type(type);
  return fmt::format("{} of which each item is {}", field_type(type), field_type(item));
}

/// What can be done where a column can't become a field.
std::string remedy_for(const arrow_column& from) {
  if (from.kind == arrow_kind::decimal && from.scale > 0)
    return fmt::format(
        "; doubles have decimals of up to {} digits: cast the column where the file is written",
        exact_digits);
  const auto field = field_for(from);
  if (field.known) return fmt::format("; make the field {}", field_type(field.type, field.item));
  return "; leave the column out, or cast it where the file is written";
}

/// Digits of a decimal's integer.
std::string text_of(int128 value) {
  std::string text;
  const bool negative = value < 0;
  for (; value != 0 || text.empty(); value /= 10)
    text.insert(text.begin(), static_cast<char>('0' + std::abs(static_cast<int>(value % 10))));
  return negative ? "-" + text : text;
}

/// The piece's value number `i`, which is an integer of its width.
template <typename T>
T value_of(const arrow_piece& piece, std::int64_t i) {
  T value;
  std::memcpy(&value,
              static_cast<const std::byte*>(piece.values) + static_cast<std::size_t>(i) * sizeof(T),
              sizeof(T));
  return value;
}

bool bit_of(const void* bits, std::int64_t i) {
  return ((static_cast<const std::uint8_t*>(bits)[i / 8] >> (i % 8)) & 1) != 0;
}

template <typename To>
void put(std::byte* field, To value) {
  std::memcpy(field, &value, sizeof(To));
}

/// Text number `i` of a piece: between two places, or of a fixed size.
template <typename Place>
struct text_at {
  std::string_view operator()(const arrow_piece& from, std::int64_t i) const {
    const auto* const places = static_cast<const Place*>(from.values);
    return {from.text + places[i], static_cast<std::size_t>(places[i + 1] - places[i])};
  }
};
struct fixed_text_at {
  std::string_view operator()(const arrow_piece& from, std::int64_t i) const {
    const auto width = static_cast<std::size_t>(from.width);
    return {from.text + static_cast<std::size_t>(i) * width, width};
  }
};

/// Calls use(at), where at(piece, i) is a text of a piece like this one.
template <typename Use>
auto with_texts_of(const arrow_piece& holder, const Use& use) {
  if (holder.fixed_text) return use(fixed_text_at{});
  if (holder.width == 4) return use(text_at<std::int32_t>{});
  return use(text_at<std::int64_t>{});
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
    const auto first = piece.first + begin;
    std::byte* record = records;
    if (piece.valid == nullptr) {
      std::byte* const field = records + binding.field.offset;
      for (std::int64_t i = 0; i < n; ++i)
        if (!set(field + static_cast<std::size_t>(i) * record_bytes, first + i)) [[unlikely]]
          refuse(i, text(first + i));
      if (presence != 0)
        for (std::int64_t i = 0; i < n; ++i, record += record_bytes)
          record[presence] = std::byte{1};
      return;
    }
    const auto bytes = detail::cell_bytes(binding.field.type);
    for (std::int64_t i = 0; i < n; ++i, record += record_bytes) {
      const bool there = bit_of(piece.valid, first + i);
      if (presence != 0) record[presence] = std::byte{there};
      std::byte* const field = record + binding.field.offset;
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

  template <typename From, typename To>
  void numbers() const {
    each(
        [&](std::byte* field, std::int64_t i) {
          const auto value = value_of<From>(piece, i);
          put(field, static_cast<To>(value));
          if constexpr (std::is_same_v<From, To> || std::is_floating_point_v<From>) {
            return true;
          } else if constexpr (std::is_integral_v<To>) {
            return std::in_range<To>(value);
          } else if constexpr (sizeof(From) < sizeof(To)) {
            return true;
          } else {  // an integer that the float has
            const auto as_float = static_cast<To>(value);
            constexpr auto end = static_cast<To>(std::numeric_limits<From>::max() / 2 + 1) * 2;
            return as_float < end && static_cast<From>(as_float) == value;
          }
        },
        [&](std::int64_t i) { return fmt::format("{}", value_of<From>(piece, i)); });
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
    each(
        [&](std::byte* field, std::int64_t i) {
          put(field, bit_of(piece.values, i));
          return true;
        },
        [](std::int64_t) { return std::string(); });
  }

  /// Microseconds of times in units of which `unit` make a second.
  void timestamps() const {
    const auto unit = binding.from.unit;
    constexpr std::int64_t micro = 1'000'000;
    const auto value = [&](std::int64_t i) { return value_of<std::int64_t>(piece, i); };
    if (unit == micro)
      return each(
          [&](std::byte* field, std::int64_t i) {
            put(field, value(i));
            return true;
          },
          [](std::int64_t) { return std::string(); });
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
    if (piece.width == 4) return value_of<std::int32_t>(piece, i);
    if (piece.width == 8) return value_of<std::int64_t>(piece, i);
    return value_of<int128>(piece, i);
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

  template <typename At>
  void texts(const At& at) const {
    const bool category = binding.field.type == cell::category;
    if (!piece.dictionary) {
      const auto none = [](std::int64_t) { return std::string(); };
      if (category)
        return each(
            [&](std::byte* field, std::int64_t i) {
              put<std::uint32_t>(field, detail::code_of_text(at(piece, i)));
              return true;
            },
            none);
      return each(
          [&](std::byte* field, std::int64_t i) {
            put<std::string_view>(field, at(piece, i));
            return true;
          },
          none);
    }
    if (category)
      return from_dictionary([&](std::byte* field, std::int64_t number) {
        put<std::uint32_t>(field, codes[static_cast<std::size_t>(number)]);
      });
    const auto& values = *piece.dictionary;
    from_dictionary([&](std::byte* field, std::int64_t number) {
      put<std::string_view>(field, at(values, values.first + number));
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
    const auto& values = *piece.dictionary;
    each(
        [&](std::byte* field, std::int64_t i) {
          const auto number = value_of<Index>(piece, i);
          if (number < 0 || number >= values.rows) return false;
          set(field, number);
          return true;
        },
        [&](std::int64_t i) {
          return fmt::format("number {} of a dictionary of {} texts; the file is damaged",
                             value_of<Index>(piece, i), values.rows);
        });
  }
  void texts() const {
    with_texts_of(piece.dictionary ? *piece.dictionary : piece,
                  [this](const auto& at) { texts(at); });
  }
};

}  // namespace

std::vector<arrow_binding> bind_arrow_columns(const std::string& file,
                                              const std::vector<arrow_column>& columns,
                                              const detail::record_layout& layout) {
  std::vector<std::string> names;
  for (const auto& column : columns) names.push_back(column.name);
  std::vector<arrow_binding> bound;
  for (const auto& field : layout.columns) {
    const auto at = find_column(file, field.name, names);
    if (!may_become(columns[at], field))
      throw format_error(fmt::format("{}: column \"{}\": expected one that {} can have, got {}{}",
                                     file, field.name, field_type(field.type, field.item),
                                     columns[at].type, remedy_for(columns[at])));
    bound.push_back({at, columns[at], field});
  }
  return bound;
}

std::vector<std::uint32_t> codes_of_texts(const arrow_piece& dictionary) {
  std::vector<std::uint32_t> codes(static_cast<std::size_t>(dictionary.rows));
  with_texts_of(dictionary, [&](const auto& at) {
    for (std::int64_t i = 0; i < dictionary.rows; ++i)
      codes[static_cast<std::size_t>(i)] =
          detail::code_of_text(at(dictionary, dictionary.first + i));
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

arrow_field field_for(const arrow_column& column) {
  switch (column.kind) {
    case arrow_kind::boolean:
      return {true, cell::boolean};
    case arrow_kind::text:
      return {true, cell::string};
    case arrow_kind::date:
      return {true, cell::date};
    case arrow_kind::timestamp:
      return {true, cell::timestamp};
    case arrow_kind::decimal:
      if (may_become(column, cell::f64)) return {true, cell::f64};
      return {column.scale == 0 && column.precision <= 18, cell::i64};
    case arrow_kind::f32:
      return {true, cell::f32};
    case arrow_kind::f64:
      return {true, cell::f64};
    case arrow_kind::list: {
      const auto items = field_for(column.items.front());
      return {items.known, cell::list, items.type};
    }
    case arrow_kind::other:
      return {};
    default:
      return {true, static_cast<cell>(column.kind)};
  }
}

}  // namespace pappus::formats
