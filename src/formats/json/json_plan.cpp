#include "formats/json/json_plan.h"

#include <algorithm>

#include "formats/named_layout.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

json_plan::member& member_of(json_plan& plan, std::size_t object, std::string_view key) {
  auto& members = plan.objects[object].members;
  const auto found = std::ranges::find(members, key, &json_plan::member::key);
  if (found != members.end()) return *found;
  return members.emplace_back(json_plan::member{std::string(key)});
}

void add(json_plan& plan, std::size_t object, std::string_view name, std::size_t column) {
  member_of(plan, object, name).column = column;
  const auto dot = name.find('.');
  if (dot == name.npos || dot == 0 || dot + 1 == name.size()) return;
  const auto key = name.substr(0, dot);
  auto below = member_of(plan, object, key).object;
  if (below == json_plan::none) {
    below = plan.objects.size();
    member_of(plan, object, key).object = below;
    const auto& path = plan.objects[object].path;
    plan.objects.push_back({(path.empty() ? "" : path + ".") + std::string(key), {}});
  }
  add(plan, below, name.substr(dot + 1), column);
}

}  // namespace

json_plan plan_keys(const std::string& file, const detail::record_layout& bound) {
  const auto layout = named_layout(file, bound);
  json_plan plan;
  plan.record_bytes = layout.bytes;
  plan.objects.emplace_back();
  for (const auto& binding : layout.columns) {
    if (std::ranges::find(plan.columns, binding.name, &json_plan::column::name) !=
        plan.columns.end())
      throw usage_error(file + ": column \"" + binding.name +
                        "\" is bound to two fields; bind it once and copy it in a map");
    add(plan, 0, binding.name, plan.columns.size());
    plan.columns.push_back({.name = binding.name,
                            .type = binding.type,
                            .offset = binding.offset,
                            .count = binding.count,
                            .presence = binding.presence,
                            .item = binding.item,
                            .string_column = 0,
                            .wanted = binding.wanted});
    if (leads_elsewhere(binding.type)) plan.columns.back().string_column = plan.string_columns++;
  }
  return plan;
}

}  // namespace pappus::formats
