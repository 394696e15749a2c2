// Which records of a file's windows a stage drops by their fields alone: readers of files that tell
// the least and the most value of some rows needn't fetch those rows.
//
// It holds for a stage that reads records block by block and leaves out those that aren't made: the
// rows are numbered as ever, so that no result depends on what a file tells. Each reader of a file
// has conditions of its own, as each goes through the file by itself.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/conditions.h"
#include "pappus/category.h"
#include "plan/plan.h"

namespace pappus::plan {
namespace {

/// The files whose windows the stage hands on, itself or those behind one another.
void add_files(const plan& p, stage_index of, std::vector<const detail::file_params*>& to) {
  const auto& s = p.stages[index(of)];
  if (!s.passes_on || s.in_parts || s.is_there() || s.outside || s.node->is_cached()) return;
  if (s.node->op->adds_its_inputs()) {
    for (const auto input : s.inputs) add_files(p, input, to);
  } else if (const auto* const file = s.node->op->file_of(*s.node);
             file != nullptr && file->tells_ranges) {
    to.push_back(file);
  }
}

std::vector<const detail::file_params*> files_read_by(const plan& p, const stage& s) {
  std::vector<const detail::file_params*> found;
  if (s.windowed && s.inputs.size() == 1 && !s.asks && s.node->op->reads_block_by_block(*s.node))
    add_files(p, s.inputs.front(), found);
  return found;
}

/// The column that a condition is about, if files tell of its values.
const detail::column_binding* column_of(const detail::file_params& file,
                                        const detail::condition& one) {
  const auto is_it = [&](const detail::column_binding& column) {
    const auto bytes = detail::cell_bytes(column.type);
    const bool inside = one.offset >= column.offset &&
                        one.offset < column.offset + column.count * bytes &&
                        (one.offset - column.offset) % bytes == 0;
    if (inside && one.bytes == bytes)
      return one.text.empty() ? !detail::is_text_cell(column.type) &&
                                    one.floating == detail::is_float_cell(column.type)
                              : detail::is_text_cell(column.type);
    return column.presence != 0 && one.offset == column.presence && one.bytes == 1;
  };
  const auto found = std::ranges::find_if(file.columns, is_it);
  return found == file.columns.end() ? nullptr : &*found;
}

/// A code means something in this process: files have texts.
void name_category(const detail::file_params& file, detail::condition& one) {
  const bool is_code = std::ranges::any_of(file.columns, [&](const auto& column) {
    return column.type == detail::cell::category && column.offset == one.offset &&
           detail::cell_bytes(column.type) == one.bytes;
  });
  if (!is_code || one.floating || !one.text.empty()) return;
  const auto codes = base::allowed(one, false);
  if (codes.size() == 1 && codes.front().first == codes.front().last)
    one = base::condition_of(one.offset, one.bytes,
                             detail::text_of_code(static_cast<std::uint32_t>(codes.front().first)),
                             true);
}

std::string text_of(const detail::column_binding& column, const detail::condition& one) {
  const auto name = column.name.empty() ? std::string(column.field) : column.name;
  if (one.offset == column.presence && column.presence != 0)
    return base::may_hold(one, false, 0, 0) ? "no " + name : name;
  return base::text(one, name, column.type);
}

}  // namespace

void choose_conditions(plan& p, const request& asked) {
  if (!asked.ask_conditions || asked.assumed != nullptr) return;
  for (auto& s : p.stages) {
    const auto files = files_read_by(p, s);
    if (files.empty()) continue;
    s.conditions = asked.ask_conditions(*s.node, 0);
    for (auto& one : s.conditions)
      for (const auto* const file : files) name_category(*file, one);
    std::erase_if(s.conditions, [&](const detail::condition& one) {
      return std::ranges::none_of(
          files, [&](const auto* file) { return column_of(*file, one) != nullptr; });
    });
  }
}

std::string conditions_text(const plan& p, const stage& s) {
  if (s.conditions.empty()) return {};
  const auto files = files_read_by(p, s);
  std::vector<std::pair<std::size_t, std::string>> texts;  // by the places of their fields
  for (const auto& one : s.conditions) {
    const auto has_it = [&](const auto* file) { return column_of(*file, one) != nullptr; };
    const auto file = std::ranges::find_if(files, has_it);
    if (file != files.end()) texts.emplace_back(one.offset, text_of(*column_of(**file, one), one));
  }
  std::ranges::sort(texts);
  std::string all;
  for (const auto& [offset, text] : texts) all += (all.empty() ? "" : " and ") + text;
  return all.empty() ? all : ", of row groups with " + all;
}

}  // namespace pappus::plan
