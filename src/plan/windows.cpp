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
// side of a join: windows of the left side ask for right rows, and come twice.
//
// Rows that come in windows, and that several stages read or later queries (.cache()), are kept in
// parts that may rest on the disk, where memory may have no room for all of them. Each reader takes
// windows of them, as often as it likes. So are left rows of a join that must come twice, unless
// they are those of a file.
#include <algorithm>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "pappus/detail/base/loop.h"
#include "plan/plan.h"
#include "plan/room.h"

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
/// turn, that nobody else reads, or rows in parts. Other inputs will be in memory.
bool comes_in_turn(const plan& p, stage_index of, const readers& all) {
  const auto& input = p.stages[index(of)];
  if (input.in_parts) return true;
  if (all.of(of).size() != 1 || has_own_rows(input)) return false;
  return input.node->op->file_of(*input.node) != nullptr || reads_files_in_turn(p, input, all);
}

/// Whether a stage's rows come in windows.
bool come_in_windows(const plan& p, const stage& s, const readers& all) {
  const auto& n = *s.node;
  if (n.op->adds_its_inputs())
    return std::ranges::any_of(s.inputs, [&](auto of) { return comes_in_turn(p, of, all); });
  return (s.windowed || n.op->file_of(n) != nullptr) && n.op->passes_windows_on(n);
}

bool reads_files_in_turn(const plan& p, const stage& s, const readers& all) {
  return s.node->op->adds_its_inputs() && !has_own_rows(s) && come_in_windows(p, s, all);
}

/// Whether `input` can hand its rows to a reader window by window: to its only one, or to any, in
/// parts.
bool hands_on_windows(const plan& p, const stage& input, const readers& all) {
  return input.in_parts || (!has_own_rows(input) && come_in_windows(p, input, all));
}

void hand_on_windows(plan& p, stage_index of, const readers& all);

/// Has windows of its inputs come when it is their turn.
void take_in_turn(plan& p, const stage& s, const readers& all) {
  if (!s.node->op->adds_its_inputs()) return;
  for (const auto input : s.inputs)
    if (comes_in_turn(p, input, all)) hand_on_windows(p, input, all);
}

