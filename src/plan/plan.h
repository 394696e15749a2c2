// How a query will run: one stage per node, in an order that respects the data, with what the
// passes decided for each.
//
// Planning is pure: graph and machine in, plan out. Each pass is a file; plan.cpp lists them in
// order.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cost/machine.h"
#include "cost/work.h"
#include "graph/operator_entry.h"
#include "ops/answer.h"
#include "regions/grid.h"
#include "regions/interval.h"
#include "regions/steps.h"

namespace pappus::plan {

enum class stage_index : std::uint32_t {};
constexpr std::size_t index(stage_index i) { return static_cast<std::size_t>(i); }

/// Where a stage runs.
struct placement {
  std::vector<unsigned> devices;  ///< numbers in machine::devices, of one kind; empty: the CPU
  bool stays = false;  ///< its rows stay there: they fit, and only stages there read them
  /// For each input: bytes of a record that are uploaded. Fewer than the record's size where only
  /// the bytes that functions read are sent. Empty: whole records of all inputs.
  std::vector<std::size_t> sent_bytes{};
};

/// What a stage would cost at one place, all other stages staying where they are.
struct estimate {
  std::string where{};              ///< "cpu", "opencl:0", "opencl:0+opencl:1"
  std::vector<unsigned> devices{};  ///< those of `where`, as in placement
  double transfer_s = 0;            ///< to copy its inputs there, and its rows to their readers
  double launch_s = 0, build_s = 0, work_s = 0;
  cost::trust how = cost::trust::counted;  ///< of work_s
  std::string why_not{};                   ///< why it can't run there; the times mean nothing then
  double total() const noexcept { return transfer_s + launch_s + build_s + work_s; }
};

/// What items of a launch wait for: those items of an earlier one whose indices touch the same
/// elements. Which these are is computed when asked (batch.h), never listed.
struct need {
  stage_index before;
  std::size_t theirs = 0, own = 0;  ///< accesses, by their numbers among the launches'
  enum class conflict : std::uint8_t { read_after_write, write_after_read, write_after_write } why;
  /// How far indices that touch the same elements are apart, in each dimension: later minus
  /// earlier.
  std::array<regions::interval, regions::rank_max> apart;
};

/// How a launch keeps states that it reduces into in registers (reduced_rows.cpp).
struct reduced_rows {
  std::size_t access = 0;                 ///< the first that reduces; others do so alike
  std::optional<regions::steps> steps{};  ///< along rows; none: each index has the next element
  /// A dimension but the last: indices that differ in it reduce into the same element, or do so for
  /// as long as these steps say.
  std::optional<std::size_t> along{};
  std::optional<regions::steps> along_steps{};
  bool narrow = false;  ///< only where rows are one with those next to them
};

/// Neighbouring stages whose items are run in turns, part by part (turn.h).
struct turn {
  std::size_t first = 0, stages = 1;
  std::int64_t tile = 0;  ///< items of a tile; 0: an item of each stage is a part
};

/// How often the body of a do_while is expected to run.
struct iterations {
  double count = 1;
  /// measured: so often, unless the data changed. guessed: so often at most, the condition may end
  /// the loop before. at_least: nobody knows how often.
  cost::trust how = cost::trust::measured;
};

struct plan;

/// How values that a launch reduces are put aside, for elements that are merged together later
/// (pappus/detail/base/value_bins.h).
struct binning {
  std::int64_t elements = 0;  ///< of the array a bin is for, in row-major order; a power of two
  std::size_t bytes = 0;      ///< of values that are worth passing over the array for
};

/// A node and what the passes decided about it. Fields are grouped by the pass that fills them in.
struct stage {
  // collect
  const graph::node* node = nullptr;
  detail::rows_ptr known;  ///< its rows, where they are in memory before the query runs
  std::shared_ptr<graph::kept_rows> resting;  ///< its rows, where they must be brought there first
  std::vector<stage_index> inputs, sides;
  bool outside = false;  ///< in a loop's body: its rows come from outside, see request::assumed

  // bounds
  graph::bound rows_in, rows_out;

  // limits
  std::int64_t limit = INT64_MAX;  ///< so many of its rows, the first, are all that is read

  // windows
  bool windowed = false;  ///< takes its input window by window
  /// Its rows are never in memory as a whole: its reader takes windows; of a file, each of its
  /// readers does.
  bool passes_on = false;
  /// The side that is the index of a join whose right rows rest: windows ask for those that they
  /// need (cpu_ops/asked_join.h), and come twice.
  std::optional<std::size_t> asks;
  /// Its rows are kept in parts that may rest on a disk: memory may have no room for all of them,
  /// and several stages read them, or later queries.
  bool in_parts = false;

  // columns
  /// Of a file: whether somebody looks at a column of it, for each that is bound. Empty: all.
  std::vector<bool> wanted{};

  // conditions
  /// Of a stage that takes windows of files: what is true of all records that it doesn't drop. Who
  /// reads them for it may leave out others.
  detail::conditions conditions{};

  // chunks
  std::int64_t morsel_rows = 65536;  ///< of a work item, unless the operator has a size of its own

