// Which columns of a file somebody looks at: of others readers needn't parse, decompress or fetch
// anything.
//
// Records of a file that are kept, returned, or seen whole as a side, are wanted as they are.
// Slices and concatenations hand records on: their readers count.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "plan/plan.h"

namespace pappus::plan {
namespace {

/// Adds the bytes of a stage's records that its readers look at; false: they want whole records.
bool add_wanted(const plan& p, stage_index of, const request& asked, detail::byte_ranges& wanted) {
  const bool is_root = std::ranges::find(p.roots, of) != p.roots.end();
  if (is_root || p.stages[index(of)].node->is_cached()) return false;
  for (std::size_t i = index(of) + 1; i < p.stages.size(); ++i) {
    const auto& reader = p.stages[i];
    if (std::ranges::find(reader.sides, of) != reader.sides.end()) return false;
    const auto& op = *reader.node->op;
    const bool hands_on = op.slice_of(*reader.node) != nullptr || op.adds_its_inputs();
    for (std::size_t k = 0; k < reader.inputs.size(); ++k) {
      if (reader.inputs[k] != of) continue;
      if (hands_on && !add_wanted(p, static_cast<stage_index>(i), asked, wanted)) return false;
      if (hands_on) break;
      const auto own = asked.ask_reads(*reader.node, k);
      wanted.insert(wanted.end(), own.begin(), own.end());
    }
  }
  return true;
}

bool touches(const detail::byte_ranges& ranges, std::size_t offset, std::size_t bytes) {
  return std::ranges::any_of(ranges, [&](const detail::byte_range& one) {
    return one.offset < offset + bytes && offset < one.offset + one.bytes;
  });
}

bool touches(const detail::byte_ranges& ranges, const detail::column_binding& column) {
  return touches(ranges, column.offset, column.count * cell_bytes(column.type)) ||
         (column.presence != 0 && touches(ranges, column.presence, 1));
}

}  // namespace

void choose_columns(plan& p, const request& asked) {
  if (!asked.ask_reads) return;
  for (std::size_t i = 0; i < p.stages.size(); ++i) {
    auto& s = p.stages[i];
    const auto* const file = s.node->op->file_of(*s.node);
    if (file == nullptr || file->columns.empty() || s.is_there() || s.outside) continue;
    detail::byte_ranges bytes;
    if (!add_wanted(p, static_cast<stage_index>(i), asked, bytes)) continue;
    for (const auto& column : file->columns) s.wanted.push_back(touches(bytes, column));
    if (std::ranges::find(s.wanted, false) == s.wanted.end()) s.wanted.clear();
  }
}

std::string columns_text(const stage& s) {
  if (s.wanted.empty()) return {};
  const auto& columns = s.node->op->file_of(*s.node)->columns;
  std::string names;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!s.wanted[i]) continue;
    const auto& name = columns[i].name.empty() ? std::string(columns[i].field) : columns[i].name;
    names += (names.empty() ? " " : ", ") + name;
  }
  return fmt::format(", of {} columns{}", columns.size(), names.empty() ? " none" : names);
}

}  // namespace pappus::plan
