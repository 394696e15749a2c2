#include "run/executor.h"

#include <chrono>

#include "formats/format.h"
#include "ops/core/rows_in.h"
#include "run/slot.h"

namespace pappus::run {

using detail::row_set;
using detail::rows_ptr;
using plan::index;
using tasks::task_kind;

namespace {

/// Keeps a reader's strings, and before them the memory they lie in.
struct kept_strings {
  std::shared_ptr<detail::memory_source> memory;
  std::shared_ptr<void> strings;
};

std::shared_ptr<const void> owner_of(std::shared_ptr<void> strings,
                                     const std::shared_ptr<detail::memory_source>& memory) {
  if (!strings) return nullptr;
  return std::make_shared<kept_strings>(kept_strings{memory, std::move(strings)});
}

}  // namespace

live_executor::live_executor(const plan::plan& p, const resources& with)
    : plan_(p), with_(with), slots_(std::make_unique<slot[]>(p.stages.size())) {}
live_executor::~live_executor() = default;

live_executor::slot& live_executor::at(plan::stage_index stage) { return slots_[index(stage)]; }

const rows_ptr& live_executor::rows(plan::stage_index stage) {
  auto& s = at(stage);
  if (!s.rows && s.device_rows) {
    s.rows = device_ops::download(*s.device_rows, with_.memory,
                                  graph::label(*plan_.stages[index(stage)].node));
    device_ops::keep_copies(*s.device_rows, s.rows);
  }
  return s.rows;
}
std::int64_t live_executor::row_count(plan::stage_index stage) const {
  return slots_[index(stage)].row_count;
}

void live_executor::execute(const tasks::dag& work) {
  using clock = std::chrono::steady_clock;
  for (std::size_t i = 0; i < work.list.size();) {
    std::size_t last = i + 1;
    const auto begin = with_.measure ? clock::now() : clock::time_point();
    std::int64_t windows = 1;
    std::string note;
    const bool told = with_.recorder != nullptr;
    if (told) begin_step(work.list[i]);
    if (work.list[i].on_device) {
      while (last < work.list.size() && work.list[last].on_device &&
             work.list[last].stage == work.list[i].stage)
        ++last;
      run_on_devices(work.list[i].stage, note);
    } else if (work.list[i].each_window) {
      while (last < work.list.size() && work.list[last].each_window) ++last;
      windows = stream(work, i, last);
    } else {
      run_task(work.list[i], windows, note);
    }
    if (told) with_.recorder->end_step();
    if (told && with_.recorder->tracing())
      with_.recorder->memory(static_cast<double>(with_.memory->in_use()));
    if (with_.measure) {
      const double seconds = std::chrono::duration<double>(clock::now() - begin).count();
      for (std::size_t done = i; done < last; ++done)
        measured_.push_back(
            {work.list[done], done == i ? seconds : 0, windows, done == i ? note : std::string()});
    }
    i = last;
  }
}

void live_executor::begin_step(const tasks::task& t) {
  const auto& node = *plan_.stages[index(t.stage)].node;
  with_.recorder->begin_step(graph::label(node) + ": " + std::string(t.what),
                             t.kind == task_kind::launch ? t.bytes : 0);
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
        s.rows = ops::find(stage.node->kind).rows_of(*stage.node, s.inputs);
        s.inputs.clear();
      }
      s.row_count = s.rows->rows();
      break;
    case task_kind::read:
      read_file(t.stage);
      break;
    case task_kind::alloc:
      start(t.stage);
      break;
    case task_kind::launch:
    case task_kind::reduce:
      t.step->run(*s.context);
      note = std::move(s.context->note);
      break;
    case task_kind::free:
      s.rows.reset();
      s.device_rows.reset();
      break;
    case task_kind::copy:  // part of a stage on devices
      break;
  }
  windows = 1;
  // The last step of a stage hands over its rows.
  const auto steps = ops::find(stage.node->kind).phases(*stage.node);
  if (t.step != nullptr && t.step == &steps.back()) hand_over(t.stage);
}

