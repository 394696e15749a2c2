#include "formats/hdf5/library/hdf5_types.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "formats/hdf5/hdf5_area.h"

namespace pappus::formats {
namespace {

using detail::cell;

constexpr const char* types = "its type can't be read";
constexpr std::int64_t scalars_max = std::numeric_limits<std::int32_t>::max();

/// A scalar, and how many of them in which dimensions.
struct typed_field {
  npy_field field;
  bool truth = false;
  std::vector<std::int64_t> extents;
};

std::optional<cell> integer_cell(std::size_t bytes, bool has_sign) {
  switch (bytes) {
    case 1:
      return has_sign ? cell::i8 : cell::u8;
    case 2:
      return has_sign ? cell::i16 : cell::u16;
    case 4:
      return has_sign ? cell::i32 : cell::u32;
    case 8:
      return has_sign ? cell::i64 : cell::u64;
    default:
      return std::nullopt;
  }
}

class type_reader {
 public:
  explicit type_reader(const hdf5_calls& calls) : calls_(calls) {}

  std::size_t bytes(hid_t type) const {
    const std::size_t got = calls_->call_H5Tget_size(type);
    if (got == 0) calls_.fail(types);
    return got;
  }

  H5T_class_t kind(hid_t type) const {
    return calls_.expect(calls_->call_H5Tget_class(type), types);
  }

  typed_field field(hid_t type) const {
    switch (kind(type)) {
      case H5T_INTEGER:
        return integer(type);
      case H5T_FLOAT:
        return real(type);
      case H5T_ENUM:
        return enumeration(type);
      case H5T_ARRAY:
        return array(type);
      default:
        return other(type);
    }
  }

  std::string member_name(hid_t type, unsigned i) const {
    char* const name = calls_->call_H5Tget_member_name(type, i);
    if (name == nullptr) calls_.fail(types);
    std::string text(name);
    calls_->call_H5free_memory(name);
    return text;
  }

  unsigned members(hid_t type) const {
    return static_cast<unsigned>(calls_.expect(calls_->call_H5Tget_nmembers(type), types));
  }

  hdf5_item compound(hid_t type) const {
    hdf5_item result;
    result.item.structured = true;
    result.item.bytes = bytes(type);
    for (unsigned i = 0; i < members(type); ++i) {
      const hdf5_object member(calls_, calls_->call_H5Tget_member_type(type, i), types);
      typed_field typed = field(member.id());
      typed.field.name = member_name(type, i);
      typed.field.offset = calls_->call_H5Tget_member_offset(type, i);
      for (const std::int64_t extent : typed.extents)
        typed.field.count *= static_cast<std::size_t>(extent);
      if (typed.field.offset > result.item.bytes ||
          typed.field.bytes() > result.item.bytes - typed.field.offset)
        throw hdf5_problem(fmt::format(
            "expected field \"{}\" within an item of {} bytes, got {} bytes at {}",
            typed.field.name, result.item.bytes, typed.field.bytes(), typed.field.offset));
      result.truths.push_back(typed.truth);
      result.item.fields.push_back(std::move(typed.field));
    }
    return result;
  }

 private:
  static typed_field made(std::string dtype, std::optional<cell> type, std::size_t bytes,
                          bool swapped) {
    npy_field field;
    field.dtype = std::move(dtype);
    field.type = type;
    field.swapped = swapped && bytes > 1;
    field.scalar_bytes = bytes;
    return {std::move(field), false, {}};
  }

  /// ">i4": the order of bytes, the kind of number and how many bytes it takes.
  static std::string dtype(char kind, std::size_t bytes, bool swapped) {
    return fmt::format("{}{}{}", bytes == 1 ? '|' : swapped ? '>' : '<', kind, bytes);
  }

  bool is_swapped(hid_t type) const { return calls_->call_H5Tget_order(type) == H5T_ORDER_BE; }

  /// Whether it is little-endian or big-endian, and uses all of its bits.
  bool is_plain_number(hid_t type) const {
    const H5T_order_t order = calls_->call_H5Tget_order(type);
    return (order == H5T_ORDER_LE || order == H5T_ORDER_BE) &&
           calls_->call_H5Tget_precision(type) == 8 * bytes(type);
  }

  typed_field integer(hid_t type) const {
    const std::size_t size = bytes(type);
    const bool has_sign = calls_->call_H5Tget_sign(type) == H5T_SGN_2;
    if (!is_plain_number(type))
      return made(
          fmt::format("integers of {} bits in {} bytes", calls_->call_H5Tget_precision(type), size),
          std::nullopt, size, false);
    return made(dtype(has_sign ? 'i' : 'u', size, is_swapped(type)), integer_cell(size, has_sign),
                size, is_swapped(type));
  }

