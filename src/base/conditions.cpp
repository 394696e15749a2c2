#include "base/conditions.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "pappus/dates.h"

namespace pappus::base {
namespace {

using detail::cell;
using detail::condition;

constexpr double infinite = std::numeric_limits<double>::infinity();

std::uint64_t mask_of(unsigned bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

wide_integer power_of_two(unsigned exponent) { return wide_integer{1} << exponent; }

/// What the field may be at all.
integer_range range_of(std::size_t bytes, bool is_signed) {
  const auto bits = static_cast<unsigned>(8 * bytes);
  if (!is_signed) return {0, power_of_two(bits) - 1};
  return {-power_of_two(bits - 1), power_of_two(bits - 1) - 1};
}

bool is_signed_cell(cell type) {
  return type <= cell::i64 || type == cell::date || type == cell::timestamp;
}

std::string text_of(date day) {
  return fmt::format("{:04}-{:02}-{:02}", day.year(), day.month(), day.day());
}

std::string text_of(timestamp at) {
  const auto day = at.date();
  const auto micros = at.micros - timestamp::of(day).micros, seconds = micros / 1'000'000;
  auto text = text_of(day);
  if (micros != 0)
    text += fmt::format(" {:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
  if (micros % 1'000'000 != 0) text += fmt::format(".{:06}", micros % 1'000'000);
  return text;
}

std::string text_of(wide_integer value, cell type) {
  const auto narrow = static_cast<std::int64_t>(value);
  if (type == cell::date) return text_of(date{static_cast<std::int32_t>(narrow)});
  if (type == cell::timestamp) return text_of(timestamp{narrow});
  if (type == cell::u64) return fmt::format("{}", static_cast<std::uint64_t>(value));
  return fmt::format("{}", narrow);
}

std::string float_text(const condition& of, std::string_view name) {
  if (of.low == of.high) return fmt::format("{} = {}", name, of.low);
  const bool below = of.high < infinite || !of.with_high,
             above = of.low > -infinite || !of.with_low;
  const auto least = fmt::format("{} {} {}", name, of.with_low ? ">=" : ">", of.low);
  const auto most = fmt::format("{} {} {}", name, of.with_high ? "<=" : "<", of.high);
  return above && below ? least + " and " + most : above ? least : most;
}

}  // namespace

std::optional<condition> condition_of(const compared_integer& field, relation is,
                                      std::uint64_t value) {
  const auto mask = mask_of(field.bits);
  const std::uint64_t least = field.signed_order ? std::uint64_t{1} << (field.bits - 1) : 0;
  const std::uint64_t most = (least - 1) & mask;
  value &= mask;
  condition made{.offset = field.offset,
                 .bytes = field.bytes,
                 .bits = field.bits,
                 .sign_extended = field.sign_extended};
  switch (is) {
    case relation::less:
      made.never = value == least;
      made.first = least, made.last = value - 1;
      break;
    case relation::at_most:
      if (value == most) return std::nullopt;
      made.first = least, made.last = value;
      break;
    case relation::at_least:
      if (value == least) return std::nullopt;
      made.first = value, made.last = most;
      break;
    case relation::greater:
      made.never = value == most;
      made.first = value + 1, made.last = most;
      break;
    case relation::equal:
      made.first = made.last = value;
      break;
    case relation::unequal:
      made.first = value + 1, made.last = value - 1;
      break;
  }
  made.first = (made.first - field.addend) & mask;
  made.last = (made.last - field.addend) & mask;
  return made;
}

std::optional<condition> condition_of(std::size_t offset, std::size_t bytes, relation is,
                                      double value) {
  condition made{.offset = offset, .bytes = bytes, .floating = true};
  if (is == relation::unequal) return std::nullopt;  // true of NaN, which no statistics tell of
  made.never = std::isnan(value);
  if (is != relation::less && is != relation::at_most) made.low = value;
  if (is != relation::greater && is != relation::at_least) made.high = value;
  made.with_low = is != relation::greater;
  made.with_high = is != relation::less;
  return made;
}

condition condition_of(std::size_t offset, std::size_t bytes, std::string_view text, bool whole) {
  return {.offset = offset, .bytes = bytes, .text = std::string(text), .whole_text = whole};
}

/// Bits of the field with the first one 0, and with it 1, are neighbours each when extended, and as
/// numbers.
std::vector<integer_range> allowed(const condition& of, bool is_signed) {
  std::vector<integer_range> found;
  if (of.never) return found;
  const auto own_bits = static_cast<unsigned>(8 * of.bytes);
  const wide_integer half = power_of_two(own_bits - 1), full = power_of_two(of.bits);
  std::vector<integer_range> arcs{{of.first, of.last}};
  if (of.first > of.last) arcs = {{0, of.last}, {of.first, full - 1}};
  for (const bool upper : {false, true}) {
    const integer_range own{upper ? half : 0, upper ? 2 * half - 1 : half - 1};
    const wide_integer extended = upper && of.sign_extended ? full - 2 * half : 0;
    const wide_integer number = upper && is_signed ? -2 * half : 0;
    for (const auto& arc : arcs) {
      const auto first = std::max(own.first + extended, arc.first) - extended + number;
      const auto last = std::min(own.last + extended, arc.last) - extended + number;
      if (first <= last) found.push_back({first, last});
    }
  }
  std::ranges::sort(found, {}, &integer_range::first);
  std::vector<integer_range> merged;
  for (const auto& one : found) {
    if (!merged.empty() && one.first == merged.back().last + 1)
      merged.back().last = one.last;
    else
      merged.push_back(one);
  }
  return merged;
}

bool may_hold(const condition& of, bool is_signed, wide_integer least, wide_integer most) {
  return std::ranges::any_of(allowed(of, is_signed), [&](const integer_range& one) {
    return one.first <= most && least <= one.last;
  });
}

bool may_hold(const condition& of, double least, double most) {
  if (of.never) return false;
  const bool above = of.with_low ? most >= of.low : most > of.low;
  const bool below = of.with_high ? least <= of.high : least < of.high;
  return above && below;
}

/// Those that begin with it lie together, it is the first of them.
bool may_hold(const condition& of, std::string_view least, std::string_view most) {
  const auto front = of.whole_text ? least : least.substr(0, of.text.size());
  return front <= of.text && of.text <= most;
}

std::string text(const condition& of, std::string_view name, cell type) {
  if (of.never) return fmt::format("no {}", name);
  if (!of.text.empty())
    return fmt::format("{} {} {}", name, of.whole_text ? "=" : "begins with",
                       base::quoted(of.text));
  if (of.floating) return float_text(of, name);
  if (type == cell::boolean && may_hold(of, false, 0, 0) != may_hold(of, false, 1, 1))
    return fmt::format("{}{}", may_hold(of, false, 0, 0) ? "not " : "", name);
  const bool is_signed = is_signed_cell(type);
  const auto whole = range_of(of.bytes, is_signed);
  std::string all;
  const auto ranges = allowed(of, is_signed);
  if (ranges.empty()) return fmt::format("no {}", name);
  if (ranges.size() == 2 && ranges[0].first == whole.first && ranges[1].last == whole.last &&
      ranges[0].last + 2 == ranges[1].first)
    return fmt::format("{} != {}", name, text_of(ranges[0].last + 1, type));
  for (const auto& [first, last] : ranges) {
    const auto least = fmt::format("{} >= {}", name, text_of(first, type));
    const auto most = fmt::format("{} <= {}", name, text_of(last, type));
    all += all.empty() ? "" : " or ";
    if (first == last)
      all += fmt::format("{} = {}", name, text_of(first, type));
    else if (first == whole.first)
      all += last == whole.last ? fmt::format("any {}", name) : most;
    else
      all += last == whole.last ? least : least + " and " + most;
  }
  return all;
}

}  // namespace pappus::base
