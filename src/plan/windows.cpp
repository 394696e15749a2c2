// Which stages take a file window by window instead of having it read to memory first: those that
// can, when nobody else reads the same file, or when all who do can and memory might have no room
// for it: then each reads it by itself. Slices and fused stages pass windows on, so that
// file.filter(p).take(5) needs memory for five rows. Files that are put behind one another (concat)
// come in turn.
//
// Devices want their input in memory: a stage that was asked to run on one, and can, has it there.
//
// Operators that need all rows before they yield any (sort) take windows where the rows might not
// fit in half of the budget; their own rows go on in windows, too. The same holds for the right
// side of a join, if the left side can be gone through twice, as a file or because its rows are in
// memory: its windows ask for right rows.
#include <algorithm>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "pappus/detail/base/loop.h"
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

/// Who reads the rows of which stage.
class readers {
 public:
  explicit readers(const plan& p) : of_(p.stages.size()) {
    for (std::size_t i = 0; i < p.stages.size(); ++i)
      for (const auto* edges : {&p.stages[i].inputs, &p.stages[i].sides})
        for (const auto input : *edges) of_[index(input)].push_back(i);
    for (const auto root : p.roots) of_[index(root)].push_back(p.stages.size());
  }
  /// By number of the stage; one beyond the last is the caller of the query.
  std::span<const std::size_t> of(stage_index rows) const { return of_[index(rows)]; }

 private:
  std::vector<std::vector<std::size_t>> of_;
};

/// Whether a stage's rows are in memory or will be, whoever reads them.
bool has_own_rows(const stage& s) { return s.is_there() || s.outside || s.node->is_cached(); }

/// Whether a stage puts rows behind one another some of which come in turn.
bool reads_files_in_turn(const plan& p, const stage& s, const readers& all);

/// Whether windows of a stage's input can come when it is its turn: it is a file, or several in
/// turn, that nobody else reads. Other inputs will be in memory.
bool comes_in_turn(const plan& p, stage_index of, const readers& all) {
  const auto& input = p.stages[index(of)];
  if (all.of(of).size() != 1 || has_own_rows(input)) return false;
  return input.node->op->file_of(*input.node) != nullptr || reads_files_in_turn(p, input, all);
}

bool reads_files_in_turn(const plan& p, const stage& s, const readers& all) {
  return s.node->op->adds_its_inputs() && !has_own_rows(s) &&
         std::ranges::any_of(s.inputs, [&](stage_index of) { return comes_in_turn(p, of, all); });
}

/// Whether `input` can hand its rows to its only reader window by window.
bool hands_on_windows(const plan& p, const stage& input, const readers& all) {
  if (has_own_rows(input)) return false;
  const auto& n = *input.node;
  if (reads_files_in_turn(p, input, all)) return true;
  return (input.windowed || n.op->file_of(n) != nullptr) && n.op->passes_windows_on(n);
}

/// Has a stage do that.
void hand_on_windows(plan& p, stage_index of, const readers& all) {
  auto& s = p.stages[index(of)];
  s.passes_on = true;
  if (!s.node->op->adds_its_inputs()) return;
  for (const auto input : s.inputs)
    if (comes_in_turn(p, input, all)) hand_on_windows(p, input, all);
}

/// Where the windows come from that a stage takes or, not being in memory, hands on.
const stage& source_of(const plan& p, stage_index of) {
  const auto* at = &p.stages[index(of)];
  while (at->windowed) {
    at = &p.stages[index(at->inputs.front())];
    if (!at->passes_on) break;
  }
  return *at;
}

/// Records of a source. Of a file, or of what it may hold: one in two bytes at most.
double rows_of_source(const plan& p, const stage& from) {
  constexpr double unknown = 1e15;
  if (const auto* const file = from.node->op->file_of(*from.node))
    return file->rows >= 0 ? static_cast<double>(file->rows) : file->bytes / 2;
  if (from.rows_out.known != graph::bound::certainty::unknown)
    return static_cast<double>(from.rows_out.rows);
  if (!from.node->op->adds_its_inputs()) return unknown;
  double rows = 0;
  for (const auto input : from.inputs) rows += rows_of_source(p, p.stages[index(input)]);
  return rows;
}

/// Whether a stage that needs all rows has room for them in memory, with half of the budget left;
/// for a join's index with two thirds, because the stage that joins works beside it.
bool fits(const plan& p, const stage& s, const request& asked) {
  const auto& input = p.stages[index(s.inputs.front())];
  const double rows = input.rows_out.known == graph::bound::certainty::unknown
                          ? rows_of_source(p, source_of(p, s.inputs.front()))
                          : static_cast<double>(input.rows_out.rows);
  double a_row = static_cast<double>(input.node->out.size), result = 0;
  const bool is_index = s.node->op->is_join_index();
  const auto held = s.node->op->bytes(*s.node, 1, 1);
  const auto window = s.node->op->holds_of_window(*s.node);
  a_row += is_index ? held.output + held.scratch : window.row;
  if (!is_index && window.kept > 0)  // what it makes of its rows is not among what it holds of them
    result = held.output * (s.rows_out.exact() ? static_cast<double>(s.rows_out.rows) : rows);
  return (is_index ? 3 : 2) * (rows * a_row + result) <=
         static_cast<double>(asked.machine.host_memory);
}

