#include "tasks/tasks.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "base/text.h"
#include "cpu_ops/asked_join.h"
#include "pappus/detail/base/integers.h"

namespace pappus::tasks {
namespace {

using plan::index;
using plan::stage_index;

/// Of a file, of an array that is read as one, or of several in turn.
const char* read_text(const graph::node& n) {
  if (n.op->adds_its_inputs()) return "read files in turn";
  return n.op->file_of(n)->path.empty() ? "read array" : "read file";
}

class lowering {
 public:
  lowering(const plan::plan& p, std::size_t first)
      : plan_(p), first_(first), last_task_(p.stages.size()) {
    constexpr std::size_t usual_tasks = 8;  // of a small query
    dag_.list.reserve(usual_tasks);
  }

  void lower_stage(std::size_t i) {
    const auto& s = plan_.stages[i];
    if (s.passes_on) return;  // runs with the stage that takes its windows
    const auto own = static_cast<stage_index>(i);
    std::vector<task_id> after;
    plan::for_each_on_path(plan_, own, [&](stage_index part) {
      for (const auto* edges :
           {&plan_.stages[index(part)].inputs, &plan_.stages[index(part)].sides})
        for (const auto input : *edges)
          if (index(input) >= first_ && !plan_.stages[index(input)].passes_on)
            after.push_back(last_task_[index(input)]);
    });
    const bool file = s.node->op->file_of(*s.node) != nullptr;
    if (s.resting) {
      last_task_[i] = add({.kind = task_kind::read,
                           .stage = own,
                           .what = "rows that rest",
                           .bytes = bytes_of_rows(s),
                           .after = std::move(after)});
    } else if (s.windowed) {
      lower_windows(own, std::move(after));
    } else if (s.known || (!graph::is_run(*s.node) && !file && !s.in_parts)) {
      last_task_[i] = add(
          {.kind = task_kind::view, .stage = own, .what = s.node->name, .after = std::move(after)});
    } else if (file || !graph::is_run(*s.node)) {
      last_task_[i] = add({.kind = task_kind::read,
                           .stage = own,
                           .what = read_text(*s.node),
                           .bytes = bytes_of_rows(s),
                           .exact = s.rows_out.exact(),
                           .after = std::move(after)});
    } else if (!s.where.devices.empty()) {
      lower_device_stage(s, own, std::move(after));
    } else {
      lower_phases(own, cpu_ops::phases_of(*s.node, false), std::move(after));
    }
    for (const auto done : s.frees)
      add({.kind = task_kind::free,
           .stage = done,
           .what = "rows",
           .bytes = plan_.stages[index(done)].resting ? bytes_of_rows(plan_.stages[index(done)])
                                                      : plan_.stages[index(done)].bytes.output,
           .exact = plan_.stages[index(done)].rows_out.exact(),
           .after = {last_task_[i]}});
  }

  dag take() { return std::move(dag_); }

 private:
  /// Rows that are already there aren't copied again; running tells (explain_analyze).
  void lower_device_stage(const plan::stage& s, stage_index own, std::vector<task_id> after) {
    const bool exact = s.rows_in.exact() && s.rows_out.exact();
    double in = 0;
    for (const auto* edges : {&s.inputs, &s.sides})
      for (const auto input : *edges) {
        const auto& from = plan_.stages[index(input)];
        if (from.where.stays && from.where.devices == s.where.devices) continue;
        in += static_cast<double>(from.rows_out.rows) * static_cast<double>(from.node->out.size);
      }
    task_id last = add({.kind = task_kind::copy,
                        .stage = own,
                        .what = "to the device",
                        .bytes = in,
                        .exact = exact,
                        .on_device = true,
                        .after = std::move(after)});
    last = add({.kind = task_kind::launch,
                .stage = own,
                .what = s.node->name,
                .bytes = s.bytes.read + s.bytes.written,
                .exact = exact,
                .on_device = true,
                .after = {last}});
    if (!s.where.stays)
      last = add({.kind = task_kind::copy,
                  .stage = own,
                  .what = "to the host",
                  .bytes = s.bytes.output,
                  .exact = exact,
                  .on_device = true,
                  .after = {last}});
    last_task_[index(own)] = last;
  }

  void lower_phases(stage_index own, std::span<const cpu_ops::phase> steps,
                    std::vector<task_id> after) {
    task_id last = add_alloc(own, std::move(after));
    for (const auto& step : steps) last = add_step(own, step, last);
    last_task_[index(own)] = last;
  }

