// Which stages take a file window by window instead of having it read to memory first: those that
// can, when nobody else reads the same file. Slices and fused stages pass windows on, so that
// file.filter(p).take(5) needs memory for five rows.
//
// Devices want their input in memory: a stage that was asked to run on one, and can, has it there.
//
// Operators that need all rows before they yield any (sort) take windows where the rows might not
// fit in half of the budget; their own rows go on in windows, too.
#include <algorithm>

#include "plan/plan.h"

namespace pappus::plan {
namespace {

/// Only devices were asked for, and one of them can run the stage.
bool goes_to_a_device(const stage& s, const request& asked) {
  if (!asked.ask_device || !graph::is_run(*s.node)) return false;
  if (asked.machine.cpu && names_device(s.node->stage.devices, "cpu")) return false;
  for (unsigned d = 0; d < asked.machine.devices.size(); ++d)
    if (asked.ask_device(*s.node, d).possible()) return true;
  return false;
}

/// Whether `input` can hand its rows to its only reader window by window.
bool hands_on_windows(const stage& input) {
  if (input.is_there() || input.outside || input.node->is_cached()) return false;
  const auto& n = *input.node;
  return (input.windowed || n.op->file_of(n) != nullptr) && n.op->passes_windows_on(n);
}

/// Records of the file, or of what it may hold: one in two bytes at most.
double rows_of_file(const plan& p, stage_index last) {
  while (!p.stages[index(last)].inputs.empty()) last = p.stages[index(last)].inputs.front();
  const auto& n = *p.stages[index(last)].node;
  const auto& file = *n.op->file_of(n);
  return file.rows >= 0 ? static_cast<double>(file.rows) : file.bytes / 2;
}

/// Whether a stage that needs all rows has room for them in memory, with half of the budget left.
bool fits(const plan& p, const stage& s, const request& asked) {
  const auto& input = p.stages[index(s.inputs.front())];
  const double a_row =
      static_cast<double>(input.node->out.size) + s.node->op->holds_of_window(*s.node).row;
  const double rows = input.rows_out.known == graph::bound::certainty::unknown
                          ? rows_of_file(p, s.inputs.front())
                          : static_cast<double>(input.rows_out.rows);
  return 2 * rows * a_row <= static_cast<double>(asked.machine.host_memory);
}

}  // namespace

bool yields_windows(const stage& s) { return s.windowed && s.node->op->yields_windows(*s.node); }

void choose_windows(plan& p, const request& asked) {
  std::vector<int> readers(p.stages.size(), 0);
  for (const auto& s : p.stages)
    for (const auto* edges : {&s.inputs, &s.sides})
      for (const auto input : *edges) ++readers[index(input)];
  for (const auto root : p.roots) ++readers[index(root)];
  for (auto& s : p.stages) {
    if (s.inputs.size() != 1 || !s.node->op->takes_windows(*s.node)) continue;
    auto& input = p.stages[index(s.inputs.front())];
    if (readers[index(s.inputs.front())] != 1 || !hands_on_windows(input)) continue;
    if (goes_to_a_device(s, asked)) continue;
    const bool all_rows = s.node->op->holds_of_window(*s.node).wants_all_rows();
    if (all_rows && (!asked.rows_can_rest || fits(p, s, asked))) continue;
    s.windowed = input.passes_on = true;
  }
}

std::vector<stage_index> windows_path(const plan& p, stage_index last) {
  std::vector<stage_index> path{last};
  do path.push_back(p.stages[index(path.back())].inputs.front());
  while (p.stages[index(path.back())].windowed && !yields_windows(p.stages[index(path.back())]));
  std::ranges::reverse(path);
  return path;
}

std::vector<stage_index> whole_path(const plan& p, stage_index last) {
  std::vector<stage_index> path{last};
  while (p.stages[index(path.back())].windowed)
    path.push_back(p.stages[index(path.back())].inputs.front());
  std::ranges::reverse(path);
  return path;
}

bool may_stop_early(const plan& p, stage_index last) {
  const auto path = windows_path(p, last);
  return std::ranges::any_of(path, [&](stage_index i) {
    const auto& n = *p.stages[index(i)].node;
    return n.op->may_stop_early(n);
  });
}

}  // namespace pappus::plan
