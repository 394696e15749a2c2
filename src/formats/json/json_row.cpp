#include "formats/json/json_row.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <simdjson.h>

#include "base/text.h"
#include "formats/csv/csv_cell.h"
#include "formats/json/json_fault.h"
#include "formats/names.h"
#include "pappus/detail/base/list_bytes.h"

namespace pappus::formats {
namespace {

namespace ondemand = simdjson::ondemand;
using detail::cell;

static_assert(json_row_parser::slack_bytes >= simdjson::SIMDJSON_PADDING);

enum class token_kind { text, number, yes_or_no, null, object, array, none };

/// The number at the front of the text, as JSON has them; 0 where there is none.
std::size_t number_length(std::string_view text) noexcept {
  std::size_t at = 0;
  const auto digits = [&] {
    const auto begin = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at - begin;
  };
  if (text.starts_with('-')) ++at;
  const auto whole = at;
  if (digits() == 0 || (text[whole] == '0' && at - whole > 1)) return 0;
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (digits() == 0) return 0;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (digits() == 0) return 0;
  }
  return at;
}

token_kind kind_of(std::string_view token) noexcept {
  switch (token.empty() ? '\0' : token.front()) {
    case '"':
      return token_kind::text;
    case '{':
      return token_kind::object;
    case '[':
      return token_kind::array;
    case 't':
    case 'f':
      return token == "true" || token == "false" ? token_kind::yes_or_no : token_kind::none;
    case 'n':
      return token == "null" ? token_kind::null : token_kind::none;
    default:
      return !token.empty() && number_length(token) == token.size() ? token_kind::number
                                                                    : token_kind::none;
  }
}

std::string_view without_space(std::string_view token) noexcept {
  while (!token.empty() && (token.back() == ' ' || token.back() == '\t' || token.back() == '\r'))
    token.remove_suffix(1);
  return token;
}

/// As an error says it: an object, "text", 12.
std::string shown_token(std::string_view token) {
  switch (kind_of(token)) {
    case token_kind::object:
      return "an object";
    case token_kind::array:
      return "an array";
    case token_kind::text:
      return shown(token.substr(1, token.size() - std::min<std::size_t>(token.size(), 2)));
    default:
      return token.size() <= 40 ? std::string(token) : shown(token);
  }
}

std::string_view expected_json(cell type) noexcept {
  return type == cell::boolean ? "true or false" : expected_of(type);
}

}  // namespace

class json_row_parser::impl {
 public:
  explicit impl(const json_plan& plan)
      : plan_(plan), keys_(plan.objects.size()), seen_(plan.columns.size()) {}

  void parse(std::string_view line, std::byte* record, string_arena& strings) {
    line_ = line;
    record_ = record;
    strings_ = &strings;
    std::memset(record, 0, plan_.record_bytes);
    std::ranges::fill(seen_, std::uint8_t{0});
    if (const auto first = line[line.find_first_not_of(" \t\r")]; first != '{') refuse_line(first);
    if (line.size() > parser_.capacity())
      check(parser_.allocate(std::bit_ceil(std::max<std::size_t>(line.size(), 4096))));
    ondemand::document document;
    check(parser_.iterate(line.data(), line.size(), line.size() + simdjson::SIMDJSON_PADDING)
              .get(document));
    ondemand::object object;
    check(document.get_object().get(object));
    parse_object(0, object);
    if (document.current_location().error() == simdjson::SUCCESS)
      throw json_problem{{}, fault_of(line_, "more text behind the object")};
    for (std::size_t i = 0; i < seen_.size(); ++i)
      if (seen_[i] == 0 && plan_.columns[i].presence == 0) refuse_absent(plan_.columns[i]);
  }

 private:
  /// A key as it stands in a line, and what it is to the plan.
  struct known_key {
    std::string raw;
    const json_plan::member* member = nullptr;
  };

  void check(simdjson::error_code error) const {
    if (error != simdjson::SUCCESS)
      throw json_problem{{}, fault_of(line_, simdjson::error_message(error))};
  }

  void parse_object(std::size_t which, ondemand::object& object) {
    std::size_t place = 0;
    for (auto next : object) {
      check(next.error());
      auto& field = next.value_unsafe();  // not a copy, which would wait for what was just stored
      if (const auto* const member = member_at(which, place++, field))
        parse_member(*member, field.value());
    }
    if (which == 0) fields_ = place;
  }