/// Has a stage hand on its rows window by window.
void hand_on_windows(plan& p, stage_index of, const readers& all) {
  auto& s = p.stages[index(of)];
  if (s.in_parts) return;
  s.passes_on = true;
  take_in_turn(p, s, all);
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

/// Whether a stage reads several inputs, row i of each together.
bool reads_in_step(const stage& s) {
  return s.inputs.size() > 1 && !s.node->op->adds_its_inputs() &&
         s.node->op->loop_of(*s.node) == nullptr;
}

/// Whether a stage, by its number among the readers of another one, can take windows of that.
bool may_take_windows(const plan& p, std::size_t reader, stage_index of, const request& asked) {
  if (reader == p.stages.size()) return false;
  const auto& s = p.stages[reader];
  const auto& op = *s.node->op;
  const bool all_rows = op.holds_of_window(*s.node).wants_all_rows();
  return std::ranges::find(s.inputs, of) != s.inputs.end() &&
         (s.inputs.size() == 1 || reads_in_step(s)) && op.takes_windows(*s.node) &&
         !op.is_join_index() && !goes_to_a_device(s, asked) && (!all_rows || asked.rows_can_rest);
}

/// Whether several stages take windows of a file, each for itself.
bool is_read_for_each(const plan& p, stage_index of, const request& asked, const readers& all) {
  const auto& from = p.stages[index(of)];
  if (from.node->op->file_of(*from.node) == nullptr || file_fits(from, asked)) return false;
  return std::ranges::all_of(all.of(of), [&](std::size_t reader) {
    return may_take_windows(p, reader, of, asked) &&
           std::ranges::find(p.stages[reader].sides, of) == p.stages[reader].sides.end();
  });
}

/// Whether a stage reads files that nobody else does, but for stages between that make the same of
/// its windows when they come again.
bool reads_a_file(const plan& p, const stage& s, const request& asked, const readers& all) {
  for (const auto* reader = &s; !reader->inputs.empty();) {
    const auto from = reader->inputs.front();
    reader = &p.stages[index(from)];
    if (comes_in_turn(p, from, all) || is_read_for_each(p, from, asked, all)) return true;
    if (all.of(from).size() != 1 || has_own_rows(*reader)) return false;
    const bool again = reader->windowed && !reader->asks &&
                       reader->node->op->depends_on_window_alone(*reader->node);
    if (!again && reader->node->op->slice_of(*reader->node) == nullptr) return false;
  }
  return false;
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
  const auto& right_rows = p.stages[index(right)];
  if ((all.of(right).size() != (gathers ? 2 : 1) && !right_rows.in_parts) ||
      !hands_on_windows(p, right_rows, all))
    return nullptr;
  const bool can = !left.inputs.empty() && left.node->op->takes_windows(*left.node) &&
                   !goes_to_a_device(left, asked);
  return can && !all_rows_fit(p, right_index, asked) ? &left : nullptr;
}

/// Whether memory may have no room for an index of a stage's rows that a join wants.
bool has_large_index(const plan& p, stage_index of, const request& asked, const readers& all) {
  return std::ranges::any_of(all.of(of), [&](std::size_t reader) {
    return reader < p.stages.size() && p.stages[reader].node->op->is_join_index() &&
           !all_rows_fit(p, p.stages[reader], asked);
  });
}

/// Whether a stage's rows can be kept in parts.
bool can_rest(const plan& p, stage_index of, const request& asked, const readers& all) {
  const auto& s = p.stages[index(of)];
  return !s.is_there() && !s.outside && asked.rows_can_rest && come_in_windows(p, s, all);
}

/// The same, if they are more than a share of memory has room for.
bool can_be_in_parts(const plan& p, stage_index of, int shares, const request& asked,
                     const readers& all) {
  return can_rest(p, of, asked, all) && !rows_fit(p, of, shares, asked);
}

void put_in_parts(plan& p, stage_index of, const readers& all, const char* what = "all of them") {
  auto& s = p.stages[index(of)];
  s.in_parts = true;
  s.notes.push_back(
      fmt::format("its rows are kept in parts, because memory may have no room for {}", what));
  take_in_turn(p, s, all);
}

/// Whether a stage may ask for some of the right rows of a join, or is what it asks.
bool may_ask(const plan& p, std::size_t reader, stage_index right) {
  if (reader == p.stages.size()) return false;
  const auto& s = p.stages[reader];
  if (s.node->op->is_join_index()) return true;
  if (s.node->stage.counts.joins == nullptr) return false;
  for (std::size_t side = 0; side + 1 < s.sides.size(); ++side) {
    const auto& index_of = p.stages[index(s.sides[side])];
    if (index_of.node->op->is_join_index() && s.sides[side + 1] == right &&
        std::ranges::find(index_of.inputs, right) != index_of.inputs.end())
      return true;
  }
  return false;
}

/// Keeps rows in parts that later queries or several stages read.
void keep_in_parts(plan& p, stage_index of, const request& asked, const readers& all) {
  const bool fit = rows_fit(p, of, 2, asked);
  if (!can_rest(p, of, asked, all) || (fit && !has_large_index(p, of, asked, all))) return;
  const auto by = all.of(of);
  const auto takes = [&](std::size_t reader) {
    return may_take_windows(p, reader, of, asked) ||
           (reader < p.stages.size() && p.stages[reader].node->op->adds_its_inputs());
  };
  const auto may = [&](std::size_t reader) { return takes(reader) || may_ask(p, reader, of); };
  const bool several = by.size() > 1 && !is_read_for_each(p, of, asked, all) &&
                       std::ranges::any_of(by, takes) && std::ranges::all_of(by, may);
  if (fit && several)
    put_in_parts(p, of, all, "an index of them");
  else if (several || (!fit && p.stages[index(of)].node->is_cached()))
    put_in_parts(p, of, all);
}

/// Whether stages of a loop's body, and only such that may take windows, read a stage's rows; of
/// rows in parts also those that want all.
bool body_takes_windows(const detail::loop_params& loop, const stage& of) {
  const auto reads = [&](const graph::node& n) {
    return std::ranges::any_of(n.stage.inputs, [&](const auto& in) { return in.get() == of.node; });
  };
  const auto body =
      graph::in_order({&loop.body, 1}, [&](const graph::node& n) { return &n == of.node; });
  return std::ranges::all_of(body, [&](const graph::node* n) {
    return !reads(*n) ||
           (n->stage.inputs.size() == 1 && n->op->takes_windows(*n) && !n->op->is_join_index() &&
            (of.in_parts || !n->op->holds_of_window(*n).wants_all_rows()));
  });
}

/// Whether iterations of a loop take windows of what one of its inputs has, or is a file of.
bool iterations_take_windows(const plan& p, const stage& s, stage_index of) {
  const auto& loop = *s.node->op->loop_of(*s.node);
  for (std::size_t i = 0; i < loop.invariants.size(); ++i)
    if (s.inputs[i + 1] == of &&
        (loop.invariants[i].shared || !body_takes_windows(loop, p.stages[index(of)])))
      return false;
  return s.inputs.front() != of;
}

constexpr const char* of_each_iteration =
    "is read in each iteration: memory may have no room for its rows";

/// A file that a loop reads, and that memory may have no room for, is read again in each iteration,
/// window by window.
void leave_files_to_loop(plan& p, const stage& s, const request& asked, const readers& all) {
  for (const auto of : std::span(s.inputs).subspan(1)) {
    auto& from = p.stages[index(of)];
    if (from.node->op->file_of(*from.node) == nullptr || all.of(of).size() != 1 ||
        !hands_on_windows(p, from, all) || from.in_parts || file_fits(from, asked) ||
        !iterations_take_windows(p, s, of))
      continue;
    from.passes_on = true;
    from.notes.push_back(of_each_iteration);
  }
}

/// Whether all that a stage gets of another one's rows are windows.
bool takes_windows_alone(const plan& p, std::size_t reader, stage_index of) {
  if (reader == p.stages.size()) return false;
  const auto& s = p.stages[reader];
  for (std::size_t side = 0; side < s.sides.size(); ++side)
    if (s.sides[side] == of && !is_asked_for(p, s, side)) return false;
  if (s.node->op->loop_of(*s.node) != nullptr) return is_left_to_iterations(p, s, of);
  return std::ranges::find(s.inputs, of) == s.inputs.end() || s.windowed ||
         (s.node->op->adds_its_inputs() && (s.passes_on || s.in_parts));
}

/// Whether windows of rows can be handed on to a stage that reads them.
bool come_to_one(const plan& p, stage_index of, const request& asked, const readers& all) {
  const auto& input = p.stages[index(of)];
  return hands_on_windows(p, input, all) &&
         (all.of(of).size() == 1 || input.in_parts || is_read_for_each(p, of, asked, all));
}

/// Has rows that are put behind others come in turn, too, though they come in windows through other
/// stages: in parts.
void put_in_parts_for_turns(plan& p, const stage& s, const request& asked, const readers& all) {
  for (const auto of : s.inputs)
    if (!comes_in_turn(p, of, all) && come_to_one(p, of, asked, all) &&
        can_be_in_parts(p, of, 4, asked, all))
      put_in_parts(p, of, all);
}

/// Whether windows of a stage's first input can come as often as it needs them: twice where it asks
/// for right rows. They are put in parts for that, if memory has no room for all rows.
bool can_come_twice(plan& p, const stage& s, const request& asked, const readers& all) {
  if (!s.asks || reads_a_file(p, s, asked, all)) return true;
  const auto first = s.inputs.front();
  if (can_be_in_parts(p, first, 4, asked, all)) put_in_parts(p, first, all);
  return p.stages[index(first)].in_parts;
}

/// Decides whether a stage takes windows of its only input, which can come in them or not.
bool takes_windows(plan& p, std::size_t i, const request& asked, const readers& all) {
  auto& s = p.stages[i];
  auto& input = p.stages[index(s.inputs.front())];
  if (s.node->op->is_join_index()) {
    auto* const left = who_asks(p, i, asked, all);
    if (left == nullptr) return false;
    left->asks = static_cast<std::size_t>(
        std::ranges::find(left->sides, static_cast<stage_index>(i)) - left->sides.begin());
    return s.windowed = true;
  }
  const auto count = all.of(s.inputs.front()).size();
  if (!hands_on_windows(p, input, all) || !can_come_twice(p, s, asked, all)) {
    s.windowed = s.asks.has_value();  // of rows in memory
    return false;
  }
  if (goes_to_a_device(s, asked)) return false;
  const bool one_reads = count == 1 || input.in_parts;
  if (!one_reads && !is_read_for_each(p, s.inputs.front(), asked, all)) return false;
  const bool all_rows = s.node->op->holds_of_window(*s.node).wants_all_rows();
  if (all_rows && !s.asks && (!asked.rows_can_rest || (count == 1 && all_rows_fit(p, s, asked))))
    return false;
  if (!one_reads && !input.passes_on)
    input.notes.push_back(fmt::format(
        "is read once for each of {} stages: memory may have no room for its rows", count));
  return s.windowed = true;
}

/// Has a stage take windows of inputs that it reads in step, where some come in them. All but the
/// first have to be there when the first one's come: files are, what is in memory, and rows in
/// parts.
void take_windows_in_step(plan& p, std::size_t i, const request& asked, const readers& all) {
  auto& s = p.stages[i];
  const auto read_again = [&](stage_index of) { return is_read_for_each(p, of, asked, all); };
  const bool all_rows = s.node->op->holds_of_window(*s.node).wants_all_rows(),
             may_be_whole = !s.asks && std::ranges::none_of(s.inputs, read_again);
  if (goes_to_a_device(s, asked) ||
      (all_rows && (!asked.rows_can_rest || (may_be_whole && all_rows_fit(p, s, asked)))))
    return;
  s.windowed = s.asks.has_value();
  for (const auto of : std::span(s.inputs).subspan(1)) {
    if (!come_to_one(p, of, asked, all)) continue;
    const bool is_there = comes_in_turn(p, of, all) || read_again(of);
    if (!is_there && can_be_in_parts(p, of, 4, asked, all)) put_in_parts(p, of, all);
    if (is_there) hand_on_windows(p, of, all);
    s.windowed |= is_there || p.stages[index(of)].in_parts;
  }
  const auto first = s.inputs.front();
  if (!come_to_one(p, first, asked, all) || !can_come_twice(p, s, asked, all)) return;
  s.windowed = true;
  hand_on_windows(p, first, all);
}

/// Rows that are there in parts, of earlier queries, needn't be brought to memory as a whole where
/// all readers take windows of them.
void leave_parts_where_they_are(plan& p, const readers& all) {
  for (std::size_t i = 0; i < p.stages.size(); ++i) {
    auto& s = p.stages[i];
    if (!s.in_parts) continue;
    const auto of = static_cast<stage_index>(i);
    const auto alone = [&](std::size_t reader) { return takes_windows_alone(p, reader, of); };
    if (s.resting && std::ranges::all_of(all.of(of), alone)) s.passes_on = true;
    const auto iterate = [&](std::size_t reader) {
      if (reader == p.stages.size()) return false;
      const auto& by = p.stages[reader];
      return by.node->op->loop_of(*by.node) != nullptr && is_left_to_iterations(p, by, of);
    };
    if (std::ranges::any_of(all.of(of), iterate)) s.notes.push_back(of_each_iteration);
  }
}

}  // namespace

