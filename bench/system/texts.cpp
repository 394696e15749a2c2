#include "system/texts.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "pappus/error.h"
#include "system/checksum.h"
#include "system/generator.h"

namespace pappus::bench {
namespace {

constexpr std::uint64_t vocabulary = 50'000, paths = 20'000, longest_word = 32;

/// Of n things, some far more often than others.
std::uint64_t often(const stream& numbers, std::uint64_t i, std::uint64_t n) {
  const double u = numbers.f64(i, 0, 1);
  return static_cast<std::uint64_t>(static_cast<double>(n) * (u * u * u));
}

std::string word_of(std::uint64_t number) {
  std::string word;
  std::uint64_t letters = mix64(number);
  for (std::uint64_t i = 0; i < 2 + number % 9; ++i, letters /= 26)
    word.push_back(static_cast<char>('a' + letters % 26));
  return word;
}

/// Writes what add(i, text) appends for all i below n.
template <typename Add>
void write_texts(const scratch_file& file, std::int64_t n, Add add) {
  constexpr std::int64_t at_once = 10'000;
  std::ofstream out(file.path(), std::ios::binary);
  fmt::memory_buffer text;
  for (std::int64_t begin = 0; begin < n; begin += at_once) {
    text.clear();
    for (auto i = begin; i < std::min(begin + at_once, n); ++i)
      add(static_cast<std::uint64_t>(i), text);
    out.write(text.data(), std::ssize(text));
  }
  if (!out.flush())
    throw format_error(fmt::format("{}: the benchmark's input can't be written", file.path()));
}

counts in_order(counts all, std::size_t most) {
  const auto before = [](const counted& a, const counted& b) {
    return a.times != b.times ? a.times > b.times : a.text < b.text;
  };
  const auto kept = std::min(most, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), all.end(),
                    before);
  all.resize(kept);
  return all;
}
counts in_order(const std::unordered_map<std::string, std::int64_t>& all, std::size_t most) {
  counts list;
  for (const auto& [text, times] : all) list.push_back({text, times});
  return in_order(std::move(list), most);
}

/// Texts of at most 32 characters in their places, half of which are free.
class word_table {
 public:
  struct place {
    std::array<std::uint64_t, 4> text;
    std::int64_t times;
  };

  /// \param text  zeros behind the word
  void add(const std::array<std::uint64_t, 4>& text, std::int64_t times) {
    auto at = mix64(text[0] ^ mix64(text[1] ^ (text[2] + text[3]) * golden));
    for (;; ++at) {
      auto& here = places_[at & (places_.size() - 1)];
      if (here.times == 0) {
        here = {text, times};
        if (++used_ * 2 > places_.size()) grow();
        return;
      }
      if (here.text == text) {
        here.times += times;
        return;
      }
    }
  }
  template <typename Visit>
  void each(Visit visit) const {
    for (const auto& here : places_)
      if (here.times > 0) visit(here);
  }

 private:
  void grow() {
    auto before = std::exchange(places_, std::vector<place>(places_.size() * 2));
    used_ = 0;
    for (const auto& here : before)
      if (here.times > 0) add(here.text, here.times);
  }

  std::vector<place> places_ = std::vector<place>(1024);
  std::size_t used_ = 0;
};

/// For each byte the letter in lower case, or 0.
constexpr auto letters = [] {
  std::array<char, 256> of{};
  for (int c = 'a'; c <= 'z'; ++c)
    of[static_cast<std::size_t>(c)] = of[static_cast<std::size_t>(c - 32)] = static_cast<char>(c);
  return of;
}();

void count_words(std::string_view text, word_table& to) {
  std::array<std::uint64_t, 4> word{};
  auto* const begin = reinterpret_cast<char*>(word.data());
  std::size_t length = 0;
  for (const char c : text) {
    const char letter = letters[static_cast<unsigned char>(c)];
    if (letter != 0) {
      begin[length] = letter;
      length += length + 1 < longest_word ? 1 : 0;
    } else if (length > 0) {
      to.add(word, 1);
      word = {};
      length = 0;
    }
  }
  if (length > 0) to.add(word, 1);
}

/// Calls f(lines, worker) with stretches of the file's lines.
template <typename F>
void for_each_stretch(const std::string& path, team& workers, F f) {
  constexpr std::int64_t piece = 2 << 20, longest_line = 64 << 10;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const auto bytes = static_cast<std::int64_t>(::lseek(file, 0, SEEK_END));
  std::vector<std::string> buffers(static_cast<std::size_t>(workers.threads()));
  workers.run_pieces(bytes, piece, [&](std::int64_t begin, std::int64_t end, int worker) {
    auto& buffer = buffers[static_cast<std::size_t>(worker)];
    buffer.resize(piece + longest_line + 1);
    const auto from = std::max<std::int64_t>(begin - 1, 0);
    const auto wanted = std::min(end + longest_line, bytes) - from;
    std::int64_t got = 0;
    while (got < wanted) {
      const auto n =
          ::pread(file, buffer.data() + got, static_cast<std::size_t>(wanted - got), from + got);
      if (n <= 0) break;
      got += n;
    }
    // Lines that begin in the piece: the one before it may end in it.
    const std::string_view all(buffer.data(), static_cast<std::size_t>(got));
    const auto first = begin == 0 ? 0 : all.find('\n') + 1;
    const auto last =
        end == bytes ? all.size() : all.find('\n', static_cast<std::size_t>(end - 1 - from)) + 1;
    if (first < last) f(all.substr(first, last - first), worker);
  });
  ::close(file);
}

/// A path whose request failed; none: it didn't.
std::string_view failed_path(std::string_view line) {
  const auto skip = [&](int spaces) {
    for (; spaces > 0; --spaces) line.remove_prefix(line.find(' ') + 1);
  };
  skip(6);
  const auto path = line.substr(0, line.find(' '));
  skip(2);
  int status = 0;
  std::from_chars(line.data(), line.data() + line.size(), status);
  return status >= 400 ? path : std::string_view{};
}

}  // namespace