  const json_plan::member* member_at(std::size_t which, std::size_t place, ondemand::field& field) {
    constexpr std::size_t remembered_max = 1024;
    auto& keys = keys_[which];
    const char* const raw = field.key().raw();
    const auto left = static_cast<std::size_t>(line_.data() + line_.size() - raw);
    if (place < keys.size()) {
      const auto& before = keys[place].raw;
      if (before.size() < left && std::memcmp(raw, before.data(), before.size()) == 0 &&
          raw[before.size()] == '"')
        return keys[place].member;
    }
    std::string_view key;
    check(field.unescaped_key().get(key));
    const auto& members = plan_.objects[which].members;
    const auto found = std::ranges::find(members, key, &json_plan::member::key);
    const auto* const member = found == members.end() ? nullptr : &*found;
    if (place < remembered_max) {
      std::size_t length = 0;
      while (length < left && raw[length] != '"') length += raw[length] == '\\' ? 2 : 1;
      if (keys.size() <= place) keys.resize(place + 1);
      keys[place] = {std::string(raw, std::min(length, left)), member};
    }
    return member;
  }

  void parse_member(const json_plan::member& member, ondemand::value& value) {
    const auto token = without_space(value.raw_json_token());
    if (member.object != json_plan::none && token.starts_with('{')) {
      ondemand::object below;
      check(value.get_object().get(below));
      return parse_object(member.object, below);
    }
    if (member.column == json_plan::none) {
      if (token == "null") return;
      refuse_malformed(token);
      throw json_problem{plan_.objects[member.object].path,
                         "expected an object, got " + shown_token(token)};
    }
    const auto& column = plan_.columns[member.column];
    seen_[member.column] = 1;
    if (!column.wanted) return;
    if (token == "null") return store_missing(column);
    if (column.presence != 0) record_[column.presence] = std::byte{1};
    std::byte* const out = record_ + column.offset;
    if (column.type == cell::list)
      store_list(column, token, value, out);
    else if (column.count == 1)
      store(column, column.type, token, value, out);
    else
      store_array(column, token, value, out);
  }

  void store_missing(const json_plan::column& column) {
    const auto bytes = cell_bytes(column.type);
    if (column.presence != 0) {  // there may have been a value of the same key
      record_[column.presence] = std::byte{0};
      std::memset(record_ + column.offset, 0, bytes);
    } else if (is_float_cell(column.type) && column.count == 1) {
      parse_cell(column.type, {}, record_ + column.offset);  // NaN
    } else {
      throw json_problem{column.name,
                         fmt::format("expected {}, got null{}", expected(column), remedy(column))};
    }
  }

  void store_array(const json_plan::column& column, std::string_view token, ondemand::value& value,
                   std::byte* out) {
    std::size_t count = 0;
    for_each_element(column, token, value, [&](std::string_view own, ondemand::value& element) {
      if (count < column.count)
        store(column, column.type, own, element, out + count * cell_bytes(column.type));
      ++count;
    });
    if (count != column.count)
      throw json_problem{column.name,
                         fmt::format("expected {}, got one of {}", expected(column), count)};
  }

  void store_list(const json_plan::column& column, std::string_view token, ondemand::value& value,
                  std::byte* out) {
    const auto bytes = cell_bytes(column.item);
    list_.clear();
    texts_.clear();
    for_each_element(column, token, value, [&](std::string_view own, ondemand::value& element) {
      if (column.item != cell::string) {
        list_.resize(list_.size() + bytes);
        store(column, column.item, own, element,
              reinterpret_cast<std::byte*>(list_.data() + list_.size() - bytes));
      } else if (kind_of(own) == token_kind::text) {
        texts_.push_back(text_in(own, element));
      } else {
        refuse(column, column.item, own, cell_outcome::malformed);
      }
    });
    if (column.item == cell::string && !detail::pack_texts(texts_, list_))
      throw json_problem{column.name, "expected texts of less than 4 GiB in all"};
    const auto kept = strings_->keep(column.string_column, list_);
    std::memcpy(out, &kept, sizeof(kept));
  }

  /// Calls f(token, value) for what stands in an array.
  template <typename F>
  void for_each_element(const json_plan::column& column, std::string_view token,
                        ondemand::value& value, const F& f) {
    refuse_malformed(token);
    if (!token.starts_with('['))
      throw json_problem{column.name,
                         fmt::format("expected {}, got {}", expected(column), shown_token(token))};
    ondemand::array array;
    check(value.get_array().get(array));
    for (auto next : array) {
      check(next.error());
      auto& element = next.value_unsafe();
      f(without_space(element.raw_json_token()), element);
    }
  }

