// Versions are compared part by part: epoch, upstream version, revision. Within a part, runs of
// non-digits and runs of digits alternate, from the left. Digits compare as numbers of any length;
// non-digits character by character, where "~" comes before the end of the run, the end before
// letters, and letters before everything else.
#include "demo/support/version.h"

#include <cstddef>

namespace demo {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// The place of text[i] in the order of non-digits; a digit ends the run.
int rank(std::string_view text, std::size_t i) {
  if (i >= text.size() || digit(text[i])) return 0;
  if (text[i] == '~') return -1;
  return letter(text[i]) ? text[i] : static_cast<unsigned char>(text[i]) + 256;
}

int compare_numbers(std::string_view a, std::string_view b) {
  a.remove_prefix(a.find_first_not_of('0') == a.npos ? a.size() : a.find_first_not_of('0'));
  b.remove_prefix(b.find_first_not_of('0') == b.npos ? b.size() : b.find_first_not_of('0'));
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a.compare(b);
}

std::string_view take_digits(std::string_view text, std::size_t& i) {
  const std::size_t begin = i;
  while (i < text.size() && digit(text[i])) ++i;
  return text.substr(begin, i - begin);
}

int compare_parts(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    while ((i < a.size() && !digit(a[i])) || (j < b.size() && !digit(b[j]))) {
      const int difference = rank(a, i) - rank(b, j);
      if (difference != 0) return difference;
      ++i;
      ++j;
    }
    const int difference = compare_numbers(take_digits(a, i), take_digits(b, j));
    if (difference != 0) return difference;
  }
  return 0;
}

struct parts {
  std::string_view epoch, upstream, revision;
};

parts split(std::string_view version) {
  parts p;
  if (const auto colon = version.find(':'); colon != version.npos) {
    p.epoch = version.substr(0, colon);
    version.remove_prefix(colon + 1);
  }
  const auto hyphen = version.rfind('-');
  p.upstream = version.substr(0, hyphen);
  if (hyphen != version.npos) p.revision = version.substr(hyphen + 1);
  return p;
}

}  // namespace

int compare_versions(std::string_view a, std::string_view b) {
  const parts x = split(a), y = split(b);
  if (const int order = compare_parts(x.epoch, y.epoch)) return order;
  if (const int order = compare_parts(x.upstream, y.upstream)) return order;
  return compare_parts(x.revision, y.revision);
}

}  // namespace demo
