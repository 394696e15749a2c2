#include "formats/json/json_schema.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "formats/csv/csv_cell.h"
#include "formats/json/json_fault.h"
#include "formats/json/json_row.h"
#include "formats/lines/lines_reader.h"
#include "pappus/detail/base/integers.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

using detail::cell;
using nlohmann::ordered_json;

/// What is known of the values of a key.
struct seen_values {
  std::string name;
  std::int64_t values = 0;  // but for null
  std::int64_t arrays = 0;
  std::size_t length = 0;  // of arrays
  bool lengths_differ = false, elements_lack = false, nested = false;
  bool negative = false, wide = false, huge = false;  // integers: of 64 bits, of unsigned 64 bits
  bool integers = false, floats = false, booleans = false, texts = false;
  bool dates = true, times = true;  // if there are texts

  void look_at(const ordered_json& value) {
    ++values;
    if (!value.is_array()) return look_at_scalar(value);
    lengths_differ |= arrays > 0 && length != value.size();
    length = value.size();
    ++arrays;
    for (const auto& element : value)
      if (element.is_structured())
        nested = true;
      else if (element.is_null())
        elements_lack = true;
      else
        look_at_scalar(element);
  }

  void look_at_scalar(const ordered_json& value) {
    if (value.is_number_unsigned()) {
      const auto number = value.get<std::uint64_t>();
      integers = true;
      wide |= number > std::numeric_limits<std::int32_t>::max();
      huge |= number > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
    } else if (value.is_number_integer()) {
      const auto number = value.get<std::int64_t>();
      integers = true;
      negative |= number < 0;
      wide |= number < std::numeric_limits<std::int32_t>::min();
    } else if (value.is_number()) {
      floats = true;
    } else if (value.is_boolean()) {
      booleans = true;
    } else {
      const auto& text = value.get_ref<const std::string&>();
      std::byte ignored[8];
      texts = true;
      dates = dates && parse_cell(cell::date, text, ignored) == cell_outcome::good;
      times = times && parse_cell(cell::timestamp, text, ignored) == cell_outcome::good;
    }
  }

  void merge(const seen_values& other) {
    lengths_differ |=
        other.lengths_differ || (arrays > 0 && other.arrays > 0 && length != other.length);
    if (other.arrays > 0) length = other.length;
    values += other.values;
    arrays += other.arrays;
    elements_lack |= other.elements_lack;
    nested |= other.nested;
    negative |= other.negative;
    wide |= other.wide;
    huge |= other.huge;
    integers |= other.integers;
    floats |= other.floats;
    booleans |= other.booleans;
    texts |= other.texts;
    dates &= other.dates;
    times &= other.times;
  }

  record_schema::column column(std::int64_t rows) const {
    record_schema::column result;
    result.name = name;
    result.missing = rows - values;
    // Arrays of one length are fields of as many values, which can't be missing.
    const bool list = arrays > 0 && (lengths_differ || length < 2 || result.missing > 0);
    result.may_lack = arrays == 0 || list;
    result.optional = result.may_lack && result.missing > 0;
    result.item = type();
    result.type = list ? cell::list : result.item;
    if (int{integers || floats} + int{booleans} + int{texts} > 1 || (arrays > 0 && arrays < values))
      result.left_out = "has values of several types";
    if (arrays == 0) return result;
    result.count = list ? 1 : length;
    if (nested)
      result.left_out = "has arrays of objects or arrays";
    else if (elements_lack && !is_float_cell(result.item))
      result.left_out = "has arrays with null";
    else if (!(integers || floats || booleans || texts))
      result.left_out = "has empty arrays";
    return result;
  }

  cell type() const {
    if (floats || (huge && negative)) return cell::f64;
    if (integers) return huge ? cell::u64 : wide ? cell::i64 : cell::i32;
    if (booleans) return cell::boolean;
    if (texts && (dates || times)) return dates ? cell::date : cell::timestamp;
    return cell::string;
  }
};

/// The keys of some lines.
class seen_keys {
 public:
  void look_at(const ordered_json& line) {
    ++rows_;
    look_at(line, "", 0);
  }

  void merge(const seen_keys& later) {
    rows_ += later.rows_;
    for (const auto& one : later.keys_) at(one.name).merge(one);
  }

  record_schema schema() const {
    record_schema result;
    result.rows = rows_;
    for (const auto& one : keys_) {
      if (one.values == 0 && leads_to_others(one.name)) continue;  // null beside objects
      result.columns.push_back(one.column(rows_));
      if (one.name.empty()) result.columns.back().left_out = "has no name";
    }
    return result;
  }

 private:
  void look_at(const ordered_json& object, const std::string& before, int depth) {
    constexpr int deepest = 16;  // whoever nests deeper has no tables
    for (const auto& [key, value] : object.items()) {
      const auto name = before + key;
      if (!value.is_object()) {
        auto& known = at(name);
        if (!value.is_null()) known.look_at(value);
      } else if (depth < deepest) {
        look_at(value, name + ".", depth + 1);
      }
    }
  }

  seen_values& at(const std::string& name) {
    const auto [found, added] = places_.try_emplace(name, keys_.size());
    if (added) keys_.emplace_back().name = name;
    return keys_[found->second];
  }

  bool leads_to_others(const std::string& name) const {
    return std::ranges::any_of(keys_, [object = name + "."](const seen_values& one) {
      return one.name.starts_with(object);
    });
  }

  std::int64_t rows_ = 0;
  std::vector<seen_values> keys_;
  std::unordered_map<std::string, std::size_t> places_;
};

ordered_json parsed(const std::string& file, std::int64_t number, std::string_view line) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (number == 1 && line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
  std::string problem = "expected an object, got " + shown(base::trimmed(line));
  try {
    auto value = ordered_json::parse(line);
    if (value.is_object()) return value;
  } catch (const nlohmann::json::exception& thrown) {
    problem = fault_of(line, thrown.what());
  }
  throw format_error(fmt::format("{}: line {}: {}", file, number, problem));
}

}  // namespace

record_schema infer_json_schema(std::unique_ptr<byte_source> source, std::size_t bytes,
                                detail::workers& team, detail::memory_source& memory) {
  constexpr std::size_t lines_at_once = std::size_t{16} << 10, lines_per_item = 256;
  const std::string file = source->name();
  lines_reader reader(std::move(source), memory);
  const detail::buffer views(memory, lines_at_once * sizeof(std::string_view), file + ": lines");
  seen_keys all;
  std::int64_t before = 0;
  bool ended = false;
  for (std::size_t text = 0; text < bytes && !ended;) {
    const auto n = static_cast<std::size_t>(
        reader.read(team, views.data(), static_cast<std::int64_t>(lines_at_once)));
    const auto* const lines = views.as<const std::string_view>();
    std::vector<seen_keys> parts(detail::ceil_div(n, lines_per_item));
    detail::parallel_chunks(team, parts.size(), [&](std::size_t item, unsigned) {
      const auto end = std::min((item + 1) * lines_per_item, n);
      for (auto i = item * lines_per_item; i < end; ++i)
        if (!is_blank(lines[i]))
          parts[item].look_at(parsed(file, before + static_cast<std::int64_t>(i) + 1, lines[i]));
    });
    for (const auto& part : parts) all.merge(part);
    for (std::size_t i = 0; i < n; ++i) text += lines[i].size() + 1;
    before += static_cast<std::int64_t>(n);
    reader.take_strings();
    ended = n < lines_at_once;
  }
  auto schema = all.schema();
  schema.all = ended;
  return schema;
}

}  // namespace pappus::formats
