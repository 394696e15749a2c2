#include "formats/zarr/zarr_json.h"

#include <algorithm>
#include <limits>

namespace pappus::formats {
namespace {

using nlohmann::json;

constexpr std::size_t depth_max = 64;
constexpr std::size_t shown_max = 100;  // characters of a value in a message

/// Brackets that are open at a time, strings left out.
std::size_t depth_of(std::string_view text) {
  std::size_t depth = 0, deepest = 0;
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') inside = !inside;
    if (inside) {
      i += c == '\\';
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

std::string shown(const json& value) {
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > shown_max) text = text.substr(0, shown_max) + "...";
  return text;
}

}  // namespace

json parse_json(std::string_view text) {
  if (depth_of(text) > depth_max) {
    throw zarr_problem("expected JSON that is nested at most " + std::to_string(depth_max) +
                       " deep, got " + std::to_string(depth_of(text)));
  }
  try {
    return json::parse(text);
  } catch (const json::exception& problem) {
    throw zarr_problem("expected JSON, got something else: " + std::string(problem.what()));
  }
}

void json_view::fail(const std::string& expected) const {
  throw zarr_problem((place_.empty() ? "" : place_ + ": ") + "expected " + expected + ", got " +
                     shown(*value_));
}

std::optional<json_view> json_view::find(const std::string& key) const {
  if (!value_->is_object()) fail("an object");
  const auto found = value_->find(key);
  if (found == value_->end()) return std::nullopt;
  return json_view(*found, place_.empty() ? key : place_ + '.' + key);
}

json_view json_view::at(const std::string& key) const {
  auto found = find(key);
  if (!found) fail("an object with \"" + key + '"');
  return *std::move(found);
}

std::vector<json_view> json_view::items() const {
  if (!value_->is_array()) fail("a list");
  std::vector<json_view> result;
  for (const json& item : *value_) {
    result.emplace_back(item, place_ + '[' + std::to_string(result.size()) + ']');
  }
  return result;
}

std::string json_view::text() const {
  if (!value_->is_string()) fail("a string");
  return value_->get<std::string>();
}

std::vector<std::int64_t> json_view::extents(std::int64_t least) const {
  constexpr std::size_t rank_max = 64;
  if (!value_->is_array() || value_->empty() || value_->size() > rank_max) {
    fail("a list of 1 to " + std::to_string(rank_max) + " numbers");
  }
  std::vector<std::int64_t> result;
  for (const json& item : *value_) {
    const bool fits =
        item.is_number_integer() &&
        (!item.is_number_unsigned() ||
         item.get<std::uint64_t>() <= std::uint64_t{std::numeric_limits<std::int64_t>::max()});
    if (!fits || item.get<std::int64_t>() < least) {
      fail("numbers from " + std::to_string(least) + " to 2^63 - 1");
    }
    result.push_back(item.get<std::int64_t>());
  }
  return result;
}

json_named::json_named(const json_view& all) : configuration(all) {
  static const json none = json::object();
  if (all.value().is_string()) {
    name = all.text();
    configuration = json_view(none, name + ".configuration");
    return;
  }
  name = all.at("name").text();
  const auto found = all.find("configuration");
  configuration = found ? *found : json_view(none, all.place() + ".configuration");
  for (const auto& [key, value] : all.value().items()) {
    if (key != "name" && key != "configuration" && key != "must_understand") {
      all.fail("a name and a configuration");
    }
  }
}

}  // namespace pappus::formats
