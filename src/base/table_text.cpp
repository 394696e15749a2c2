#include "pappus/detail/base/table_text.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

namespace pappus::detail {
namespace {

/// Characters of UTF-8.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::size_t width_of(const shown_column& column) {
  auto width = std::max(width_of(column.name), width_of(column.type));
  for (const auto& cell : column.cells) width = std::max(width, width_of(cell));
  return width;
}

void put_line(std::string& to, const std::vector<shown_column>& columns,
              const std::vector<std::size_t>& widths, const auto& text_of) {
  for (std::size_t c = 0; c < widths.size(); ++c) {
    const std::string& text = text_of(columns[c]);
    const std::string spaces(widths[c] - width_of(text), ' ');
    if (c > 0) to += "  ";
    to += columns[c].is_number ? spaces + text : text + spaces;
  }
  to.erase(to.find_last_not_of(' ') + 1);
  to += '\n';
}

}  // namespace

std::string table_text(const std::vector<shown_column>& columns, std::size_t width) {
  std::vector<std::size_t> widths;
  std::size_t used = 0;
  for (const auto& column : columns) {
    const auto own = width_of(column), before = widths.empty() ? 0 : std::size_t{2};
    if (width > 0 && !widths.empty() && used + before + own > width) break;
    widths.push_back(own);
    used += before + own;
  }
  std::string text;
  if (widths.empty()) return text;
  put_line(text, columns, widths, [](const shown_column& c) -> auto& { return c.name; });
  put_line(text, columns, widths, [](const shown_column& c) -> auto& { return c.type; });
  for (std::size_t row = 0; row < columns.front().cells.size(); ++row)
    put_line(text, columns, widths, [row](const shown_column& c) -> auto& { return c.cells[row]; });
  if (widths.size() == columns.size()) return text;
  std::string others = fmt::format("{} more columns:", columns.size() - widths.size());
  for (auto c = widths.size(); c < columns.size(); ++c)
    others += fmt::format("{} {}", c > widths.size() ? "," : "", columns[c].name);
  return text + others + '\n';
}

std::size_t terminal_width() {
  winsize size{};
  if (::isatty(STDOUT_FILENO) == 0) return 0;
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::string text_of_number(double value) {
  return std::isnan(value) ? "NaN" : fmt::format("{:.6g}", value);
}
std::string text_of_number(std::int64_t value) { return fmt::format("{}", value); }
std::string text_of_number(std::uint64_t value) { return fmt::format("{}", value); }

std::string text_of_text(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string result;
  std::size_t width = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (width == most && (byte & 0xC0U) != 0x80U) return result + "…";
    if (byte >= ' ' && byte != 0x7F) {
      result += c;
    } else {
      result += c == '\n'   ? "\\n"
                : c == '\t' ? "\\t"
                : c == '\r' ? "\\r"
                            : fmt::format("\\x{:02x}", byte);
    }
    width += (byte & 0xC0U) != 0x80U ? 1 : 0;
  }
  return result;
}

std::string text_of_date(std::int64_t days) {
  // std::chrono's years have 16 bits; the calendar repeats every 400 years.
  constexpr std::int64_t days_of_400_years = 146'097;
  const auto times = (days - (days < 0 ? days_of_400_years - 1 : 0)) / days_of_400_years;
  const std::chrono::year_month_day day{
      std::chrono::sys_days{std::chrono::days{days - times * days_of_400_years}}};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()) + 400 * times,
                     static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
}

std::string text_of_timestamp(std::int64_t micros) {
  const std::chrono::microseconds since(micros);
  const auto day = std::chrono::floor<std::chrono::days>(since);
  const std::chrono::hh_mm_ss time(since - day);
  auto text = fmt::format("{} {:02}:{:02}:{:02}", text_of_date(day.count()), time.hours().count(),
                          time.minutes().count(), time.seconds().count());
  if (time.subseconds().count() != 0) text += fmt::format(".{:06}", time.subseconds().count());
  return text;
}

}  // namespace pappus::detail
