#include "demo/support/control_file.h"

#include <algorithm>

#include "demo/support/words.h"
#include "pappus/error.h"

namespace demo {
namespace {

constexpr std::size_t read_bytes = std::size_t{1} << 18;
constexpr std::size_t line_bytes_max = std::size_t{1} << 24;

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// What an error message shows of a line that may be long or binary.
std::string excerpt(std::string_view line) {
  std::string text = "\"";
  for (const char c : line.substr(0, 60)) text += c >= ' ' && c <= '~' ? c : '?';
  return text + (line.size() > 60 ? "...\"" : "\"");
}

}  // namespace

const stanza::field* stanza::find(std::string_view name) const {
  for (const field& f : fields_) {
    const auto found = std::string_view(text_).substr(f.name_begin, f.name_end - f.name_begin);
    if (std::ranges::equal(found, name, {}, lower, lower)) return &f;
  }
  return nullptr;
}

std::string_view stanza::operator[](std::string_view name) const {
  const field* f = find(name);
  return f ? std::string_view(text_).substr(f->value_begin, f->value_end - f->value_begin)
           : std::string_view();
}

std::int64_t stanza::line_of(std::string_view name) const {
  const field* f = find(name);
  return f ? f->line : first_line_;
}

control_file::control_file(const std::string& path) : path_(path), bytes_(open_bytes(path)) {}

bool control_file::next_line() {
  std::size_t searched = begin_;
  std::size_t newline;
  while ((newline = buffer_.find('\n', searched)) == std::string::npos) {
    buffer_.erase(0, begin_);
    begin_ = 0;
    searched = buffer_.size();
    const auto where = path_ + ": line " + std::to_string(line_number_ + 1);
    if (searched > line_bytes_max)
      throw pappus::format_error(where + ": expected lines of at most 16 MiB, got a longer one; " +
                                 "is this a package index?");
    buffer_.resize(searched + read_bytes);
    const std::size_t got = bytes_->read(std::span(buffer_).subspan(searched));
    buffer_.resize(searched + got);
    if (got > 0) continue;
    if (searched == 0) return false;
    throw pappus::format_error(where + ": expected a newline at the end, got the end of the file " +
                               "after " + excerpt(buffer_) +
                               " (truncated): fetch it again (apt-get update)");
  }
  line_ = std::string_view(buffer_).substr(begin_, newline - begin_);
  begin_ = newline + 1;
  ++line_number_;
  while (!line_.empty() && blank(line_.back())) line_.remove_suffix(1);
  return true;
}

void control_file::add_line(stanza& out) const {
  const std::size_t start = out.text_.size();
  const auto where = path_ + ": line " + std::to_string(line_number_);
  if (blank(line_.front())) {
    if (out.fields_.empty())
      throw pappus::format_error(where + ": expected \"Field: value\", got the continuation " +
                                 excerpt(line_) + " of no field");
    out.text_ += '\n';
    out.text_ += line_;
    out.fields_.back().value_end = out.text_.size();
    return;
  }
  const auto colon =
      std::ranges::find_if(line_, [](char c) { return c < '!' || c > '~' || c == ':'; });
  const auto name = static_cast<std::size_t>(colon - line_.begin());
  if (name == 0 || name == line_.size() || *colon != ':')
    throw pappus::format_error(where + ": expected \"Field: value\", got " + excerpt(line_) +
                               "; is this a package index?");
  std::size_t value = name + 1;
  while (value < line_.size() && blank(line_[value])) ++value;
  out.text_ += line_;
  out.fields_.push_back({start, start + name, start + value, out.text_.size(), line_number_});
}

bool control_file::next(stanza& out) {
  out.text_.clear();
  out.fields_.clear();
  while (next_line()) {
    if (line_.empty() && !out.fields_.empty()) return true;
    if (line_.empty() || line_.front() == '#') continue;
    if (out.fields_.empty()) out.first_line_ = line_number_;
    add_line(out);
  }
  return !out.fields_.empty();
}

}  // namespace demo
