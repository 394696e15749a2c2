// Dates and moments as text in a form that somebody chose: "%d/%m/%Y", "%b %e, %Y %I:%M %p".
//
//     const time_format stamp("%d/%b/%Y:%H:%M:%S");
//     lines.map([stamp](std::string_view line) { return stamp.parse(str::piece(line, '[', 1)); })
//
// The conversions are those of strftime that files have: %Y %y %m %b %B %d %e %H %I %p %M %S %f (a
// fraction of a second) %F %T %%. What stands between them is there as it is. Names of months are
// English. Not here: time zones, names of weekdays, weeks, days of the year.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pappus/dates.h"

namespace pappus {

/// Trivially copyable, so that lambdas may capture it; runs on the CPU.
class time_format {
 public:
  /// Throws usage_error for conversions that aren't known, a pattern of more than 64 conversions
  /// and characters, or one that doesn't tell year, month and day.
  explicit time_format(std::string_view pattern) : time_format(pattern, "time_format", true) {}
  /// \param what  what gave the pattern, for errors
  /// \param time  whether there may be a time of the day, not a day alone
  time_format(std::string_view pattern, std::string_view what, bool time);

  /// None where the text is another. Numbers may have fewer digits than are printed; two digits of
  /// a year are those from 1969 to 2068; digits behind a millionth of a second are left out.
  std::optional<timestamp> parse(std::string_view text) const noexcept;
  /// The day of that moment.
  std::optional<date> parse_date(std::string_view text) const noexcept;

  /// Whether a day is in the years 0 to 9999.
  static bool can_print(date day) noexcept;
  /// Throws usage_error for days in other years.
  std::string print(timestamp moment) const;
  std::string print(date day) const;
  /// The same to memory that has room for bytes_max(); returns the end of the text.
  char* print(timestamp moment, char* at) const;
  std::size_t bytes_max() const noexcept;

  /// The pattern, %F and %T written out.
  std::string pattern() const;

 private:
  static constexpr std::size_t items_max = 64;
  /// A conversion's letter; 0: a character as it is.
  struct item {
    char conversion = 0;
    char literal = 0;
  };
  void add(std::string_view pattern, std::string_view what, bool time);
  void add_conversion(char conversion, std::string_view pattern, std::string_view what, bool time);
  void add(item one, std::string_view pattern, std::string_view what);
  void check(std::string_view pattern, std::string_view what) const;

  std::array<item, items_max> items_{};
  std::size_t count_ = 0;
};

}  // namespace pappus