  /// A stage that takes its input window by window, and those that pass windows on.
  void lower_windows(stage_index own, std::vector<task_id> after) {
    task_id last = add_alloc(own, std::move(after));
    std::vector<stage_index> sources{plan::windows_path(plan_, own).front()};
    const auto takes_windows_too = [](const plan::stage& s) { return s.windowed && s.passes_on; };
    while (takes_windows_too(plan_.stages[index(sources.back())]))
      sources.push_back(plan::windows_path(plan_, sources.back()).front());
    for (std::size_t i = sources.size(); i-- > 0;)
      last = lower_pass(i == 0 ? own : sources[i - 1], own, last);
    for (const auto& step : steps_of(own))
      if (step.called == cpu_ops::phase::when::each_output) last = add_step(own, step, last);
    last_task_[index(own)] = last;
  }

  /// Windows from their source to the stage `to`, which then has had all of them.
  task_id lower_pass(stage_index to, stage_index own, task_id last) {
    const auto path = plan::windows_path(plan_, to);
    for (const auto part : path)
      if (part != own && part != path.front() && !steps_of(part).empty())
        last = add_alloc(part, {last});
    for (const auto part : std::span(path).subspan(1))
      if (plan_.stages[index(part)].asks) last = lower_asking(part, last);
    last = add_source(path, last);
    for (const auto part : std::span(path).subspan(1)) {
      if (plan_.stages[index(part)].asks)
        last = add_asking(part, cpu_ops::steps_that_ask().fetch, last);
      last = add_window_steps(part, last);
    }
    for (const auto& step : steps_of(to))
      if (step.called == cpu_ops::phase::when::at_end) last = add_step(to, step, last);
    return last;
  }

  /// Windows that only tell which right rows of a join they need.
  task_id lower_asking(stage_index own, task_id last) {
    const auto path = plan::windows_path(plan_, own);
    last = add_source(path, last);
    for (std::size_t k = 1; k + 1 < path.size(); ++k) last = add_window_steps(path[k], last);
    last = add_asking(own, cpu_ops::steps_that_ask().hear, last);
    return add_asking(own, cpu_ops::steps_that_ask().find, last);
  }

  task_id add_asking(stage_index own, const cpu_ops::phase& step, task_id after) {
    const auto id = add_step(own, step, after);
    dag_.list[index(id)].asks = true;
    return id;
  }

  /// What a stage does with each window.
  task_id add_window_steps(stage_index own, task_id last) {
    const auto& s = plan_.stages[index(own)];
    if (s.node->op->slice_of(*s.node) != nullptr) last = add_slice(own, last);
    for (const auto& step : steps_of(own))
      if (step.called == cpu_ops::phase::when::each_window) last = add_step(own, step, last);
    return last;
  }

  task_id add_slice(stage_index own, task_id after) {
    const auto& s = plan_.stages[index(own)];
    return add({.kind = task_kind::view,
                .stage = own,
                .what = s.node->name,
                .bytes = s.bytes.written,
                .exact = is_exact(s),
                .each_window = true,
                .after = {after}});
  }

  task_id add_source(const std::vector<stage_index>& path, task_id after) {
    const auto& from = plan_.stages[index(path.front())];
    if (!from.passes_on || from.in_parts)
      return add({.kind = task_kind::view,
                  .stage = path.front(),
                  .what = from.in_parts ? "rows in parts" : "rows in memory",
                  .each_window = true,
                  .brings_windows = true,
                  .after = {after}});
    for (const auto& step : steps_of(path.front()))
      if (step.called == cpu_ops::phase::when::each_output) {
        const auto id = add_step(path.front(), step, after);
        dag_.list[index(id)].each_window = dag_.list[index(id)].brings_windows = true;
        return id;
      }
    const auto& reader = plan_.stages[index(path[1])];
    const auto& node = *plan_.stages[index(path.front())].node;
    return add({.kind = task_kind::read,
                .stage = path.front(),
                .what = read_text(node),
                .bytes = reader.bytes.read,
                .exact = is_exact(reader),
                .each_window = true,
                .brings_windows = true,
                .after = {after}});
  }

  std::span<const cpu_ops::phase> steps_of(stage_index which) const {
    const auto& s = plan_.stages[index(which)];
    return cpu_ops::phases_of(*s.node, s.windowed);
  }

