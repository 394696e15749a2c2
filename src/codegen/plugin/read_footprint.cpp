#include "codegen/plugin/read_footprint.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pappus::codegen {
namespace {

using json = nlohmann::json;

/// The member, a number below `end`.
std::size_t number(const json& from, const char* member, std::size_t end) {
  const auto& value = from.at(member);
  if (!value.is_number_unsigned() || value.get<std::size_t>() >= end)
    throw malformed(
        fmt::format("\"{}\": expected a number below {}, got {}", member, end, value.dump()));
  return value;
}

bool truth(const json& from, const char* member) {
  const auto& value = from.at(member);
  if (!value.is_boolean())
    throw malformed(fmt::format("\"{}\": expected true or false, got {}", member, value.dump()));
  return value;
}

const json& list(const json& from, const char* member) {
  const auto& value = from.at(member);
  if (!value.is_array())
    throw malformed(fmt::format("\"{}\": expected a list, got {}", member, value.dump()));
  return value;
}

symbol::captured captured_of(const json& from) {
  symbol::captured result;
  for (const auto& offset : list(from, "path")) {
    const bool is_first = result.path.empty();
    if (!offset.is_number_integer() || (is_first && !offset.is_number_unsigned()))
      throw malformed(fmt::format("\"path\": expected offsets, got {}", from.at("path").dump()));
    result.path.push_back(offset);
  }
  if (result.path.empty()) throw malformed("\"path\": expected offsets, got none");
  constexpr std::size_t bytes_max = 8;
  result.bytes = number(from, "bytes", bytes_max + 1);
  if (result.bytes == 0 || (result.bytes & (result.bytes - 1)) != 0)
    throw malformed(fmt::format("\"bytes\": expected 1, 2, 4 or 8, got {}", result.bytes));
  result.is_signed = truth(from, "signed");
  return result;
}

symbol symbol_of(const json& from, const std::vector<std::size_t>& ranks) {
  symbol result{from.at("name"), symbol::extent()};
  if (from.contains("path")) {
    result.from = captured_of(from);
  } else {
    const auto view = number(from, "view", ranks.size());
    result.from = symbol::extent{view, number(from, "dimension", ranks[view])};
  }
  return result;
}

std::optional<regions::expression> bound_of(const json& from, const char* member,
                                            std::size_t symbols) {
  const auto found = from.find(member);
  if (found == from.end() || found->is_null()) return std::nullopt;
  const std::string code = *found;
  auto formula = regions::expression::parse(code);
  if (!formula) throw malformed(fmt::format("\"{}\": no formula: \"{}\"", member, code));
  for (const auto& term : formula->terms())
    if (term.what == regions::operation::symbol && std::cmp_greater_equal(term.value, symbols))
      throw malformed(fmt::format("\"{}\" mentions s{}, but there are {} symbols", member,
                                  term.value, symbols));
  return formula;
}

regions::access_mode mode_of(const std::string& kind) {
  using mode = regions::access_mode;
  if (kind == "read") return mode::read;
  if (kind == "write") return mode::write;
  if (kind == "readwrite") return mode::readwrite;
  if (kind == "reduce") return mode::reduce;
  throw malformed(
      fmt::format("\"kind\": expected read, write, readwrite or reduce, got \"{}\"", kind));
}

void read_access(const json& from, inferred_footprint& into) {
  regions::access access;
  access.array = number(from, "view", into.ranks.size());
  access.mode = mode_of(from.at("kind"));
  const bool unknown = from.contains("unknown") && truth(from, "unknown");
  if (!unknown) {
    const auto rank = into.ranks[access.array];
    for (const auto& slice : list(from, "region")) {
      if (!slice.is_object())
        throw malformed(fmt::format("\"region\": expected objects, got {}", slice.dump()));
      access.slices.push_back({bound_of(slice, "low", into.symbols.size()),
                               bound_of(slice, "high", into.symbols.size())});
    }
    if (access.slices.size() != rank)
      throw malformed(fmt::format("\"region\": expected {} slices for view {}, got {}", rank,
                                  access.array, access.slices.size()));
  }
  into.touches.accesses.push_back(std::move(access));
  into.unknown.push_back(unknown);
}

}  // namespace

inferred_footprint read_footprint(const json& descriptor) {
  inferred_footprint result;
  for (const auto& rank : list(descriptor, "ranks")) {
    const bool fits = rank.is_number_unsigned() && rank.get<std::size_t>() >= 1 &&
                      rank.get<std::size_t>() <= regions::rank_max;
    if (!fits)
      throw malformed(fmt::format("\"ranks\": expected numbers from 1 to {}, got {}",
                                  regions::rank_max, rank.dump()));
    result.ranks.push_back(rank);
  }
  for (const auto& one : list(descriptor, "symbols"))
    result.symbols.push_back(symbol_of(one, result.ranks));
  for (const auto& one : list(descriptor, "accesses")) read_access(one, result);
  result.narrow = truth(descriptor, "narrow");
  return result;
}

}  // namespace pappus::codegen
