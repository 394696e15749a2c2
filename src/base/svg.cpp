#include "base/svg.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

namespace pappus::base {
namespace {

/// XML has no control characters, surrogates or U+FFFE and U+FFFF.
bool is_drawn(char32_t c) {
  return c >= ' ' && c != 0x7f && (c < 0xd800 || c > 0xdfff) && c != 0xfffe && c != 0xffff &&
         c <= 0x10ffff;
}

/// Characters of UTF-8; '?' for each byte that isn't, a space for what can't be drawn.
std::u32string decoded(std::string_view text) {
  std::u32string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t more = first < 0x80   ? 0
                             : first < 0xc2 ? 4
                             : first < 0xe0 ? 1
                             : first < 0xf0 ? 2
                             : first < 0xf5 ? 3
                                            : 4;
    char32_t c = more == 0 ? first : first & (0x3fU >> more);
    bool whole = more < 4 && i + more < text.size();
    for (std::size_t k = 1; whole && k <= more; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      whole = (next & 0xc0U) == 0x80;
      c = c << 6U | (next & 0x3fU);
    }
    // Longer than it had to be.
    whole = whole && (more < 2 || c >= (more == 2 ? 0x800U : 0x10000U));
    result += !whole ? U'?' : is_drawn(c) ? c : U' ';
    i += whole ? more + 1 : 1;
  }
  return result;
}

std::string encoded(std::u32string_view text) {
  std::string result;
  for (const char32_t c : text) {
    const auto tail = [&](unsigned shift) {
      result += static_cast<char>(0x80U | (c >> shift & 0x3fU));
    };
    if (c < 0x80) {
      result += static_cast<char>(c);
    } else if (c < 0x800) {
      result += static_cast<char>(0xc0U | c >> 6U);
      tail(0);
    } else if (c < 0x10000) {
      result += static_cast<char>(0xe0U | c >> 12U);
      tail(6);
      tail(0);
    } else {
      result += static_cast<char>(0xf0U | c >> 18U);
      tail(12);
      tail(6);
      tail(0);
    }
  }
  return result;
}

}  // namespace

std::string escaped_xml(std::string_view text) {
  std::string result;
  for (const char c : encoded(decoded(text))) switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      default:
        result += c;
    }
  return result;
}

std::size_t letters(std::string_view text) { return decoded(text).size(); }

std::string shortened(std::string_view text, std::size_t letters_max) {
  const auto all = decoded(text);
  if (all.size() <= letters_max) return encoded(all);
  const auto end = (letters_max - 1) / 2, begin = letters_max - 1 - end;
  return encoded(all.substr(0, begin)) + "…" + encoded(all.substr(all.size() - end));
}

std::vector<std::string> wrapped(std::string_view text, std::size_t letters_max) {
  std::vector<std::string> lines;
  const auto all = decoded(text);
  for (std::u32string_view rest = all; !rest.empty();) {
    auto length = rest.size();
    if (length > letters_max) {
      const auto space = rest.substr(0, letters_max + 1).rfind(U' ');
      length = space == rest.npos || space == 0 ? letters_max : space;
    }
    lines.push_back(encoded(rest.substr(0, length)));
    rest.remove_prefix(std::min(rest.find_first_not_of(U' ', length), rest.size()));
  }
  return lines;
}

void svg::text(double x, double y, std::string_view kind, std::string_view content) {
  pieces_ += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", kind, x, y,
                         escaped_xml(content));
}

void svg::box(double x, double y, double width, double height, std::string_view kind,
              std::string_view tip) {
  pieces_ += fmt::format(
      "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"4\"",
      kind, x, y, width, height);
  pieces_ += tip.empty() ? "/>\n" : fmt::format("><title>{}</title></rect>\n", escaped_xml(tip));
}

void svg::path(std::string_view kind, std::string_view steps, std::string_view tip) {
  pieces_ += fmt::format("<path class=\"{}\" d=\"{}\"", kind, steps);
  pieces_ += tip.empty() ? "/>\n" : fmt::format("><title>{}</title></path>\n", escaped_xml(tip));
}

std::string svg::fragment(double width, double height) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\">\n{2}</svg>\n",
      width, height, pieces_);
}

std::string svg::document(double width, double height, std::string_view style) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\">\n<style>\n"
      "text {{ font: 12px ui-monospace, \"DejaVu Sans Mono\", Menlo, Consolas, monospace; "
      "white-space: pre; }}\npath {{ fill: none; }}\n{2}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{3}</svg>\n",
      width, height, style, pieces_);
}

}  // namespace pappus::base
