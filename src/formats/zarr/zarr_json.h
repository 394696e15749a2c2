// What metadata of Zarr say, asked for step by step. Whatever isn't as it should be is told by its
// place in the text: `chunk_grid.configuration.chunk_shape: expected ..., got ...`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace pappus::formats {

/// what() tells what is wrong with metadata, to be put behind the file's name.
struct zarr_problem : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws zarr_problem for what isn't JSON, or is nested too deeply.
nlohmann::json parse_json(std::string_view text);

/// A value and its place. Must not outlive the document.
class json_view {
 public:
  explicit json_view(const nlohmann::json& value, std::string place = "")
      : value_(&value), place_(std::move(place)) {}

  const nlohmann::json& value() const noexcept { return *value_; }
  const std::string& place() const noexcept { return place_; }

  /// Throws zarr_problem: "PLACE: expected EXPECTED, got VALUE".
  [[noreturn]] void fail(const std::string& expected) const;

  /// An object's member; find(): unless it is missing.
  json_view at(const std::string& key) const;
  std::optional<json_view> find(const std::string& key) const;
  /// A list's items.
  std::vector<json_view> items() const;

  std::string text() const;
  /// Numbers from `least` to 2^63 - 1.
  std::vector<std::int64_t> extents(std::int64_t least) const;

 private:
  const nlohmann::json* value_;
  std::string place_;
};

/// {"name": ..., "configuration": {...}}, or the name alone.
struct json_named {
  explicit json_named(const json_view& all);

  std::string name;
  json_view configuration;  ///< an empty object if there is none
};

}  // namespace pappus::formats
