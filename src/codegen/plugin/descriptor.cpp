#include "codegen/plugin/descriptor.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "codegen/plugin/read_comparison.h"
#include "codegen/plugin/read_footprint.h"
#include "pappus/detail/base/compiled.h"

namespace pappus::codegen {
namespace {

using json = nlohmann::json;

/// "it allocates memory at kmeans.cpp:14:9, called from kmeans.cpp:20:3: use std::array".
std::string sentence_of(const json& reason) {
  std::string text = reason.at("what");
  if (const std::string where = reason.value("where", ""); !where.empty()) text += " at " + where;
  if (const auto chain = reason.find("chain"); chain != reason.end())
    for (const std::string link : *chain) text += ", " + link;
  if (const std::string remedy = reason.value("remedy", ""); !remedy.empty()) text += ": " + remedy;
  return text;
}

std::vector<std::string> suffixes_of(std::string_view text) {
  constexpr std::string_view word =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz0123456789";
  std::set<std::string> found;
  for (auto at = text.find("$f"); at != text.npos; at = text.find("$f", at + 2)) {
    const auto rest = text.substr(at + 2);
    found.emplace(rest.substr(0, std::min(rest.find_first_not_of(word), rest.size())));
  }
  return {found.begin(), found.end()};
}

cost::row_work work_of(const json& from) {
  cost::row_work work{.how = cost::trust::counted};
  const bool fast = from.at("fast");
  double calls = 0;
  for (const auto& counts : from.at("counts")) {
    auto& term = work.terms.emplace_back();
    for (const std::size_t side : counts.at("sides")) term.sides.push_back(side);
    const double maths = counts.at("maths");
    term.each = {.simple = counts.at("simple"),
                 .wide = counts.at("wide"),
                 .divisions = counts.at("divisions"),
                 .maths = fast ? 0 : maths,
                 .vector_maths = fast ? maths : 0};
    if (term.sides.empty()) calls += maths;
  }
  if (from.at("assumed")) work.how = cost::trust::guessed;
  if (from.at("unseen")) work.how = cost::trust::at_least;
  if (fast) return work;
  for (const std::string name : from.at("vector_maths")) work.scalar_maths.insert(name);
  if (!work.scalar_maths.empty()) work.scalar_maths_calls = calls;
  return work;
}

std::vector<compiled_function::reference> references_of(const json& from) {
  std::vector<compiled_function::reference> result;
  for (const auto& r : from) result.push_back({r.at("offset"), r.at("bytes"), r.at("align")});
  return result;
}

std::map<std::size_t, byte_ranges> reads_of(const json& from) {
  std::map<std::size_t, byte_ranges> reads;
  for (const auto& r : from) {
    if (r.at("bytes").is_null()) continue;
    auto& ranges = reads[r.at("parameter")];
    for (const auto& range : r.at("bytes")) ranges.push_back({range.at(0), range.at(1)});
  }
  return reads;
}

compiled_function read(std::string_view descriptor) {
  compiled_function function;
  const auto broken = [](const char* what) {
    return fmt::format("the compiler plugin's description of it is broken ({})", what);
  };
  try {
    const auto from = json::parse(descriptor);
    if (const int version = from.at("version"); version != detail::compiler_version) {
      function.problem = fmt::format(
          "it was compiled by version {} of the compiler plugin, this library expects version {}: "
          "rebuild it with the plugin that was installed with this library",
          version, detail::compiler_version);
      return function;
    }
    function.name = from.at("name");
    function.source = from.at("source");
    for (const auto& reason : from.at("reasons")) function.reasons.push_back(sentence_of(reason));
    if (from.contains("work")) function.work = work_of(from.at("work"));
    if (from.contains("footprint")) {
      auto inferred = read_footprint(from);
      function.footprint = from.at("footprint");
      if (from.contains("references")) {
        function.references = references_of(from.at("references"));
        function.copyable = true;
      }
      function.inferred = std::move(inferred);
    }
    if (function.inferred) return function;
    function.reads = reads_of(from.at("reads"));
    function.throws = from.at("throws");
    function.pure = from.value("pure", false);
    if (from.contains("comparisons"))
      for (const auto& one : from.at("comparisons"))
        function.comparisons.push_back(read_comparison(one));
    if (!function.reasons.empty()) return function;
    function.text = from.at("text");
    function.suffixes = suffixes_of(function.text);
    function.doubles = from.at("doubles");
    function.traps = from.at("traps");
    function.references = references_of(from.at("references"));
  } catch (const json::exception& e) {
    function.problem = broken(e.what());
  } catch (const malformed& e) {
    function.problem = broken(e.what());
  }
  return function;
}

}  // namespace

const compiled_function& compiled_function_of(std::string_view descriptor) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<const compiled_function>, std::less<>> known;
  const std::lock_guard lock(mutex);
  auto found = known.find(descriptor);
  if (found == known.end())
    found = known.emplace(descriptor, std::make_unique<compiled_function>(read(descriptor))).first;
  return *found->second;
}

std::string instance_of(const compiled_function& function, std::string_view name,
                        const std::vector<std::string>& spaces, std::string_view references) {
  std::string out;
  const auto& text = function.text;
  const auto append_space = [&](std::string_view space, std::size_t& at) {
    out += space;
    if (space.empty() && at + 1 < text.size() && text[at + 1] == ' ') ++at;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '$' || at + 1 == text.size()) {
      out += text[at];
      continue;
    }
    const char what = text[++at];
    if (what == 'f') {
      out += name;
    } else if (what == 'r') {
      append_space(references, at);
    } else {
      std::size_t number = 0;
      for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
        number = number * 10 + static_cast<std::size_t>(text[at] - '0');
      append_space(number < spaces.size() ? spaces[number] : "", --at);
    }
  }
  return out;
}

}  // namespace pappus::codegen

namespace pappus::detail {

std::string footprint_text(const char* descriptor) {
  if (descriptor == nullptr) return "unknown: compile with pappus_enable(target)";
  const auto& function = codegen::compiled_function_of(descriptor);
  return function.problem.empty() ? function.footprint : "unknown: " + function.problem;
}

}  // namespace pappus::detail