  task_id add_alloc(stage_index own, std::vector<task_id> after) {
    const auto& s = plan_.stages[index(own)];
    return add({.kind = task_kind::alloc,
                .stage = own,
                .what = "result and scratch",
                .bytes = s.bytes.output + s.bytes.scratch,
                .exact = is_exact(s),
                .after = std::move(after)});
  }

  task_id add_step(stage_index own, const cpu_ops::phase& step, task_id after) {
    const auto& s = plan_.stages[index(own)];
    const bool launch = step.what == cpu_ops::phase::kind::launch;
    const auto items = std::max<std::int64_t>(1, detail::ceil_div(s.rows_in.rows, s.morsel_rows));
    return add({.kind = launch ? task_kind::launch : task_kind::reduce,
                .stage = own,
                .what = step.name,
                .step = &step,
                .bytes = launch ? s.bytes.read + s.bytes.written : 0,
                .exact = is_exact(s),
                .items = launch ? items : 1,
                .each_window = s.windowed && step.called == cpu_ops::phase::when::each_window,
                .after = {after}});
  }

  static bool is_exact(const plan::stage& s) { return s.rows_in.exact() && s.rows_out.exact(); }

  static double bytes_of_rows(const plan::stage& s) {
    return static_cast<double>(s.rows_out.rows) * static_cast<double>(s.node->out.size);
  }

  task_id add(task t) {
    dag_.list.push_back(std::move(t));
    return static_cast<task_id>(dag_.list.size() - 1);
  }

  const plan::plan& plan_;
  std::size_t first_;
  std::vector<task_id> last_task_;
  dag dag_;
};

}  // namespace

std::string_view name(task_kind kind) {
  switch (kind) {
    case task_kind::alloc:
      return "alloc";
    case task_kind::free:
      return "free";
    case task_kind::read:
      return "read";
    case task_kind::launch:
      return "launch";
    case task_kind::reduce:
      return "reduce";
    case task_kind::view:
      return "view";
    case task_kind::copy:
      return "copy";
    case task_kind::for_each:
      return "for_each";
  }
  return "?";
}

dag lower(const plan::plan& p, std::size_t first, std::size_t last) {
  lowering work(p, first);
  for (std::size_t i = first; i < last; ++i) work.lower_stage(i);
  return work.take();
}

dag lower_batch(const plan::plan& p) {
  dag result;
  for (std::size_t i = 0; i < p.stages.size(); ++i) {
    const auto& s = p.stages[i];
    task t{.kind = task_kind::for_each,
           .stage = static_cast<stage_index>(i),
           .what = "items",
           .bytes = s.bytes.read + s.bytes.written,
           .items = s.items.size(),
           .on_device = !s.where.devices.empty(),
           .after = {}};
    for (const auto& n : s.needs)
      if (const auto before = static_cast<task_id>(index(n.before));
          std::ranges::find(t.after, before) == t.after.end())
        t.after.push_back(before);
    result.list.push_back(std::move(t));
  }
  return result;
}

void dag::verify(const plan::plan& p) const {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto& t = list[i];
    if (plan::index(t.stage) >= p.stages.size())
      throw std::logic_error(fmt::format("tasks: t{} belongs to no stage", i));
    for (const auto before : t.after)
      if (index(before) >= i)
        throw std::logic_error(fmt::format("tasks: t{} waits for a later task", i));
    const bool runs = t.kind == task_kind::launch || t.kind == task_kind::reduce;
    if (t.on_device ? t.step != nullptr : runs != (t.step != nullptr))
      throw std::logic_error(fmt::format("tasks: t{} has no step to run", i));
  }
}

std::string dag::print(const plan::plan& p) const {
  std::string text;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto& t = list[i];
    text += fmt::format("  t{} {} s{} {}: {}", i, name(t.kind), plan::index(t.stage),
                        graph::label(*p.stages[plan::index(t.stage)].node), t.what);
    if (t.bytes > 0) text += fmt::format(", {}{}", t.exact ? "" : "≤ ", base::bytes_text(t.bytes));
    if (t.items > 1) text += fmt::format(", {} chunks", base::count_text(t.items));
    if (t.each_window) text += ", once per window";
    if (t.on_device)
      text += fmt::format(", {}, {}", plan::where_text(p.stages[plan::index(t.stage)]),
                          t.kind == task_kind::for_each ? "item by item" : "chunk by chunk");
    for (const char* separator = " after "; const auto before : t.after) {
      text += fmt::format("{}t{}", separator, index(before));
      separator = ", ";
    }
    text += "\n";
  }
  return text;
}

}  // namespace pappus::tasks
