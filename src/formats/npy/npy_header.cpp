#include "formats/npy/npy_header.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <span>
#include <string_view>
#include <system_error>

#include "formats/codecs/decompressor.h"
#include "formats/npy/npy_literal.h"
#include "pappus/detail/base/integers.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

using detail::cell;

static_assert(std::endian::native == std::endian::little, "dtypes are written as little-endian");

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::int64_t header_bytes_max = std::int64_t{64} << 20;
constexpr std::size_t item_bytes_max = std::size_t{1} << 31;

constexpr std::string_view letters = "iufb";

[[noreturn]] void fail(const byte_source& source, const std::string& what) {
  throw format_error(source.name() + ": " + what);
}

std::string read_text(const byte_source& source, std::int64_t offset, std::int64_t bytes) {
  std::string text(static_cast<std::size_t>(bytes), '\0');
  source.read(offset, std::as_writable_bytes(std::span(text)));
  return text;
}

// Versions 1 and 2 spell names in Latin-1, version 3 in UTF-8.
std::string utf8_of_latin1(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x80) {
      result += c;
    } else {
      result += static_cast<char>(0xC0 | code >> 6);
      result += static_cast<char>(0x80 | (code & 0x3F));
    }
  }
  return result;
}

/// Of UTF-8.
std::int64_t characters_of(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
}

std::optional<cell> cell_of(char kind, std::size_t bytes) {
  for (const cell type : {cell::i8, cell::i16, cell::i32, cell::i64, cell::u8, cell::u16, cell::u32,
                          cell::u64, cell::f32, cell::f64, cell::boolean}) {
    const std::string dtype = npy_dtype(type);
    if (dtype[1] == kind && dtype.substr(2) == std::to_string(bytes)) return type;
  }
  return std::nullopt;
}

// The field that a dtype such as "<f4", "|b1", "<M8[us]" or "|S10" describes.
npy_field field_of(const std::string& dtype) {
  constexpr std::string_view orders = "<>|=";
  std::string_view rest = dtype;
  char order = '=';
  if (!rest.empty() && orders.find(rest.front()) != orders.npos) {
    order = rest.front();
    rest.remove_prefix(1);
  }
  std::size_t size = 0;
  const char kind = rest.empty() ? '\0' : rest.front();
  if (!rest.empty()) rest.remove_prefix(1);
  const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  if (code != std::errc{} || size > item_bytes_max / 4) {
    throw std::string("a dtype such as \"<f8\" instead of \"" + dtype + '"');
  }
  npy_field field;
  field.dtype = dtype;
  field.scalar_bytes = kind == 'U' ? 4 * size : size;  // text is counted in 32-bit characters
  field.swapped = order == '>' && size > 1;
  if (kind == 'M' && rest == "[us]" && size == 8) field.type = cell::timestamp;
  if (letters.find(kind) != letters.npos) field.type = cell_of(kind, size);
  return field;
}

void append(npy_header& header, npy_field field) {
  for (std::size_t factor : {field.scalar_bytes, field.count}) {
    if (factor > item_bytes_max) throw std::string("items of at most 2 GiB");
  }
  if (header.item_bytes + field.scalar_bytes * field.count > item_bytes_max) {
    throw std::string("items of at most 2 GiB");
  }
  field.offset = header.item_bytes;
  header.item_bytes += field.bytes();
  header.fields.push_back(std::move(field));
}

// ('name', '<f4') or ('name', '<f4', (3,))
npy_field structured_field(npy_literal& text) {
  text.expect('(');
  std::string name = text.string();
  text.expect(',');
  npy_field field = field_of(text.string());
  field.name = std::move(name);
  if (!text.take(',')) {
    text.expect(')');
    return field;
  }
  if (text.take(')')) return field;
  for (const std::int64_t extent : text.extents()) {
    if (extent > static_cast<std::int64_t>(item_bytes_max) ||
        field.count * static_cast<std::size_t>(extent) > item_bytes_max) {
      throw std::string("items of at most 2 GiB");
    }
    field.count *= static_cast<std::size_t>(extent);
  }
  text.take(',');
  text.expect(')');
  return field;
}

void parse_descr(npy_literal& text, npy_header& header) {
  header.structured = text.take('[');
  if (!header.structured) {
    append(header, field_of(text.string()));
    return;
  }
  while (!text.take(']')) {
    append(header, structured_field(text));
    if (!text.take(',')) {
      text.expect(']');
      break;
    }
  }
}

void parse_dictionary(npy_literal& text, npy_header& header) {
  bool seen[3] = {};
  text.expect('{');
  while (!text.take('}')) {
    const std::string key = text.string();
    text.expect(':');
    if (key == "descr" && !seen[0]) {
      parse_descr(text, header);
      seen[0] = true;
    } else if (key == "fortran_order" && !seen[1]) {
      header.fortran_order = text.boolean();
      seen[1] = true;
    } else if (key == "shape" && !seen[2]) {
      header.shape_offset = -static_cast<std::int64_t>(text.bytes_left());  // from the end
      header.shape = text.extents();
      header.shape_bytes = -header.shape_offset - static_cast<std::int64_t>(text.bytes_left());
      seen[2] = true;
    } else {
      throw std::string("the keys descr, fortran_order and shape, once each, instead of \"" + key +
                        '"');
    }
    if (!text.take(',')) {
      text.expect('}');
      break;
    }
  }
  if (!seen[0] || !seen[1] || !seen[2]) {
    throw std::string("all of the keys descr, fortran_order and shape");
  }
}

}  // namespace

