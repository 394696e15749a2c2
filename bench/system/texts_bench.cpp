// Word count and a web server's log, from their files: examples/word_count.cpp and web_log.cpp.
// A checksum is the number of texts / a sum of their bits.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "system/suite.h"
#include "system/texts.h"

namespace pappus::bench {
namespace {

struct request {
  std::string_view path;
  int status;
};

std::string text_of(std::string_view text) { return std::string(text); }
/// Of letters, zeros behind them.
template <std::size_t Size>
std::string text_of(const std::array<char, Size>& text) {
  return {text.data(), ::strnlen(text.data(), Size)};
}
template <typename Groups>
counts counts_of(const Groups& groups) {
  counts list;
  for (const auto& [text, times] : groups) list.push_back({text_of(text), times});
  return list;
}

/// \param write  (file, seed, n): the input
/// \param ask    lines -> groups of texts and numbers
template <typename Write, typename Sequential, typename Handwritten, typename Ask>
std::vector<result> count_texts(const stage& on, const char* name, std::int64_t n, Write write,
                                Sequential sequential, Handwritten handwritten, Ask ask) {
  const scratch_file file(".txt");
  write(file, on.asked.seed, n);
  const auto path = file.path();
  counts one, other;
  decltype(ask(on.engine.lines(path))) last;
  return compare(on, name, n, 0,
                 {{"sequential", [&] { one = sequential(path); }, [&] { return checksum(one); }},
                  {"handwritten", [&] { other = handwritten(path, on.workers); },
                   [&] { return checksum(other); }},
                  {"pappus", [&] { last = ask(on.engine.lines(path)); },
                   [&] { return checksum(counts_of(last)); }}});
}

}  // namespace

std::vector<result> run_tables_words(const stage& on, std::int64_t n) {
  return count_texts(
      on, "tables_words", n, write_words, [](const auto& path) { return frequent_words(path); },
      [](const auto& path, team& workers) { return frequent_words(path, workers); },
      [](const auto& lines) {
        return lines
            .flat_map([](std::string_view line) { return str::words(line, str::is_letter); })
            .value_counts([](std::string_view word) { return str::lower<32>(word); })
            .take(10)
            .collect();
      });
}

std::vector<result> run_tables_log(const stage& on, std::int64_t n) {
  return count_texts(
      on, "tables_log", n, write_log, [](const auto& path) { return failed_paths(path); },
      [](const auto& path, team& workers) { return failed_paths(path, workers); },
      [](const auto& lines) {
        return lines
            .map([](std::string_view line) {
              return request{str::piece(line, ' ', 6),
                             str::parse<int>(str::piece(line, ' ', 8)).value_or(0)};
            })
            .filter([](const request& one) { return one.status >= 400; })
            .value_counts(&request::path)
            .collect();
      });
}

}  // namespace pappus::bench
