// Files of text to be counted: of words, and a web server's log. Counting them by hand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "system/scratch_file.h"
#include "system/team.h"

namespace pappus::bench {

/// How often a text is there.
struct counted {
  std::string text;
  std::int64_t times;
};
/// The most frequent first, of equally frequent ones the least.
using counts = std::vector<counted>;

/// Fills a file with n words of ASCII letters, some of them capital, punctuation and lines.
/// \throws format_error  if it can't be written
void write_words(const scratch_file& file, std::uint64_t seed, std::int64_t n);
/// n lines as Apache and nginx write them; one in 17 is of an error.
void write_log(const scratch_file& file, std::uint64_t seed, std::int64_t n);

/// The ten most frequent runs of letters of a file, in lower case: as one writes it first, and by
/// all workers.
counts frequent_words(const std::string& path);
counts frequent_words(const std::string& path, team& workers);
/// The paths of a log's requests whose status is 400 or more.
counts failed_paths(const std::string& path);
counts failed_paths(const std::string& path, team& workers);

/// Number of texts / sum of their bits, each as often as it is there.
std::string checksum(const counts& of);

}  // namespace pappus::bench
