#include "oracle/pipeline.h"

namespace pappus::oracle {

void add_json_text(std::string& to, std::string_view text) {
  to += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\')
      to += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20)
      to += fmt::format("\\u{:04x}", static_cast<int>(c));
    else
      to += c;
  }
  to += '"';
}

std::string columns_of(std::string_view of, const replacements& other) {
  std::string made;
  for (const char* name : fields) {
    std::string value = fmt::format("{}{}", of, name);
    for (const auto& [field, text] : other)
      if (field == name) value = text;
    made += fmt::format("{}{} as {}", made.empty() ? "" : ", ", value, name);
  }
  return made;
}

std::string ordered(const std::string& key, bool descending) {
  return fmt::format("{} {} nulls last", key, descending ? "desc" : "asc");
}

std::string pipeline::with_input(const std::string& sql, const std::string& in) {
  std::string made;
  for (std::size_t at = 0; at < sql.size();) {
    const auto next = sql.find("{in}", at);
    made += sql.substr(at, next == sql.npos ? next : next - at);
    if (next == sql.npos) break;
    made += in;
    at = next + 4;
  }
  return made;
}

rows pipeline::few(const rows& in, std::int64_t most) {
  if (most_rows <= most) return in;
  most_rows = most;
  add(fmt::format("take {}", most),
      fmt::format("select * from {{in}} order by pos limit {}", most));
  return in.take(most);
}

}  // namespace pappus::oracle
