// Names are replaced token by token, never in literals, by something that no token is: a mark and a
// number. Different names get different numbers, so two texts with equal results are each other's
// with names exchanged one for one. Every such name is declared in the text itself, so that is the
// same program.
//
// A text that asks for its own lines or files is left as it is.
#include "devices/kernel_key.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace pappus::devices {
namespace {

constexpr char name_mark = '\1';  // stands in no C text

bool begins_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// The end of the word, literal or character that begins here.
std::size_t end_of_token(std::string_view text, std::size_t begin) {
  std::size_t end = begin + 1;
  if (begins_word(text[begin])) {
    while (end < text.size() && begins_word(text[end])) ++end;
  } else if (text[begin] == '"') {
    while (end < text.size() && text[end] != '"' && text[end] != '\n')
      end += text[end] == '\\' ? 2 : 1;
    end = std::min(end + 1, text.size());
  }
  return end;
}

class key_writer {
 public:
  explicit key_writer(const legible_parts& legible)
      : lines_(legible.lines.begin(), legible.lines.end()) {
    for (const auto& name : legible.names) numbers_.emplace(name, 0);
  }

  std::string written(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const auto line = text.substr(at, end - at);
      at = end + 1;
      if (lines_.contains(line)) continue;
      write(line);
      key_ += '\n';
    }
    return std::move(key_);
  }

 private:
  void write(std::string_view line) {
    for (std::size_t at = 0, end = 0; at < line.size(); at = end) {
      end = end_of_token(line, at);
      const auto token = line.substr(at, end - at);
      const auto found = numbers_.find(token);
      if (found == numbers_.end()) {
        key_ += token;
        continue;
      }
      if (found->second == 0) found->second = ++last_number_;
      key_ += name_mark;
      key_ += std::to_string(found->second);
      key_ += name_mark;
    }
  }

  const std::set<std::string_view> lines_;
  std::map<std::string_view, int, std::less<>> numbers_;  // 0: not met yet
  int last_number_ = 0;
  std::string key_;
};

}  // namespace

std::string key_text(const kernel_source& source) {
  const std::string_view text = *source.text;
  const auto mentions = [&](const char* macro) { return text.find(macro) != text.npos; };
  if (!source.legible || mentions("__LINE__") || mentions("__FILE__")) return std::string(text);
  return key_writer(*source.legible).written(text);
}

}  // namespace pappus::devices
