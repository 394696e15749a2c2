#include "codegen/plugin/comparison.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "base/own_memory.h"
#include "pappus/category.h"
#include "pappus/detail/base/view_layout.h"

namespace pappus::codegen {
namespace {

/// The bits from `width` on are copies of the one before.
std::uint64_t extended(std::uint64_t bits, std::size_t width) {
  const auto above = 64 - width;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << above) >> above);
}

std::uint64_t value_of(const comparison::captured_value& of, const std::byte* captures) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, captures + of.offset, of.bytes);
  std::size_t width = 8 * of.bytes;
  for (const auto& step : of.steps) {
    using kind = comparison::step::kind;
    if (step.what == kind::sign) bits = extended(bits, width);
    if (step.what == kind::add) bits += step.by;
    if (step.what == kind::multiply) bits *= step.by;
    width = step.bits;
    if (width < 64) bits &= (std::uint64_t{1} << width) - 1;
  }
  return bits;
}

double float_of(std::uint64_t bits, std::size_t bytes) {
  if (bytes == sizeof(float)) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  return std::bit_cast<double>(bits);
}

/// Whether so many bytes lie in the captures, of which there are `all`.
bool are_there(std::size_t offset, std::size_t bytes, const std::byte* captures, std::size_t all) {
  return captures != nullptr && offset <= all && bytes <= all - offset;
}

/// What lies in the captures; none: it would lie behind them.
template <typename T>
std::optional<T> captured_at(std::size_t offset, const std::byte* captures, std::size_t bytes) {
  T value;
  if (!are_there(offset, sizeof value, captures, bytes)) return std::nullopt;
  std::memcpy(&value, captures + offset, sizeof value);
  return value;
}

/// The text, or the front of a long one, which is not whole then. The predicate may ask first
/// whether one was captured, of an empty std::optional for instance: nothing that is wrong follows
/// from bytes which it wouldn't have looked at, but they may not be there.
std::optional<comparison::text_value> captured_text(const comparison::text_value& of,
                                                    const std::byte* captures, std::size_t bytes) {
  constexpr std::size_t most = 256;
  const auto pointer = captured_at<const char*>(of.captured->pointer, captures, bytes);
  const auto size = captured_at<std::size_t>(of.captured->size, captures, bytes);
  if (!pointer || !size) return std::nullopt;
  comparison::text_value text{.whole = of.whole && *size <= most};
  text.bytes.resize(std::min(*size, most));
  if (!base::copy_if_there(text.bytes.data(), *pointer, text.bytes.size())) return std::nullopt;
  return text;
}

std::optional<detail::condition> text_condition_of(const comparison& one, const std::byte* captures,
                                                   std::size_t captured_bytes) {
  const auto text =
      one.text->captured ? captured_text(*one.text, captures, captured_bytes) : one.text;
  if (!text || text->bytes.empty()) return std::nullopt;
  if (one.field.bytes == sizeof(category))
    return base::condition_of(one.field.offset, one.field.bytes, text->bytes, text->whole);
  const auto pointer = detail::layout_of_views().pointer;
  if (one.field.offset < pointer) return std::nullopt;
  return base::condition_of(one.field.offset - pointer, sizeof(std::string_view), text->bytes,
                            text->whole);
}

}  // namespace

std::optional<detail::condition> condition_of(const comparison& one, const std::byte* captures,
                                              std::size_t captured_bytes) {
  if (one.text) return text_condition_of(one, captures, captured_bytes);
  auto bits = one.value;
  std::size_t bytes = sizeof(double);
  if (one.captured) {
    bytes = one.captured->bytes;
    if (bytes > sizeof bits || !are_there(one.captured->offset, bytes, captures, captured_bytes))
      return std::nullopt;
    bits = value_of(*one.captured, captures);
  }
  if (one.floating)
    return base::condition_of(one.field.offset, one.field.bytes, one.is, float_of(bits, bytes));
  return base::condition_of(one.field, one.is, bits);
}

}  // namespace pappus::codegen