void live_executor::hand_over(plan::stage_index stage) {
  auto& s = at(stage);
  s.context.reset();
  s.inputs.clear();
  s.side_rows.clear();
  s.row_count = s.output->rows();
  s.rows = std::move(s.output);
}

void live_executor::start(plan::stage_index which) {
  const auto& stage = plan_.stages[index(which)];
  auto& s = at(which);
  s.output = std::make_shared<row_set>(stage.node->out);
  s.output->keep(with_.memory);
  if (!stage.windowed)
    for (const auto input : stage.inputs) s.inputs.push_back(rows(input));
  for (const auto side : stage.sides) {
    const auto rows = contiguous(this->rows(side), with_.team, with_.memory);
    s.sides.push_back({rows->data(), rows->rows()});
    s.side_rows.push_back(rows);
    s.output->keep_owners_of(*rows);  // records of the result may be theirs
  }
  const auto rows = stage.windowed ? 0 : ops::stage_rows(*stage.node, s.inputs);
  s.context.emplace(ops::run_context{*stage.node,
                                     s.inputs,
                                     s.sides,
                                     with_.team,
                                     *with_.memory,
                                     stage.chosen,
                                     0,
                                     rows,
                                     s.output,
                                     nullptr,
                                     with_.evaluate,
                                     graph::label(*stage.node),
                                     {}});
}

void live_executor::read_file(plan::stage_index which) {
  const auto& node = *plan_.stages[index(which)].node;
  const auto& params = node.as<detail::file_params>();
  const auto reader = params.open(*with_.memory);
  auto rows = std::make_shared<row_set>(node.out);
  rows->keep(with_.memory);
  const auto step = params.rows >= 0
                        ? params.rows
                        : static_cast<std::int64_t>(with_.window_bytes / node.out.size + 1);
  while (step > 0) {
    detail::block block(*with_.memory, static_cast<std::size_t>(step) * node.out.size, node.name);
    const auto n = reader->read(with_.team, block.data(), step);
    ops::append_block(*rows, std::move(block), n);
    if (n < step || rows->rows() == params.rows) break;
  }
  rows->keep(owner_of(reader->strings(), with_.memory));
  at(which).row_count = rows->rows();
  at(which).rows = std::move(rows);
}

/// Reads a file window by window and runs the steps [first + 1, last) on each.
std::int64_t live_executor::stream(const tasks::dag& work, std::size_t first, std::size_t last) {
  const auto consumer = work.list[last - 1].stage;
  const auto& file = *plan_.stages[index(work.list[first].stage)].node;
  auto& s = at(consumer);
  const auto reader = file.as<detail::file_params>().open(*with_.memory);
  const auto capacity = static_cast<std::int64_t>(with_.window_bytes / file.out.size + 1);
  detail::block block(*with_.memory, static_cast<std::size_t>(capacity) * file.out.size, file.name);
  std::int64_t first_row = 0, windows = 0;
  std::shared_ptr<const void> strings;
  s.inputs.resize(1);
  s.context->inputs = s.inputs;
  while (true) {
    const auto n = reader->read(with_.team, block.data(), capacity);
    if (!strings) strings = owner_of(reader->strings(), with_.memory);
    auto window = std::make_shared<row_set>(file.out, block.data(), n);
    window->keep(strings);
    s.inputs[0] = window;
    s.context->first_row = first_row;
    s.context->rows = n;
    for (std::size_t i = first + 1; i < last; ++i) work.list[i].step->run(*s.context);
    first_row += n;
    ++windows;
    if (n < capacity) break;
  }
  s.output->keep(strings);
  const auto steps = ops::find(plan_.stages[index(consumer)].node->kind)
                         .phases(*plan_.stages[index(consumer)].node);
  if (steps.back().called == ops::phase::when::each_window) {
    s.context.reset();
    s.row_count = s.output->rows();
    s.rows = std::move(s.output);
  }
  at(work.list[first].stage).row_count = first_row;
  return windows;
}

}  // namespace pappus::run