  typed_field real(hid_t type) const {
    const std::size_t size = bytes(type);
    std::size_t sign = 0, exponent = 0, exponent_bits = 0, mantissa = 0, mantissa_bits = 0;
    calls_.expect(calls_->call_H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa,
                                             &mantissa_bits),
                  types);
    // IEEE 754's: a sign, an exponent, a mantissa.
    const std::size_t expected_bits = size == 2 ? 5 : size == 4 ? 8 : 11;
    const std::size_t bits = 8 * size;
    const bool is_ieee = (size == 2 || size == 4 || size == 8) && is_plain_number(type) &&
                         sign == bits - 1 && exponent_bits == expected_bits &&
                         exponent == bits - 1 - expected_bits && mantissa == 0 &&
                         mantissa_bits == exponent &&
                         calls_->call_H5Tget_ebias(type) == (1U << (expected_bits - 1)) - 1;
    if (!is_ieee)
      return made(fmt::format("floats of {} bits that aren't those of IEEE 754", bits),
                  std::nullopt, size, false);
    std::optional<cell> as;
    if (size == 4) as = cell::f32;
    if (size == 8) as = cell::f64;
    return made(dtype('f', size, is_swapped(type)), as, size, is_swapped(type));
  }

  /// Enumerations are read as the integers that they are.
  typed_field enumeration(hid_t type) const {
    const hdf5_object base(calls_, calls_->call_H5Tget_super(type), types);
    typed_field result = integer(base.id());
    const unsigned n = members(type);
    result.truth = result.field.scalar_bytes == 1 && n == 2 && member_name(type, 0) == "FALSE" &&
                   member_name(type, 1) == "TRUE";
    return result;
  }

  typed_field array(hid_t type) const {
    const int rank = calls_.expect(calls_->call_H5Tget_array_ndims(type), types);
    std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
    calls_.expect(calls_->call_H5Tget_array_dims2(type, extents.data()), types);
    const hdf5_object base(calls_, calls_->call_H5Tget_super(type), types);
    const H5T_class_t of = kind(base.id());
    if (of == H5T_ARRAY || of == H5T_COMPOUND) return other(type);
    typed_field result = field(base.id());
    std::int64_t scalars = 1;
    for (const hsize_t extent : extents) {
      if (extent > static_cast<hsize_t>(scalars_max / scalars)) return other(type);
      result.extents.push_back(static_cast<std::int64_t>(extent));
      scalars *= result.extents.back();
      if (scalars == 0) return other(type);
    }
    return result;
  }

  /// What no field of a record can hold.
  typed_field other(hid_t type) const {
    const std::size_t size = bytes(type);
    const auto words = [&]() -> std::string {
      switch (kind(type)) {
        case H5T_STRING:
          return "text";
        case H5T_BITFIELD:
          return "bits";
        case H5T_OPAQUE:
          return "opaque values";
        case H5T_COMPOUND:
          return "structures";
        case H5T_ARRAY:
          return "arrays";
        case H5T_TIME:
          return "times";
        default:
          return "values of an unknown type";
      }
    };
    if (kind(type) == H5T_REFERENCE) refuse("references to other objects");
    if (kind(type) == H5T_VLEN) refuse("sequences of varying length");
    if (kind(type) == H5T_STRING && calls_->call_H5Tis_variable_str(type) > 0)
      refuse("text of varying length");
    return made(fmt::format("{} of {} bytes", words(), size), std::nullopt, size, false);
  }

  [[noreturn]] static void refuse(const std::string& what) {
    throw hdf5_problem(fmt::format(
        "expected numbers, or structures of numbers, got {}, which lie elsewhere in the file; "
        "write them as numbers",
        what));
  }

  const hdf5_calls& calls_;
};

}  // namespace

hdf5_item read_hdf5_type(const hdf5_calls& calls, hid_t type) {
  const type_reader reader(calls);
  if (reader.kind(type) == H5T_COMPOUND) return reader.compound(type);
  typed_field typed = reader.field(type);
  hdf5_item result;
  result.item.bytes = typed.field.scalar_bytes;
  result.item.fields = {std::move(typed.field)};
  result.truths = {typed.truth};
  result.extents = std::move(typed.extents);
  return result;
}

}  // namespace pappus::formats
