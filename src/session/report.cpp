#include "session/report.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "codegen/element/element.h"
#include "report/stage_rows.h"

namespace pappus::detail {
namespace {

std::string device_code_of(std::string_view stage, const node& n) {
  const auto element = codegen::element_of(n);
  if (!element->possible()) return {};
  auto text = fmt::format("  {} {}\n", stage, graph::label(n));
  for (std::size_t begin = 0; begin < element->text.size();) {
    const auto end = std::min(element->text.find('\n', begin), element->text.size());
    text += fmt::format("    {}\n", std::string_view(element->text).substr(begin, end - begin));
    begin = end + 1;
  }
  return text;
}

/// " on 1 of 2 threads" of a step on the CPU.
std::string threads_text(const run::measurement& m, unsigned workers) {
  if (m.threads == 0 || m.done.on_device) return {};
  return fmt::format(" on {} of {} threads", m.threads, workers);
}

/// What was generated for the stages that are to run on devices, loops' bodies included: their
/// element functions, without the operators' own text.
std::string device_code_of(const plan::plan& p) {
  std::string text;
  for (std::size_t i = 0; i < p.stages.size(); ++i) {
    const auto& stage = p.stages[i];
    // Launches run there as they are.
    if (!stage.where.devices.empty() && stage.items.rank() == 0)
      text += device_code_of(fmt::format("s{}", i), *stage.node);
    if (stage.body == nullptr) continue;
    const auto& body = stage.body->stages;
    for (std::size_t inner = 0; inner < body.size(); ++inner)
      if (!body[inner].where.devices.empty())
        text += device_code_of(fmt::format("s{} | s{}", i, inner), *body[inner].node);
  }
  return text.empty() ? "" : "device code\n" + text;
}

/// Where rows of cached stages are, or will be.
std::string kept_rows_of(const plan::plan& p, memory::store& store) {
  std::string text;
  for (std::size_t i = 0; i < p.stages.size(); ++i) {
    const auto& n = *p.stages[i].node;
    if (!n.is_cached()) continue;
    const auto kept = n.kept();
    text += fmt::format("  s{} {}: {}\n", i, graph::label(n),
                        kept != nullptr ? kept->about() : store.about_rows_to_come());
  }
  return text.empty() ? "" : "cached\n" + text;
}

std::string passes_of(const plan::plan& p) {
  std::string text, before;
  for (const auto& pass : p.history) {
    text += pass.text == before ? fmt::format("plan after {}: unchanged\n", pass.name)
                                : fmt::format("plan after {}\n{}", pass.name, pass.text);
    before = pass.text;
  }
  return text;
}

/// What happened in a stage, all its tasks together.
struct found_stage {
  double seconds = 0;
  std::int64_t windows = 1;
  std::string steps, notes;
};

found_stage found_of(const std::vector<run::measurement>& measured, std::size_t stage,
                     unsigned workers) {
  found_stage found;
  for (const auto& m : measured) {
    if (plan::index(m.done.stage) != stage) continue;
    found.seconds += m.seconds;
    if (m.done.step != nullptr)
      found.steps += fmt::format("       {} {}: {}{}\n", tasks::name(m.done.kind), m.done.what,
                                 base::time_text(m.seconds), threads_text(m, workers));
    found.windows = std::max(found.windows, m.windows);
    if (!m.note.empty()) found.notes += fmt::format("       {}\n", m.note);
  }
  return found;
}

/// "rows ≤ 1,000 → 500"; of an index, rows that it holds.
std::string rows_text(const plan::stage& before, const plan::plan& p, const plan::stage& after) {
  if (before.node->op->is_join_index())
    return fmt::format("{} → {} rows indexed", graph::bound_text(before.rows_in),
                       base::count_text(report::rows_into(p, after)));
  return fmt::format("rows {} → {}", graph::bound_text(before.rows_out),
                     graph::bound_text(after.rows_out));
}

/// To three digits.
std::int64_t rounded(std::int64_t n) {
  std::int64_t unit = 1;
  while (n / unit >= 1000) unit *= 10;
  return (n + unit / 2) / unit * unit;
}

/// "rows 1,000,000, filter → about 250,000, join → 500,000", of the operators that change the
/// number of rows.
std::string operators_text(const plan::stage& s, const cpu_ops::row_counts& counts) {
  auto text = fmt::format("       rows {}", base::count_text(counts.rows()));
  for (const auto& [op, records, exact] : report::records_of(s, counts)) {
    text += fmt::format(", {} → ", op.name);
    if (exact)
      text += base::count_text(records);
    else
      text += records == 0 ? "none seen" : "about " + base::count_text(rounded(records));
  }
  return text + "\n";
}

/// ", 90 M rows/s, 1.4 GB/s". Empty where nothing ran, or for too short a time to tell.
std::string rates_text(const plan::plan& p, const plan::stage& s, double seconds) {
  constexpr double shortest_s = 1e-5;
  if (s.is_there() || seconds < shortest_s) return {};
  const auto& n = *s.node;
  const auto* file = n.op->file_of(n);
  const auto rows =
      static_cast<double>(file != nullptr ? s.rows_out.rows : report::rows_into(p, s));
  const double moved = report::bytes_of(p, s);
  if (rows == 0) return {};
  return fmt::format("{}, {:.3g} M rows/s, {:.2g} GB/s",
                     file != nullptr ? " for " + base::bytes_text(moved) : "",
                     rows / seconds * 1e-6, moved / seconds * 1e-9);
}

}  // namespace

std::string explained(const plan::plan& p, const tasks::dag& work, const run::prediction& predicted,
                      memory::store* store, bool passes) {
  std::vector<const node*> nodes;
  for (const auto& s : p.stages) nodes.push_back(s.node);
  std::string text = "graph\n" + graph::print(nodes);
  text += passes ? passes_of(p) : "plan\n" + p.print();
  text += device_code_of(p);
  if (store != nullptr) text += kept_rows_of(p, *store);
  text += "tasks\n" + work.print(p);
  const char* most = predicted.exact ? "" : "≤ ";
  text += fmt::format("predicted: {}, {}{} moved, {}{} of memory at once\n",
                      plan::predicted_text(predicted.seconds, predicted.how), most,
                      base::bytes_text(predicted.moved_bytes), most,
                      base::bytes_text(predicted.peak_bytes));
  return text;
}

std::string spilled_text(std::size_t spilled_bytes, std::size_t bytes_read_back) {
  if (spilled_bytes == 0 && bytes_read_back == 0) return {};
  return fmt::format("spill file: {} written, {} read back meanwhile\n",
                     base::bytes_text(static_cast<double>(spilled_bytes)),
                     base::bytes_text(static_cast<double>(bytes_read_back)));
}

std::string analyzed(const std::vector<plan::stage>& predicted, const plan::plan& p,
                     const run::live_executor& ran, unsigned workers) {
  std::string text = "stages: predicted → measured\n";
  double total = 0;
  for (std::size_t i = 0; i < p.stages.size(); ++i) {
    const auto& before = predicted[i];
    const auto found = found_of(ran.measurements(), i, workers);
    total += found.seconds;
    text += fmt::format("  s{} {}: {}, time {} → {}{}, on {}\n", i, graph::label(*before.node),
                        rows_text(before, p, p.stages[i]),
                        plan::predicted_text(before.seconds, before.how),
                        base::time_text(found.seconds), rates_text(p, p.stages[i], found.seconds),
                        plan::where_text(p.stages[i]));
    if (const auto* counts = ran.counts(static_cast<plan::stage_index>(i)))
      text += operators_text(p.stages[i], *counts);
    if (found.windows > 1) text += fmt::format("       streamed in {} windows\n", found.windows);
    text += found.steps + found.notes;
    for (const auto& note : before.notes) text += fmt::format("       note: {}\n", note);
    if (!before.maths_note.empty()) text += fmt::format("       note: {}\n", before.maths_note);
  }
  return text + fmt::format("total: {}\n", base::time_text(total));
}

}  // namespace pappus::detail