  // place: what it reads, writes and computes
  graph::traffic bytes;                       ///< at the bounds of rows_in and rows_out
  bool rows_rest = false;                     ///< some, on a disk, while the stage runs
  double expected_in = 0, expected_out = 0;   ///< rows, for predictions: assumed where unknown
  double side_rows = 0;                       ///< of all sides together
  const cost::row_work* functions = nullptr;  ///< its functions' work per row; null: not counted
  cost::work work;                            ///< for all rows
  // place: of a do_while. expected_in counts the rows of all stages of all iterations.
  std::shared_ptr<const plan> body;  ///< what an iteration does; null: the stage is no loop
  iterations repeats;
  // place: where it runs, and what that should take
  placement where;
  std::vector<estimate> estimates;         ///< of every place; empty: only the CPU was asked
  double seconds = 0;                      ///< with copies: uploads count for the stage that reads
                                           ///< the rows, downloads for the one that made them
  cost::trust how = cost::trust::counted;  ///< of `seconds`
  std::string maths_note;                  ///< what fast floats would gain, for explain

  // lifetimes
  std::vector<stage_index> frees;  ///< stages whose rows nobody needs once this one is done

  // repeated, and others: for explain
  std::vector<std::string> notes;  ///< what explain tells the user besides
  std::string recomputed{};        ///< that of them about what another stage computes, too

  // chunks: of launches that read arrays in files
  regions::grid chunks{};  ///< items, which end where chunks do; rank 0: they needn't
  regions::grid reads{};   ///< what of an item is read and run at a time; rank 0: all
  /// Arguments, as bits, of which no two items, or no two of what is read at a time, need the same
  /// chunk.
  std::uint32_t read_once = 0;

  // leaves: of launches that reduce
  unsigned cut_along = ~0U;    ///< dimensions, as bits, along which indices may be cut anywhere
  bool independent = true;     ///< along the last one no two indices reduce into the same element
  regions::grid leaves{};      ///< items are made of these; rank 0: of any indices
  std::uint32_t lanes = 0;     ///< arguments, as bits, whose elements have lanes while a row runs
  std::int64_t lane_rows = 1;  ///< that are run at once, each with lanes of its own
  std::optional<reduced_rows> in_registers{};  ///< rows whose states are kept there
  std::int64_t leaves_ahead = 0;               ///< that may be begun before an earlier one is done
  std::vector<std::size_t> partial{};  ///< arguments: leaves reduce into states of their own
  std::optional<binning> bins{};       ///< leaves put values for the only such argument aside

  // items, needs: of launches
  regions::grid items{};   ///< boxes of indices, each of which is run as a whole
  bool in_blocks = false;  ///< they are, as bands would touch more than stays in memory
  regions::point tile{};   ///< of an item, in this order; 0: all of it
  std::vector<need> needs{};

  // turns: of the first launch of those that take turns
  std::string turns_note{};  ///< what that saves, for explain
  bool past_caches = false;  ///< its results are too large to be read from there

  // running
  bool measured = false;  ///< it has run: rows_out is what it yielded

  /// Its rows are there before the query runs.
  bool is_there() const noexcept { return known != nullptr || resting != nullptr; }
};

/// What a pass left behind, for explain.
struct pass_record {
  const char* name;
  std::string text;
};

struct plan {
  std::vector<stage> stages;  ///< inputs before consumers
  std::vector<stage_index> roots;
  std::vector<pass_record> history;  ///< one record a pass, if they were asked for
  std::vector<turn> order;           ///< of a batch of launches: all stages, by their numbers
  /// Nodes that others take the place of.
  std::map<const graph::node*, graph::node_ptr> instead;