bool is_left_to_iterations(const plan& p, const stage& loop, stage_index of) {
  const auto& from = p.stages[index(of)];
  return from.passes_on ||
         (from.in_parts && from.node->is_cached() && iterations_take_windows(p, loop, of));
}

bool is_asked_for(const plan& p, const stage& s, std::size_t side) {
  return s.asks && side == *s.asks + 1 &&
         p.stages[index(s.sides[*s.asks])].inputs.front() == s.sides[side];
}

bool yields_windows(const stage& s) { return s.windowed && s.node->op->yields_windows(*s.node); }

void choose_windows(plan& p, const request& asked) {
  const readers all(p);
  for (std::size_t i = 0; i < p.stages.size(); ++i) {
    auto& s = p.stages[i];
    if (s.resting)
      s.in_parts = !s.resting->parts().empty() && !kept_rows_fit(*s.resting, s.node->out, asked);
    if (!s.inputs.empty() && s.node->op->loop_of(*s.node) != nullptr)
      leave_files_to_loop(p, s, asked, all);
    if (s.node->op->takes_windows(*s.node)) {
      if (s.inputs.size() == 1 && takes_windows(p, i, asked, all))
        hand_on_windows(p, s.inputs.front(), all);
      if (reads_in_step(s)) take_windows_in_step(p, i, asked, all);
    }
    if (s.node->op->adds_its_inputs()) put_in_parts_for_turns(p, s, asked, all);
    keep_in_parts(p, static_cast<stage_index>(i), asked, all);
  }
  leave_parts_where_they_are(p, all);
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
