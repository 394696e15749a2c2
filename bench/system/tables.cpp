#include "system/tables.h"

#include <array>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "system/generator.h"

namespace pappus::bench {
namespace {

constexpr std::array<std::string_view, 14> carriers{"AA", "AS", "B6", "DL", "F9", "G4", "HA",
                                                    "MQ", "NK", "OH", "OO", "UA", "WN", "YX"};
constexpr std::uint64_t airports = 300, planes = 9'000;

std::array<char, 3> airport(std::uint64_t number) {
  const auto letter = [](std::uint64_t of) { return static_cast<char>('A' + of % 26); };
  return {letter(number / 26), letter(number), letter(number * 7)};
}

class writer {
 public:
  explicit writer(std::uint64_t seed)
      : carrier_(seed, 0),
        from_(seed, 1),
        to_(seed, 2),
        tail_(seed, 3),
        day_(seed, 4),
        departure_(seed, 5),
        arrival_(seed, 6),
        miles_(seed, 7) {}

  void add(std::uint64_t i, fmt::memory_buffer& to) const {
    const auto from = airport(from_.below(i, airports)), there = airport(to_.below(i, airports));
    auto out = std::back_inserter(to);
    fmt::format_to(out, "{},{},{},", carriers[carrier_.below(i, carriers.size())],
                   std::string_view(from.data(), 3), std::string_view(there.data(), 3));
    if (const auto plane = tail_.below(i, planes + 1); plane > 0)
      fmt::format_to(out, "N{}", 10'000 + plane);
    const date day = date::of(2024, 1, 1) + static_cast<int>(day_.below(i, 366));
    fmt::format_to(out, ",2024-{:02}-{:02},", day.month(), day.day());
    add_delay(departure_, i, to);
    add_delay(arrival_, i, to);
    fmt::format_to(out, "{}\n", 100 + miles_.below(i, 2'900));
  }

 private:
  /// Many are early, few very late.
  static void add_delay(const stream& delays, std::uint64_t i, fmt::memory_buffer& to) {
    const auto bits = delays.bits(i);
    if (bits % 20 != 0) {
      const auto part = static_cast<std::int64_t>((bits >> 40) % 1000);
      fmt::format_to(std::back_inserter(to), "{}", part * part * part / 3'000'000 - 30);
    }
    to.push_back(',');
  }

  stream carrier_, from_, to_, tail_, day_, departure_, arrival_, miles_;
};

}  // namespace

void write_flights(const scratch_file& file, std::uint64_t seed, std::int64_t n) {
  constexpr std::int64_t at_once = 10'000;
  std::ofstream out(file.path(), std::ios::binary);
  out << flights_header << "\n";
  const writer lines(seed);
  fmt::memory_buffer text;
  for (std::int64_t begin = 0; begin < n; begin += at_once) {
    text.clear();
    for (auto i = begin; i < std::min(begin + at_once, n); ++i)
      lines.add(static_cast<std::uint64_t>(i), text);
    out.write(text.data(), std::ssize(text));
  }
  if (!out.flush())
    throw format_error(fmt::format("{}: the benchmark's input can't be written", file.path()));
}

}  // namespace pappus::bench