  /// Throws std::logic_error naming the stage when an invariant is broken.
  void verify() const;
  std::string print() const;
  /// Predicted time of all stages.
  double seconds() const;
  /// How far that can be believed: as far as its worst part.
  cost::trust how() const;
};

using graph::bindings;
/// For the plan of a loop's body: nodes whose rows come from outside it (the state, what doesn't
/// change), how many rows these will have, and how many are expected where that isn't known.
struct assumed_rows {
  graph::bound bounds;
  double expected = 0;
};
using assumptions = std::unordered_map<const graph::node*, assumed_rows>;

/// What an earlier run of a do_while tells about how often its body runs. By default, of one that
/// hasn't run, that it does once.
struct past_loop {
  std::int64_t iterations = 1;
  bool condition_ended_it = false;  ///< and no limit
};

struct request {
  std::span<const graph::node_ptr> roots;
  const cost::machine& machine;
  std::int64_t chunk_rows = 0;  ///< the user's choice; 0: the planner's
  bool keep_history = false;
  bool rows_can_rest = false;  ///< on a disk, while memory is short
  const bindings* bound = nullptr;
  const assumptions* assumed = nullptr;
  /// Asked for each stage and device of the machine, unless the query is too small for any. Null:
  /// everything runs on the CPU.
  std::function<ops::answer(const graph::node&, unsigned device)> ask_device{};
  /// How many bytes of a row set on the host a device has a copy of. Null: none.
  std::function<double(const detail::rows_ptr&, unsigned device)> bytes_there{};
  /// The work of a stage's functions, as far as that is known. Null: stages cost their memory
  /// traffic alone.
  std::function<const cost::row_work&(const graph::node&)> ask_work{};
  /// Which bytes of an input's records a stage reads. Null: all.
  std::function<detail::byte_ranges(const graph::node&, std::size_t input)> ask_reads{};
  /// What is true of an input's records that a stage doesn't drop right away. Null: nothing is
  /// known.
  std::function<detail::conditions(const graph::node&, std::size_t input)> ask_conditions{};
  /// Seconds a row that a stage took when it ran before on these devices (none: on the CPU), copies
  /// excluded. Null: nothing is known of any stage.
  std::function<std::optional<double>(const stage&, std::span<const unsigned> devices)>
      ask_measured{};
  /// How a do_while ran before. Null: nothing is known of any.
  std::function<past_loop(const stage&)> ask_past{};
  std::vector<unsigned> only{};  ///< devices to run all stages on that they can; empty: the fastest
};

/// Runs all passes. Throws memory_error for what can't fit whatever is freed.
plan make_plan(const request& asked);

/// Whether a list such as "cpu,opencl" names a device, by its name or its kind. An empty one names
/// all.
bool names_device(std::string_view list, std::string_view device);

/// Whether iterations of a loop take windows of one of its inputs by themselves: of a file, or of
/// cached rows in parts.
bool is_left_to_iterations(const plan& p, const stage& loop, stage_index of);
/// Whether a side of a stage has the right rows of which its windows ask for some.
bool is_asked_for(const plan& p, const stage& s, std::size_t side);
/// Whether the stage takes windows and, once it has had all of them, yields its rows in windows.
bool yields_windows(const stage& s);
/// The stages through which windows go to `last`, whose source comes first: a file, a stage that
/// yields them, or one whose rows are in memory. `last` is the last.
std::vector<stage_index> windows_path(const plan& p, stage_index last);
/// All stages that run with `last`: windows_path(), and before it that of its source, if that is
/// not in memory.
std::vector<stage_index> whole_path(const plan& p, stage_index last);
/// Calls f(stage_index) for these; for `last` alone if it takes no windows.
template <typename F>
void for_each_on_path(const plan& p, stage_index last, F&& f) {
  if (!p.stages[index(last)].windowed) return f(last);
  for (const auto part : whole_path(p, last)) f(part);
}
/// Whether one of windows_path(p, last) may have all it needs before the file ends.
bool may_stop_early(const plan& p, stage_index last);

/// "cpu", "opencl:0": where a stage runs.
std::string where_text(const stage& s);
/// "5.1 ms", "guess 5.1 ms", "at least 5.1 ms".
std::string predicted_text(double seconds, cost::trust how);
/// ", of 8 columns carrier, delay": which of a file are read. Empty: all.
std::string columns_text(const stage& s);
/// ", of row groups with day >= 2024-03-01": those of a file that the stage wants. Empty: all.
std::string conditions_text(const plan& p, const stage& s);
/// Lines that say what the stage would cost at each place and why it runs where it does. Empty:
/// only the CPU was asked.
std::string reasons_text(const stage& s);

/// Rows and work of a stage, as expected: expected_in, expected_out, functions, work, how.
void size_work(plan& p, const request& asked, stage& s);
/// Those of a do_while, from the plan of its body: body, repeats, expected_in, expected_out, how.
void size_loop(const plan& p, const request& asked, stage& s);
/// The seconds that a stage is expected to take on the CPU; a loop, wherever its iterations run.
double cpu_seconds(const cost::machine& m, const stage& s);
/// Why the stage would be faster with fast floats. Empty: it wouldn't, or that isn't known.
std::string maths_note(const cost::machine& m, const stage& s);

/// Runs the passes again that depend on numbers of rows, after some stages have run and theirs are
/// known.
void refine(plan& p, const request& asked);

// The passes, in order. Each reads what earlier ones wrote.
void collect_stages(plan& p, const request& asked);      // collect.cpp: stages, edges
void bound_rows(plan& p, const request& asked);          // bounds.cpp: rows_in, rows_out
void limit_rows(plan& p, const request& asked);          // limits.cpp: limit, rows_out
void choose_windows(plan& p, const request& asked);      // windows.cpp: windowed, passes_on
void choose_instead(plan& p, const request& asked);      // instead.cpp: instead, all before anew
void choose_columns(plan& p, const request& asked);      // columns.cpp: wanted
void choose_conditions(plan& p, const request& asked);   // conditions.cpp: conditions
void choose_morsels(plan& p, const request& asked);      // morsels.cpp: morsel_rows
void place_stages(plan& p, const request& asked);        // place.cpp: where, bytes, seconds
void find_last_uses(plan& p, const request& asked);      // lifetimes.cpp: frees
void check_memory(plan& p, const request& asked);        // admission.cpp: refuses
void note_repeated_work(plan& p, const request& asked);  // repeated.cpp: notes

}  // namespace pappus::plan