/// What a stage keeps of a file that goes through it in windows, where that is more than the user
/// may think.
void note_text(const plan& p, stage& s) {
  const auto& n = *s.node;
  const auto& from = source_of(p, s.inputs.front());
  if (!from.passes_on || from.node->out.text != detail::text_in::views) return;
  if (!n.op->keeps_text(n) || n.op->may_stop_early(n)) return;
  s.notes.push_back(fmt::format(
      "the text of all records read stays in memory, because what {} keeps may point to it: keep "
      "numbers in its place, or promise pappus::holds_no_text of types that Pappus can't see into",
      n.name));
}

/// Whether the rows of a file would fit in half of the budget, about. A text's rows take as much
/// again as it, and half of that, besides their own text.
bool file_fits(const stage& s, const request& asked) {
  constexpr double of_text = 2.5;
  const auto& file = *s.node->op->file_of(*s.node);
  const double bytes = file.rows >= 0
                           ? static_cast<double>(file.rows) * static_cast<double>(s.node->out.size)
                           : of_text * file.bytes;
  return 2 * bytes <= static_cast<double>(asked.machine.host_memory);
}

/// Whether several stages take windows of a file, each for itself.
bool is_read_for_each(const plan& p, stage_index of, const request& asked, const readers& all) {
  const auto& from = p.stages[index(of)];
  if (from.node->op->file_of(*from.node) == nullptr || file_fits(from, asked)) return false;
  return std::ranges::all_of(all.of(of), [&](std::size_t reader) {
    if (reader == p.stages.size()) return false;
    const auto& s = p.stages[reader];
    const auto& op = *s.node->op;
    const bool all_rows = op.holds_of_window(*s.node).wants_all_rows();
    return s.inputs.size() == 1 && std::ranges::find(s.sides, of) == s.sides.end() &&
           op.takes_windows(*s.node) && !op.is_join_index() && !goes_to_a_device(s, asked) &&
           (!all_rows || asked.rows_can_rest);
  });
}

/// Whether a stage reads files that nobody else does, but for stages between that make the same of
/// its windows when they come again.
bool reads_a_file(const plan& p, const stage& s, const readers& all) {
  for (const auto* reader = &s; reader->inputs.size() == 1;) {
    const auto from = reader->inputs.front();
    reader = &p.stages[index(from)];
    if (comes_in_turn(p, from, all)) return true;
    if (all.of(from).size() != 1 || has_own_rows(*reader)) return false;
    const bool again = reader->windowed && !reader->asks &&
                       reader->node->op->depends_on_window_alone(*reader->node);
    if (!again && reader->node->op->slice_of(*reader->node) == nullptr) return false;
  }
  return false;
}

/// Whether the rows that a stage reads will be in memory, or may as well be: a quarter of it has
/// room for them. The stages before it have been decided about.
bool may_be_in_memory(const plan& p, const stage& reader, const request& asked,
                      const readers& all) {
  const auto& rows = p.stages[index(reader.inputs.front())];
  if (!hands_on_windows(p, rows, all)) return true;
  const bool known = rows.rows_out.known != graph::bound::certainty::unknown;
  const double bytes =
      static_cast<double>(rows.rows_out.rows) * static_cast<double>(rows.node->out.size);
  return known && 4 * bytes <= static_cast<double>(asked.machine.host_memory);
}

/// The stage with the left rows of a join, if these may ask for the right rows, which needn't be in
/// memory then. Null: it can't, or they fit.
stage* who_asks(plan& p, std::size_t join_index, const request& asked, const readers& all) {
  const auto& right_index = p.stages[join_index];
  if (!right_index.node->op->is_join_index() || !asked.rows_can_rest ||
      right_index.inputs.size() != 1)
    return nullptr;
  const auto own = static_cast<stage_index>(join_index), right = right_index.inputs.front();
  const auto by = all.of(own);
  if (by.size() != 1 || by[0] == p.stages.size() ||
      !right_index.node->op->takes_windows(*right_index.node))
    return nullptr;
  auto& left = p.stages[by[0]];
  const auto side =
      static_cast<std::size_t>(std::ranges::find(left.sides, own) - left.sides.begin());
  if (side == left.sides.size() || left.asks || left.node->stage.counts.joins == nullptr)
    return nullptr;
  const bool gathers = side + 1 < left.sides.size() && left.sides[side + 1] == right;
  // These don't gather: a function behind them may share all right rows.
  const bool keeps_left_rows = std::ranges::any_of(left.node->stage.ops, [](const auto& op) {
    return op.name == "semi_join" || op.name == "anti_join";
  });
  if (gathers && keeps_left_rows) return nullptr;
  if (all.of(right).size() != (gathers ? 2 : 1) ||
      !hands_on_windows(p, p.stages[index(right)], all))
    return nullptr;
  const bool decided = left.inputs.size() == 1 && index(left.inputs.front()) < join_index;
  const bool twice =
      reads_a_file(p, left, all) || (decided && may_be_in_memory(p, left, asked, all));
  const bool can =
      twice && left.node->op->takes_windows(*left.node) && !goes_to_a_device(left, asked);
  return can && !fits(p, right_index, asked) ? &left : nullptr;
}