npy_header read_npy_header(const byte_source& source) {
  constexpr std::int64_t prefix = 8;
  if (source.bytes() < prefix || read_text(source, 0, prefix).substr(0, magic.size()) != magic) {
    refuse_compressed(source, "an NPY file");
    fail(source, "expected an NPY file, which begins with \"\\x93NUMPY\", got something else");
  }
  const int version = static_cast<unsigned char>(read_text(source, 6, 1)[0]);
  if (version < 1 || version > 3) {
    fail(source, "expected NPY version 1, 2 or 3, got " + std::to_string(version));
  }
  const std::int64_t length_bytes = version == 1 ? 2 : 4;
  const std::int64_t text_offset = prefix + length_bytes;
  std::int64_t length = 0;
  if (source.bytes() < text_offset) fail(source, "truncated: the file ends inside the NPY header");
  const std::string length_text = read_text(source, prefix, length_bytes);
  for (std::size_t i = length_text.size(); i-- > 0;) {
    length = length * 256 + static_cast<unsigned char>(length_text[i]);
  }
  if (length > header_bytes_max) {
    fail(source,
         "expected an NPY header of at most 64 MiB, got " + std::to_string(length) + " bytes");
  }
  if (source.bytes() - text_offset < length) {
    fail(source, "truncated: the file ends inside the NPY header");
  }

  std::string text = read_text(source, text_offset, length);
  if (version < 3) text = utf8_of_latin1(text);
  npy_header header;
  header.data_offset = text_offset + length;
  try {
    npy_literal literal(text);
    parse_dictionary(literal, header);
  } catch (const std::string& expected) {
    fail(source, "malformed NPY header: expected " + expected);
  }
  // Names behind the shape may take fewer bytes there.
  auto behind =
      std::string_view(text).substr(text.size() + static_cast<std::size_t>(header.shape_offset));
  header.shape_offset =
      header.data_offset - (version < 3 ? characters_of(behind) : std::ssize(behind));
  return header;
}

std::string npy_header_end(const byte_source& source, const npy_header& header, std::int64_t rows) {
  auto text = read_text(source, header.shape_offset, header.data_offset - header.shape_offset);
  const auto room = text.size();
  std::string shape = " (" + std::to_string(rows) + ',';
  for (std::size_t i = 1; i < header.shape.size(); ++i)
    shape += (i > 1 ? ", " : " ") + std::to_string(header.shape[i]);
  text.replace(0, static_cast<std::size_t>(header.shape_bytes), shape + ')');
  text.resize(text.find_last_not_of(" \n") + 1);
  if (text.size() >= room)
    fail(source, "expected a header with room for " + std::to_string(rows) +
                     " rows, got one that is full; write the file anew");
  text.resize(room - 1, ' ');
  return text + '\n';
}

std::string print_npy_header(const std::string& descr, const std::vector<std::int64_t>& shape) {
  const auto dictionary = [&](std::int64_t first) {
    std::string text =
        "{'descr': " + descr + ", 'fortran_order': False, 'shape': (" + std::to_string(first) + ',';
    for (std::size_t i = 1; i < shape.size(); ++i) {
      text += (i > 1 ? ", " : " ") + std::to_string(shape[i]);
    }
    return text + "), }";
  };
  const std::size_t longest = dictionary(std::numeric_limits<std::int64_t>::max()).size() + 1;
  const bool is_ascii =
      std::ranges::all_of(descr, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  const char version = !is_ascii ? 3 : longest + 80 < 65536 ? 1 : 2;
  const std::size_t prefix = version == 1 ? 10 : 12;
  const std::size_t total = detail::round_up(prefix + longest, 64);  // data begin on a cache line

  std::string result(magic);
  result += version;
  result += '\0';
  std::size_t length = total - prefix;
  for (std::size_t i = 8; i < prefix; ++i, length >>= 8) result += static_cast<char>(length & 0xFF);
  result += dictionary(shape.at(0));
  result.resize(total - 1, ' ');
  return result + '\n';
}

std::string npy_dtype(cell type) {
  switch (type) {
    case cell::i8:
      return "|i1";
    case cell::u8:
      return "|u1";
    case cell::boolean:
      return "|b1";
    case cell::i16:
      return "<i2";
    case cell::u16:
      return "<u2";
    case cell::i32:
    case cell::date:
      return "<i4";
    case cell::u32:
      return "<u4";
    case cell::i64:
      return "<i8";
    case cell::u64:
      return "<u8";
    case cell::f32:
      return "<f4";
    case cell::f64:
      return "<f8";
    case cell::timestamp:
      return "<M8[us]";
    case cell::string:
    case cell::category:
    case cell::list:
      break;
  }
  return "|V16";
}

bool npy_compatible(cell type, cell bound) noexcept {
  if (type == bound) return true;
  if (type == cell::i32) return bound == cell::date;
  return (type == cell::i64 && bound == cell::timestamp) ||
         (type == cell::timestamp && bound == cell::i64);
}

}  // namespace pappus::formats
