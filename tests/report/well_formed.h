// Whether a text is well-formed XML, as far as pages need: elements, attributes, the entities that
// XML knows, no other markup.
#pragma once

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace pappus::testing {

/// What is wrong with it first; empty: nothing.
inline std::string why_not_well_formed(std::string_view text) {
  std::vector<std::string> open;
  const auto fault = [&](std::size_t at, const std::string& what) {
    return what + " before: " + std::string(text.substr(at, 60));
  };
  constexpr std::string_view doctype = "<!DOCTYPE html>";
  std::size_t at = text.starts_with(doctype) ? doctype.size() : 0;
  const auto name_end = [&](std::size_t i) {
    while (i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 ||
                               text[i] == '-' || text[i] == ':'))
      ++i;
    return i;
  };
  const auto entity_end = [&](std::size_t i) -> std::size_t {
    for (const std::string_view one : {"&lt;", "&gt;", "&amp;", "&quot;"})
      if (text.substr(i, one.size()) == one) return i + one.size();
    return 0;
  };
  while (at < text.size()) {
    const char c = text[at];
    if (static_cast<unsigned char>(c) < ' ' && c != '\n') return fault(at, "control character");
    if (c == '&') {
      if ((at = entity_end(at)) == 0) return "unknown entity";
      continue;
    }
    if (c != '<') {
      if (open.empty() && c != '\n') return fault(at, "text outside of the root");
      ++at;
      continue;
    }
    const bool closes = at + 1 < text.size() && text[at + 1] == '/';
    const auto begin = at + (closes ? 2 : 1);
    auto i = name_end(begin);
    const std::string name(text.substr(begin, i - begin));
    if (name.empty()) return fault(at, "markup without a name");
    if (closes) {
      if (open.empty() || open.back() != name) return fault(at, "end of what isn't open");
      if (i >= text.size() || text[i] != '>') return fault(at, "end without >");
      open.pop_back();
      at = i + 1;
      continue;
    }
    while (i < text.size() && text[i] == ' ') {
      const auto key = ++i;
      i = name_end(i);
      if (i == key || text.substr(i, 2) != "=\"") return fault(key, "attribute without value");
      i += 2;
      while (i < text.size() && text[i] != '"') {
        if (text[i] == '<') return fault(i, "< in an attribute");
        if (text[i] == '&' && entity_end(i) == 0) return fault(i, "unknown entity");
        ++i;
      }
      ++i;
    }
    if (text.substr(i, 2) == "/>") {
      at = i + 2;
    } else if (i < text.size() && text[i] == '>') {
      open.push_back(name);
      at = i + 1;
    } else {
      return fault(at, "markup without >");
    }
  }
  return open.empty() ? "" : "open at the end: " + open.back();
}

}  // namespace pappus::testing