/// Whether stages of a loop's body, and only such that may take windows, read a node's rows.
bool body_takes_windows(const detail::loop_params& loop, const graph::node* of) {
  const auto reads = [&](const graph::node& n) {
    return std::ranges::any_of(n.stage.inputs, [&](const auto& in) { return in.get() == of; });
  };
  const auto body =
      graph::in_order({&loop.body, 1}, [&](const graph::node& n) { return &n == of; });
  return std::ranges::all_of(body, [&](const graph::node* n) {
    return !reads(*n) || (n->stage.inputs.size() == 1 && n->op->takes_windows(*n) &&
                          !n->op->is_join_index() && !n->op->holds_of_window(*n).wants_all_rows());
  });
}

/// A file that a loop reads, and that memory may have no room for, is read again in each iteration,
/// window by window.
void leave_files_to_loop(plan& p, const stage& s, const request& asked, const readers& all) {
  const auto* const loop = s.node->op->loop_of(*s.node);
  for (std::size_t i = 0; i < loop->invariants.size(); ++i) {
    const auto of = s.inputs[i + 1];
    auto& from = p.stages[index(of)];
    if (from.node->op->file_of(*from.node) == nullptr || loop->invariants[i].shared ||
        all.of(of).size() != 1 || !hands_on_windows(p, from, all) || file_fits(from, asked) ||
        !body_takes_windows(*loop, from.node))
      continue;
    from.passes_on = true;
    from.notes.push_back("is read in each iteration: memory may have no room for its rows");
  }
}

}  // namespace

bool yields_windows(const stage& s) { return s.windowed && s.node->op->yields_windows(*s.node); }

void choose_windows(plan& p, const request& asked) {
  const readers all(p);
  for (std::size_t i = 0; i < p.stages.size(); ++i) {
    auto& s = p.stages[i];
    if (!s.inputs.empty() && s.node->op->loop_of(*s.node) != nullptr)
      leave_files_to_loop(p, s, asked, all);
    if (s.inputs.size() != 1 || !s.node->op->takes_windows(*s.node)) continue;
    auto& input = p.stages[index(s.inputs.front())];
    if (s.node->op->is_join_index()) {
      auto* const left = who_asks(p, i, asked, all);
      if (left == nullptr) continue;
      left->asks = static_cast<std::size_t>(
          std::ranges::find(left->sides, static_cast<stage_index>(i)) - left->sides.begin());
    } else {
      const auto count = all.of(s.inputs.front()).size();
      if (!hands_on_windows(p, input, all) || (s.asks && !reads_a_file(p, s, all))) {
        s.windowed = s.asks.has_value();  // of rows in memory
        continue;
      }
      if (goes_to_a_device(s, asked)) continue;
      if (count > 1 && !is_read_for_each(p, s.inputs.front(), asked, all)) continue;
      const bool all_rows = s.node->op->holds_of_window(*s.node).wants_all_rows();
      if (all_rows && !s.asks && (!asked.rows_can_rest || (count == 1 && fits(p, s, asked))))
        continue;
      if (count > 1 && !input.passes_on)
        input.notes.push_back(fmt::format(
            "is read once for each of {} stages: memory may have no room for its rows", count));
    }
    s.windowed = true;
    hand_on_windows(p, s.inputs.front(), all);
  }
  for (auto& s : p.stages)
    if (s.windowed) note_text(p, s);
}

std::vector<stage_index> windows_path(const plan& p, stage_index last) {
  const auto goes_on = [&](const stage& s) {
    return s.passes_on && s.windowed && !yields_windows(s);
  };
  std::vector<stage_index> path{last};
  do path.push_back(p.stages[index(path.back())].inputs.front());
  while (goes_on(p.stages[index(path.back())]));
  std::ranges::reverse(path);
  return path;
}

std::vector<stage_index> whole_path(const plan& p, stage_index last) {
  std::vector<stage_index> path{last};
  while (p.stages[index(path.back())].windowed) {
    const auto source = p.stages[index(path.back())].inputs.front();
    if (!p.stages[index(source)].passes_on) break;
    path.push_back(source);
  }
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
