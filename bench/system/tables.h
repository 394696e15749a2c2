// Flights as a CSV file has them: text, dates, numbers, and cells that are empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pappus/pappus.h"
#include "system/scratch_file.h"

namespace pappus::bench {

struct flight {
  std::string_view carrier, from, to;
  std::optional<std::string_view> tail;            ///< of 9,000; one in 9,001 is missing
  date day;                                        ///< of 2024
  std::optional<std::int32_t> departure, arrival;  ///< minutes late; one in 20 is missing
  std::int32_t miles = 0;
};

/// The same with text that repeats as categories.
struct coded_flight {
  category carrier, from, to;
  std::optional<category> tail;
  date day;
  std::optional<std::int32_t> departure, arrival;
  std::int32_t miles = 0;
};

/// The columns of the file, and the first of them as the header has it.
inline constexpr std::string_view flights_header =
    "carrier,from,to,tail,day,departure,arrival,miles";

/// Fills a file with n of them.
/// \throws format_error  if it can't be written
void write_flights(const scratch_file& file, std::uint64_t seed, std::int64_t n);

}  // namespace pappus::bench
