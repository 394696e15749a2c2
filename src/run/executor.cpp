#include "run/executor.h"

#include <fmt/format.h>

#include "algorithms/rows_in.h"
#include "algorithms/stretches.h"
#include "base/owned.h"
#include "base/text.h"
#include "cpu_ops/asked_join.h"
#include "formats/format.h"
#include "ops/rows.h"
#include "pappus/detail/base/join.h"
#include "run/slot.h"
#include "run/window_source.h"

namespace pappus::run {

using detail::row_set;
using detail::rows_ptr;
using plan::index;
using tasks::task_kind;

namespace {

/// What tasks [first, last) count for in the progress of a query. What launches read of a file is
/// theirs, and not the reading task's.
double bytes_moved(const tasks::dag& work, std::size_t first, std::size_t last) {
  double bytes = 0;
  for (std::size_t i = first; i < last; ++i) {
    const auto& t = work.list[i];
    const bool slices = t.kind == task_kind::view && t.each_window;
    const bool reads = t.kind == task_kind::read && !t.each_window;
    if (t.kind == task_kind::launch || slices || reads) bytes += t.bytes;
  }
  return bytes;
}

}  // namespace

live_executor::live_executor(const plan::plan& p, resources with)
    : plan_(p), with_(std::move(with)), slots_(std::make_unique<slot[]>(p.stages.size())) {}
live_executor::~live_executor() = default;

live_executor::slot& live_executor::at(plan::stage_index stage) { return slots_[index(stage)]; }

std::span<const cpu_ops::phase> live_executor::steps_of(plan::stage_index which) const {
  const auto& stage = plan_.stages[index(which)];
  return cpu_ops::phases_of(*stage.node, stage.windowed);
}

const rows_ptr& live_executor::rows(plan::stage_index stage) {
  auto& s = at(stage);
  if (!s.rows && s.device_rows) {
    s.rows = chunk_loop::download(*s.device_rows, with_.memory, with_.team,
                                  graph::label(*plan_.stages[index(stage)].node));
    chunk_loop::keep_copies(*s.device_rows, s.rows);
    s.device_rows.reset();  // the devices may give the copies up
  }
  if (!s.rows && s.parts) s.rows = all_of(*s.parts, stage);
  return s.rows;
}

/// Parts as a whole, in one buffer: they can go to the disk meanwhile.
rows_ptr live_executor::all_of(const graph::kept_rows& parts, plan::stage_index stage) {
  std::vector<graph::row_store::copy> all;
  for (const auto& part : parts.parts()) all.push_back({part, 0, part->rows()});
  const auto& node = *plan_.stages[index(stage)].node;
  return read_rows(std::move(all), node.out, with_, graph::label(node));
}
std::shared_ptr<graph::kept_rows> live_executor::parts(plan::stage_index stage) const {
  const auto& resting = plan_.stages[index(stage)].resting;
  return resting ? resting : slots_[index(stage)].parts;
}
std::int64_t live_executor::row_count(plan::stage_index stage) const {
  return slots_[index(stage)].row_count;
}

double live_executor::seconds(plan::stage_index stage) const {
  return slots_[index(stage)].seconds;
}
std::int64_t live_executor::iterations(plan::stage_index stage) const {
  return slots_[index(stage)].iterations;
}
bool live_executor::moved_to_cpu(plan::stage_index stage) const {
  return slots_[index(stage)].moved_to_cpu;
}

void live_executor::execute(const tasks::dag& work) {
  clock::time_point stage_begin;
  for (std::size_t i = 0; i < work.list.size();) {
    std::size_t last = i + 1;
    const auto stage = work.list[i].stage;
    const bool timed = work.list[i].kind != task_kind::view;
    if (timed && (i == 0 || work.list[i - 1].stage != stage)) stage_begin = now();
    const auto begin = with_.measure ? now() : clock::time_point();
    std::int64_t windows = 1;
    std::string note;
    const bool told = with_.recorder != nullptr;
    std::vector<double> in_windows;
    if (work.list[i].each_window)
      while (last < work.list.size() && work.list[last].each_window &&
             !work.list[last].brings_windows)
        ++last;
    if (told) begin_step(work.list[i], bytes_moved(work, i, last));
    if (work.list[i].on_device) {
      while (last < work.list.size() && work.list[last].on_device &&
             work.list[last].stage == work.list[i].stage)
        ++last;
      run_on_devices(work.list[i].stage, note);
    } else if (work.list[i].each_window) {
      windows = stream(work, i, last, in_windows, note);
    } else {
      run_task(work.list[i], windows, note);
    }
    const std::size_t threads = told ? with_.recorder->end_step() : 0;
    if (!work.list[i].on_device && !work.list[i].each_window) finish_task(work.list[i]);
    if (told && with_.recorder->tracing()) count_memory();
    algorithms::stop_if_cancelled(with_.team);  // operators may have ended early
    if (with_.measure) {
      const double seconds = std::chrono::duration<double>(now() - begin).count();
      for (std::size_t done = i; done < last; ++done)
        measured_.push_back({work.list[done],
                             !in_windows.empty() ? in_windows[done - i]
                             : done == i         ? seconds
                                                 : 0,
                             windows, done == i ? note : std::string(), done == i ? threads : 0});
    }
    i = last;
    const auto ended = work.list[i - 1].stage;
    if (!timed || (i < work.list.size() && work.list[i].stage == ended)) continue;
    at(ended).seconds += std::chrono::duration<double>(now() - stage_begin).count();
  }
}

void live_executor::count_memory() {
  with_.recorder->memory(static_cast<double>(with_.memory->in_use()));
  if (const auto bytes = with_.store->spilled_bytes(); bytes > 0) {
    with_.recorder->count("bytes spilled", static_cast<double>(bytes));
    with_.recorder->count("bytes read back", static_cast<double>(with_.store->bytes_read_back()));
  }
}

void live_executor::begin_step(const tasks::task& t, double bytes) {
  const auto& node = *plan_.stages[index(t.stage)].node;
  with_.recorder->begin_step(graph::label(node) + ": " + std::string(t.what), bytes);
}

void live_executor::run_task(const tasks::task& t, std::int64_t& windows, std::string& note) {
  auto& s = at(t.stage);
  const auto& stage = plan_.stages[index(t.stage)];
  switch (t.kind) {
    case task_kind::view:
      if (stage.known) {
        s.rows = stage.known;
      } else {
        for (const auto input : stage.inputs) s.inputs.push_back(rows(input));
        s.rows = stage.node->op->rows_of(*stage.node, s.inputs);
        s.inputs.clear();
      }
      s.row_count = s.rows->rows();
      break;
    case task_kind::read:
      if (stage.resting)
        wake(t.stage, note);
      else if (stage.in_parts)
        read_in_parts(t.stage);
      else
        read_file(t.stage);
      break;
    case task_kind::alloc:
      start(t.stage);
      break;
    case task_kind::for_each:  // of batches of launches, which batch.h runs
      break;
    case task_kind::launch:
    case task_kind::reduce:
      run_phase(t);
      note = std::move(s.context->note);
      break;
    case task_kind::free:
      s.rows.reset();
      s.device_rows.reset();
      s.parts.reset();
      break;
    case task_kind::copy:  // part of a stage on devices
      break;
  }
  windows = 1;
}

void live_executor::run_phase(const tasks::task& t) {
  auto& s = at(t.stage);
  const bool outputs = t.step->called == cpu_ops::phase::when::each_output;
  std::int64_t made;
  do {
    const auto before = s.output->rows();
    run_step(t.stage, [&] { t.step->run(*s.context); });
    made = s.output->rows() - before;
    if (outputs && s.to_parts) put_in_parts(t.stage);
  } while (outputs && made > 0);
}

/// The last step of a stage hands over its rows.
void live_executor::finish_task(const tasks::task& t) {
  if (t.step == nullptr || t.step != &steps_of(t.stage).back()) return;
  if (!plan_.stages[index(t.stage)].windowed) count_rows(t.stage);
  hand_over(t.stage);
}

void live_executor::count_rows(plan::stage_index which) {
  const auto& node = *plan_.stages[index(which)].node;
  if (!with_.count || node.stage.counts.loop == nullptr) return;
  const auto begin = clock::now();
  if (with_.recorder != nullptr)
    with_.recorder->begin_step(graph::label(node) + ": count records", 0);
  auto& s = at(which);
  if (!s.counts) s.counts.emplace(node);
  s.counts->add_window(*s.context);
  if (with_.recorder != nullptr) with_.recorder->end_step();
  counting_ += clock::now() - begin;
}

bool live_executor::reads_block_by_block(plan::stage_index which) const {
  constexpr std::size_t widest = 4096;  // bytes of a record: blocks are of some records at least
  const auto& stage = plan_.stages[index(which)];
  if (stage.inputs.size() != 1 || stage.asks || with_.in_loop) return false;
  const auto& records = plan_.stages[index(stage.inputs.front())].node->out;
  return records.size <= widest && records.align <= alignof(std::max_align_t) &&
         stage.node->op->reads_block_by_block(*stage.node);
}

const cpu_ops::row_counts* live_executor::counts(plan::stage_index stage) const {
  const auto& found = slots_[index(stage)].counts;
  return found && found->known() ? &*found : nullptr;
}

void live_executor::hand_over(plan::stage_index stage) {
  auto& s = at(stage);
  s.iterations = s.context ? s.context->iterations : 0;
  s.context.reset();
  s.inputs.clear();
  s.side_rows.clear();
  if (s.to_parts) return end_parts(stage);
  s.row_count = s.output->rows();
  s.rows = std::move(s.output);
}

void live_executor::begin_parts(plan::stage_index stage) {
  const auto& node = *plan_.stages[index(stage)].node;
  at(stage).to_parts.emplace(node.out, with_, graph::label(node));
}

/// What the stage has made so far goes to its parts.
void live_executor::put_in_parts(plan::stage_index stage) {
  at(stage).to_parts->add(*at(stage).output);
  begin_output(stage);
}

void live_executor::begin_output(plan::stage_index stage) {
  auto& s = at(stage);
  s.output = std::make_shared<row_set>(s.context->node.out);
  s.output->keep(with_.memory);
  for (const auto& side : s.side_rows) s.output->keep_owners_of(*side);
  s.context->output = s.output;
}

void live_executor::end_parts(plan::stage_index stage) {
  auto& s = at(stage);
  s.output.reset();
  s.parts = s.to_parts->take();
  s.to_parts.reset();
  s.row_count = s.parts->rows();
}

void live_executor::start(plan::stage_index which) {
  const auto& stage = plan_.stages[index(which)];
  auto& s = at(which);
  s.output = std::make_shared<row_set>(stage.node->out);
  s.output->keep(with_.memory);
  if (stage.in_parts) begin_parts(which);
  const bool is_loop = stage.node->op->loop_of(*stage.node) != nullptr;
  if (!stage.windowed)
    for (const auto input : stage.inputs) {
      const bool left = is_loop && plan::is_left_to_iterations(plan_, stage, input);
      s.inputs.push_back(left ? nullptr : rows(input));
    }
  for (std::size_t side = 0; side < stage.sides.size(); ++side) {
    if (plan::is_asked_for(plan_, stage, side)) {
      s.sides.emplace_back();
      continue;
    }
    const auto rows = contiguous(this->rows(stage.sides[side]), with_.team, with_.memory);
    s.sides.push_back({rows->data(), rows->rows()});
    s.side_rows.push_back(rows);
    s.output->keep_owners_of(*rows);  // records of the result may be theirs
  }
  const auto rows = stage.windowed || is_loop ? 0 : ops::stage_rows(*stage.node, s.inputs);
  s.context.emplace(cpu_ops::run_context{.node = *stage.node,
                                         .inputs = s.inputs,
                                         .sides = s.sides,
                                         .team = with_.team,
                                         .memory = *with_.memory,
                                         .morsel_rows = stage.morsel_rows,
                                         .rows = rows,
                                         .limit = stage.limit,
                                         .output = s.output,
                                         .state = nullptr,
                                         .evaluate = with_.evaluate,
                                         .owner = graph::label(*stage.node),
                                         .note = {},
                                         .kept = with_.kept ? &(*with_.kept)[stage.node] : nullptr,
                                         .store = with_.store,
                                         .in_windows = stage.windowed,
                                         .memory_owner = with_.memory});
  if (!stage.asks) return;
  const std::size_t side = *stage.asks;
  const auto& row = *static_cast<const detail::join_side*>(s.sides[side].data);
  s.context->asked = static_cast<cpu_ops::asked_join*>(const_cast<void*>(row.index));
  s.context->asked->join_as(
      side, side + 1 < s.sides.size() && plan::is_asked_for(plan_, stage, side + 1));
}

void live_executor::wake(plan::stage_index which, std::string& note) {
  const auto& stage = plan_.stages[index(which)];
  const auto before = with_.store->bytes_read_back();
  auto& s = at(which);
  s.rows = stage.in_parts ? all_of(*stage.resting, which)
                          : stage.resting->wake(graph::label(*stage.node), &with_.team);
  s.row_count = s.rows->rows();
  if (const auto bytes = with_.store->bytes_read_back() - before; bytes > 0)
    note = fmt::format("{} read back from the spill file",
                       base::bytes_text(static_cast<double>(bytes)));
}

void live_executor::read_in_parts(plan::stage_index which) {
  const auto& node = *plan_.stages[index(which)].node;
  const auto source = window_source::make(*this, which);
  source->limit_text(with_.window_bytes);
  begin_parts(which);
  const auto rows = static_cast<std::int64_t>(with_.window_bytes / node.out.size + 1);
  do at(which).to_parts->add(*source->read(rows));
  while (!source->ended());
  end_parts(which);
}

void live_executor::read_file(plan::stage_index which) {
  const auto& node = *plan_.stages[index(which)].node;
  const auto& params = *node.op->file_of(node);
  const auto& wanted = plan_.stages[index(which)].wanted;
  const auto reader = params.open(*with_.memory, {.columns = wanted});
  auto rows = std::make_shared<row_set>(node.out);
  rows->keep(with_.memory);
  const auto step = params.rows >= 0
                        ? params.rows
                        : static_cast<std::int64_t>(with_.window_bytes / node.out.size + 1);
  while (step > 0) {
    detail::buffer buffer(*with_.memory, static_cast<std::size_t>(step) * node.out.size, node.name);
    const auto n = reader->read(with_.team, buffer.data(), step);
    algorithms::append_buffer(*rows, std::move(buffer), n);
    if (n < step || rows->rows() == params.rows) break;
  }
  rows->know_missing(reader->take_missing());
  if (auto strings = reader->take_strings())
    rows->keep(base::owned(std::move(strings), with_.memory));
  at(which).row_count = rows->rows();
  at(which).rows = std::move(rows);
}

}  // namespace pappus::run
