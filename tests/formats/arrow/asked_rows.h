// What a record is asked by a condition, and texts that tests of groups and pages ask for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "formats/arrow/arrow_reader.h"
#include "pappus/category.h"
#include "pappus/columns.h"
#include "pappus/detail/base/conditions.h"

namespace pappus::testing {

/// In the order of their bytes.
inline constexpr std::string_view sorted_names[] = {
    "",         "A",   "AA",  "AAB",        "AB",           "B", "New York",      "New York City",
    "S\u00e3o", "Zed", "Zee", "a\x01b\x02", "a name, long", "b", "\u00e9t\u00e9", "\u00ff"};

/// In which columns are decoded some 2,000 rows at a time.
inline constexpr std::size_t little_memory = std::size_t{16} << 20;

inline std::string_view text_at(const std::byte* field, std::size_t bytes) {
  if (bytes == sizeof(category)) return reinterpret_cast<const category*>(field)->text();
  std::string_view text;
  std::memcpy(&text, field, sizeof text);
  return text;
}

/// As a processor would.
inline bool holds(const detail::condition& of, const std::byte* record) {
  if (of.never) return false;
  if (!of.text.empty()) {
    const auto text = text_at(record + of.offset, of.bytes);
    return of.whole_text ? text == of.text : text.starts_with(of.text);
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, record + of.offset, of.bytes);
  if (of.floating) {
    double value;
    std::memcpy(&value, &bits, sizeof value);
    float narrow;
    std::memcpy(&narrow, &bits, sizeof narrow);
    if (of.bytes == 4) value = narrow;
    return (of.with_low ? value >= of.low : value > of.low) &&
           (of.with_high ? value <= of.high : value < of.high);
  }
  const auto above = 64 - 8 * of.bytes;
  if (of.sign_extended)
    bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << above) >> above);
  bits = bits << (64 - of.bits) >> (64 - of.bits);
  return of.first <= of.last ? of.first <= bits && bits <= of.last
                             : of.first <= bits || bits <= of.last;
}

/// Opens a Parquet file of which nobody misses records that one of the conditions is false of.
template <typename Record>
std::unique_ptr<formats::reader> open_asked(const std::string& path,
                                            const detail::conditions& wanted,
                                            detail::memory_source& memory) {
  auto layout = detail::layout_of<Record>();
  layout.rows = wanted;
  return formats::open_parquet(path, layout, memory);
}

}  // namespace pappus::testing
