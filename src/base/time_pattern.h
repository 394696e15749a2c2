// Dates and times as text in a form that somebody chose: "%d/%m/%Y", "%b %d, %Y %I:%M %p".
//
// The conversions are those of strftime that files have: %Y %y %m %b %B %d %e %H %I %p %M %S %f (a
// fraction of a second) %F %T %%. What stands between them is there as it is. Names of months are
// English. Not here: time zones, names of weekdays, weeks, days of the year.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pappus::base {

class time_pattern {
 public:
  /// \param what  what gave the pattern, for errors
  /// \param time  whether there may be a time of the day, not a day alone
  /// Throws usage_error for conversions that aren't known, that have no meaning there, or where
  /// they don't tell year, month and day.
  time_pattern(std::string_view pattern, std::string_view what, bool time);

  const std::string& text() const noexcept { return text_; }

  /// Microseconds since 1970-01-01 00:00; none where the text is another. Numbers may have fewer
  /// digits than are printed; two digits of a year are those from 1969 to 2068.
  std::optional<std::int64_t> parse(std::string_view text) const noexcept;

  /// Writes that moment and returns where its text ends.
  /// \param at  has room for bytes_max(); the year is from 0 to 9999
  char* print(std::int64_t micros, char* at) const noexcept;
  std::size_t bytes_max() const noexcept;

 private:
  /// A conversion's letter; 0: a character as it is.
  struct item {
    char conversion = 0;
    char literal = 0;
  };
  void add(char conversion, std::string_view what, bool time);
  void check(std::string_view what) const;

  std::string text_;
  std::vector<item> items_;
};

}  // namespace pappus::base