  /// \param type  of the value: the column's, or that of its items
  void store(const json_plan::column& column, cell type, std::string_view token,
             ondemand::value& value, std::byte* out) {
    const auto kind = kind_of(token);
    auto outcome = cell_outcome::malformed;
    switch (type) {
      case cell::string:
        if (kind == token_kind::text) {
          const auto kept = strings_->keep(column.string_column, text_in(token, value));
          std::memcpy(out, &kept, sizeof(kept));
          return;
        }
        break;
      case cell::category:
        if (kind == token_kind::text) {
          const auto code =
              strings_->code(column.string_column, text_in(token, value), column.name);
          std::memcpy(out, &code, sizeof(code));
          return;
        }
        break;
      case cell::date:
      case cell::timestamp:
        if (kind == token_kind::text) outcome = parse_cell(type, text_in(token, value), out);
        break;
      case cell::boolean:
        if (kind == token_kind::yes_or_no) outcome = parse_cell(type, token, out);
        break;
      default:
        if (kind == token_kind::number)
          outcome = parse_cell(type, token, out);
        else if (kind == token_kind::null && is_float_cell(type))
          outcome = parse_cell(type, {}, out);
    }
    if (outcome != cell_outcome::good) refuse(column, type, token, outcome);
  }

  /// What stands between a token's quotes: where it is, unless something is escaped.
  std::string_view text_in(std::string_view token, ondemand::value& value) const {
    if (token.size() >= 2 && token.ends_with('"')) {
      const auto text = token.substr(1, token.size() - 2);
      if (text.find('\\') == text.npos) return text;
    }
    std::string_view text;
    check(value.get_string().get(text));
    return text;
  }

  [[noreturn]] void refuse(const json_plan::column& column, cell type, std::string_view token,
                           cell_outcome outcome) const {
    refuse_malformed(token);
    auto text = fmt::format("expected {}, got {}", expected_json(type), shown_token(token));
    if (outcome == cell_outcome::out_of_range) {
      const auto range = range_of(type);
      text += range.empty() ? " (out of range)" : " (out of range: " + range + ")";
    } else if (kind_of(token) == token_kind::null) {
      text += " in the array";
    }
    throw json_problem{column.name, text};
  }

  /// Where a token isn't one of JSON.
  void refuse_malformed(std::string_view token) const {
    if (kind_of(token) == token_kind::none)
      throw json_problem{{}, fault_of(line_, "no value: " + shown(token))};
  }

  [[noreturn]] void refuse_line(char first) const {
    if (first == '[' || first == ']')
      throw json_problem{{},
                         fmt::format("expected an object, got {}; JSON lines have one a line, "
                                     "which jq -c '.[]' makes of an array",
                                     shown(base::trimmed(line_)))};
    throw json_problem{{}, "expected an object, got " + shown(base::trimmed(line_))};
  }

  [[noreturn]] void refuse_absent(const json_plan::column& column) const {
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < std::min(fields_, keys_[0].size()); ++i)
      keys.push_back(keys_[0][i].raw);
    throw json_problem{column.name,
                       fmt::format("expected {}, got {}{}{}", expected(column),
                                   keys.empty() ? "no keys" : "the keys " + listed(keys),
                                   suggestion(column.name, keys), remedy(column))};
  }

  static std::string expected(const json_plan::column& column) {
    if (column.type == cell::list) return "an array";
    if (column.count == 1) return std::string(expected_json(column.type));
    return fmt::format("an array of {} values", column.count);
  }
  static std::string remedy(const json_plan::column& column) {
    return column.count == 1 ? "; where values may be missing, make the field a std::optional" : "";
  }

  const json_plan& plan_;
  ondemand::parser parser_;
  std::vector<std::vector<known_key>> keys_;  // of each object, by their place in it
  std::vector<std::uint8_t> seen_;            // the columns that this line has
  std::size_t fields_ = 0;                    // of the line's own object
  std::string list_;                          // the bytes of a list
  std::vector<std::string_view> texts_;       // of which it is made
  std::string_view line_;
  std::byte* record_ = nullptr;
  string_arena* strings_ = nullptr;
};

json_row_parser::json_row_parser(const json_plan& plan) : impl_(std::make_unique<impl>(plan)) {}
json_row_parser::~json_row_parser() = default;

void json_row_parser::parse(std::string_view line, std::byte* record, string_arena& strings) {
  impl_->parse(line, record, strings);
}

bool is_utf8(std::string_view text) noexcept {
  return simdjson::validate_utf8(text.data(), text.size());
}

}  // namespace pappus::formats