void write_words(const scratch_file& file, std::uint64_t seed, std::int64_t n) {
  std::vector<std::string> words;
  for (std::uint64_t i = 0; i < vocabulary; ++i) words.push_back(word_of(i));
  const stream word(seed, 0), capital(seed, 1), behind(seed, 2);
  write_texts(file, n, [&](std::uint64_t i, fmt::memory_buffer& to) {
    static constexpr std::string_view ends[] = {".\n", "\n", ", "};
    const auto& text = words[often(word, i, vocabulary)];
    to.append(text);
    if (capital.below(i, 8) == 0) to[to.size() - text.size()] -= 32;
    const auto end = behind.below(i, 24);
    to.append(end < std::size(ends) ? ends[end] : std::string_view(" "));
  });
}

void write_log(const scratch_file& file, std::uint64_t seed, std::int64_t n) {
  const stream address(seed, 0), path(seed, 1), status(seed, 2), bytes(seed, 3);
  write_texts(file, n, [&](std::uint64_t i, fmt::memory_buffer& to) {
    const auto from = address.below(i, 1 << 16), second = i / 20, page = often(path, i, paths);
    const auto outcome = status.below(i, 100);
    fmt::format_to(std::back_inserter(to),
                   "10.0.{}.{} - - [{:02}/Mar/2024:{:02}:{:02}:{:02} +0000] \"GET "
                   "/section{}/page{}.html HTTP/1.1\" {} {} \"-\" \"Mozilla/5.0 (X11; Linux)\"\n",
                   from >> 8, from & 255, 1 + second / 86'400 % 31, second / 3'600 % 24,
                   second / 60 % 60, second % 60, page % 40, page,
                   outcome < 90   ? 200
                   : outcome < 94 ? 304
                   : outcome < 99 ? 404
                                  : 500,
                   bytes.below(i, 1'000) * 17);
  });
}

counts frequent_words(const std::string& path) {
  std::unordered_map<std::string, std::int64_t> all;
  std::ifstream file(path);
  for (std::string line, word; std::getline(file, line);) {
    line.push_back(' ');
    for (const char c : line) {
      const char letter = letters[static_cast<unsigned char>(c)];
      if (letter != 0) {
        word.push_back(letter);
      } else if (!word.empty()) {
        ++all[word];
        word.clear();
      }
    }
  }
  return in_order(all, 10);
}

counts frequent_words(const std::string& path, team& workers) {
  std::vector<word_table> tables(static_cast<std::size_t>(workers.threads()));
  for_each_stretch(path, workers, [&](std::string_view text, int worker) {
    count_words(text, tables[static_cast<std::size_t>(worker)]);
  });
  for (std::size_t i = 1; i < tables.size(); ++i)
    tables[i].each([&](const word_table::place& of) { tables[0].add(of.text, of.times); });
  counts list;
  tables[0].each([&](const word_table::place& of) {
    const auto* const text = reinterpret_cast<const char*>(of.text.data());
    list.push_back({std::string(text, ::strnlen(text, longest_word)), of.times});
  });
  return in_order(std::move(list), 10);
}

counts failed_paths(const std::string& path) {
  std::unordered_map<std::string, std::int64_t> all;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (const auto failed = failed_path(line); !failed.empty()) ++all[std::string(failed)];
  return in_order(all, all.size());
}

counts failed_paths(const std::string& path, team& workers) {
  std::vector<std::unordered_map<std::string, std::int64_t>> tables(
      static_cast<std::size_t>(workers.threads()));
  for_each_stretch(path, workers, [&](std::string_view text, int worker) {
    auto& table = tables[static_cast<std::size_t>(worker)];
    while (!text.empty()) {
      const auto end = std::min(text.find('\n'), text.size() - 1);
      if (const auto failed = failed_path(text.substr(0, end)); !failed.empty())
        ++table[std::string(failed)];
      text.remove_prefix(end + 1);
    }
  });
  for (std::size_t i = 1; i < tables.size(); ++i)
    for (const auto& [text, times] : tables[i]) tables[0][text] += times;
  return in_order(tables[0], tables[0].size());
}

std::string checksum(const counts& of) {
  std::uint64_t bits = 0;
  for (const auto& [text, times] : of)
    bits += bits_of_text(text) * static_cast<std::uint64_t>(times);
  return fmt::format("{}/{}", of.size(), hex_digits(bits));
}

}  // namespace pappus::bench
