// How a record lies in memory, as far as file formats need to know: the name, type and offset of
// each column.
//
// A format never sees the record's type. It is given a record_layout, built from the user's
// column("name", &T::field) calls or, where a file has no names, from the record's type itself
// (include/pappus/columns.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pappus/detail/base/conditions.h"

namespace pappus::detail {

class bad_row_source;  // bad_rows.h

/// The type of one scalar of a record.
enum class cell : std::uint8_t {
  i8,
  i16,
  i32,
  i64,
  u8,
  u16,
  u32,
  u64,
  f32,
  f64,
  boolean,
  string,     ///< a std::string_view
  date,       ///< a pappus::date: days since 1970-01-01 in 32 bits
  timestamp,  ///< a pappus::timestamp: microseconds since 1970-01-01 in 64 bits
  category,   ///< a pappus::category: a text's code
  list,       ///< a pappus::list of scalars
};

/// The bytes one scalar of this type takes in a record.
constexpr std::size_t cell_bytes(cell type) noexcept {
  switch (type) {
    case cell::i8:
    case cell::u8:
    case cell::boolean:
      return 1;
    case cell::i16:
    case cell::u16:
      return 2;
    case cell::i32:
    case cell::u32:
    case cell::f32:
    case cell::date:
    case cell::category:
      return 4;
    case cell::string:
    case cell::list:
      return 16;
    default:
      return 8;
  }
}

constexpr bool is_float_cell(cell type) noexcept { return type == cell::f32 || type == cell::f64; }

/// Whether a file has text there.
constexpr bool is_text_cell(cell type) noexcept {
  return type == cell::string || type == cell::category;
}
/// Whether a record has not the value itself, but what leads to it in this process.
constexpr bool leads_elsewhere(cell type) noexcept {
  return is_text_cell(type) || type == cell::list;
}
/// Of those, what a record has; for messages.
constexpr const char* name_of_leading(cell type) noexcept {
  return type == cell::category ? "a pappus::category"
         : type == cell::list   ? "a pappus::list"
                                : "a string_view";
}

/// Some of a record's bytes.
struct byte_range {
  std::size_t offset = 0, bytes = 0;
  bool operator==(const byte_range&) const = default;
};
using byte_ranges = std::vector<byte_range>;

/// One field of a record: `count` scalars of one type, `offset` bytes from the record's start.
struct column_binding {
  std::string name;  ///< empty where the field's name isn't known
  cell type{};
  std::size_t offset = 0;
  std::size_t count = 1;     ///< more than one for std::array fields
  std::size_t presence = 0;  ///< where in the record the byte lies that is 1 where the value is
                             ///< there, 0 where it is missing (std::optional); 0: it always is
  std::string_view field{};  ///< what its struct calls it, where nobody gave a name
  cell item{};               ///< of a list's items
  bool wanted = true;        ///< else nobody looks at the field: the file must have the column, but
                             ///< what its cells say needn't be read, unless bad rows are left out
};

/// What of a file's records somebody looks at.
struct looked_at {
  std::vector<bool> columns{};  ///< for each that is bound; empty: all
  conditions rows{};  ///< nobody misses records of which one isn't true, where windows are read in
                      ///< columns
};

/// How a text file is laid out.
struct text_layout {
  char delimiter = 0;  ///< 0: the format's own
  bool header = true;  ///< the first row names the columns; else the first are bound, in order
  std::vector<std::string> missing{};  ///< texts besides none that stand for what is missing
  char decimal = '.';                  ///< before the decimals of a number
  char thousands = 0;                  ///< between its digits, if they are told apart
  std::string date{}, timestamp{};     ///< patterns of time_format.h; empty: ISO 8601's
  std::int64_t skip = 0;               ///< lines before the header, or before the first row
  char comment = 0;                    ///< begins further lines there that are left out
  std::shared_ptr<bad_row_source> bad_rows{};  ///< where they are left out, is told of them
};

/// A record as a format sees it. `columns` may be empty: then only its size is known.
struct record_layout {
  std::size_t bytes = 0;
  std::vector<column_binding> columns;
  text_layout text{};
  conditions rows{};  ///< as looked_at has them
};

}  // namespace pappus::detail
