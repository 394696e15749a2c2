#include "report/query_facts.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include <fmt/format.h>

#include "base/svg.h"
#include "graph/operator_entry.h"
#include "pappus/detail/base/hash.h"
#include "report/stage_rows.h"

namespace pappus::report {
namespace {

void add_to(std::uint64_t& shape, std::uint64_t part) { shape = detail::mix(shape ^ part); }
void add_to(std::uint64_t& shape, std::string_view text) {
  add_to(shape, std::hash<std::string_view>{}(text));
}

std::string bounded(std::string_view text) { return base::shortened(text, letters_max); }

void add_text(std::vector<std::string>& to, std::string_view text) {
  if (!text.empty() && to.size() < texts_max) to.push_back(bounded(text));
}

std::vector<std::size_t> indices_of(const std::vector<plan::stage_index>& stages) {
  std::vector<std::size_t> all;
  for (const auto stage : stages)
    if (plan::index(stage) < stages_max) all.push_back(plan::index(stage));
  return all;
}

stage_facts::kind kind_of(const plan::stage& s) {
  if (s.is_there()) return stage_facts::kind::is_there;
  if (s.node->op->file_of(*s.node) != nullptr) return stage_facts::kind::reads_file;
  return graph::is_run(*s.node) ? stage_facts::kind::computes : stage_facts::kind::is_there;
}

void add_file(stage_facts& to, const plan::stage& s) {
  const auto& file = *s.node->op->file_of(*s.node);
  to.path = bounded(file.path);
  to.text = file.rows < 0;
  to.columns = to.used_columns = file.columns.size();
  if (!s.wanted.empty())
    to.used_columns = static_cast<std::size_t>(std::ranges::count(s.wanted, true));
}

/// What the plan says of where the stage runs.
void add_place(stage_facts& to, const plan::stage& s) {
  to.place = plan::where_text(s);
  for (const auto& e : s.estimates) {
    if (!e.why_not.empty()) add_text(to.refused, e.where + ": " + e.why_not);
    if (e.devices.empty() || e.devices != s.where.devices) continue;
    to.copies_s = e.transfer_s;
    to.kernels_s = e.work_s;
  }
}

void add_measured(stage_facts& to, std::size_t stage,
                  const std::vector<run::measurement>& measured) {
  std::size_t of_windows = 0;  // threads of all tasks that windows go through
  for (const auto& m : measured) {
    if (m.done.brings_windows) of_windows = m.threads;
    if (plan::index(m.done.stage) != stage) continue;
    const auto threads = m.done.each_window ? of_windows : m.threads;
    to.seconds += m.seconds;
    to.windows = std::max(to.windows, m.windows);
    to.threads = std::max(to.threads, threads);
    if (m.done.step != nullptr && !m.done.on_device && to.steps.size() < texts_max)
      to.steps.push_back({bounded(m.done.what), m.seconds, threads});
    add_text(to.notes, m.note);
  }
}

void add_operators(stage_facts& to, const plan::stage& s, const cpu_ops::row_counts& counts) {
  auto before = counts.rows();
  for (const auto& [op, records, exact] : records_of(s, counts)) {
    if (before > 0 && to.operators.size() < texts_max)
      to.operators.push_back(
          {bounded(op.name), static_cast<double>(records) / static_cast<double>(before)});
    before = records;
  }
}

}  // namespace

std::uint64_t shape_of(const plan::plan& p) {
  std::uint64_t shape = p.stages.size();
  for (const auto& s : p.stages) {
    const auto& n = *s.node;
    add_to(shape, reinterpret_cast<std::uintptr_t>(n.stage.describe));
    add_to(shape, reinterpret_cast<std::uintptr_t>(n.stage.counts.loop));
    add_to(shape, graph::label(n));
    add_to(shape, n.out.name);
    add_to(shape, static_cast<std::uint64_t>(kind_of(s)));
    for (const auto* edges : {&s.inputs, &s.sides})
      for (const auto stage : *edges) add_to(shape, plan::index(stage) + 1);
    if (const auto* file = n.op->file_of(n)) add_to(shape, file->path);
  }
  return shape;
}

query_facts facts_of(const plan::plan& p, const run::live_executor& ran) {
  query_facts facts;
  facts.shape = shape_of(p);
  const auto shown = std::min(p.stages.size(), stages_max);
  facts.left_out = p.stages.size() - shown;
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& s = p.stages[i];
    const auto& n = *s.node;
    auto& to = facts.stages.emplace_back();
    to.what = kind_of(s);
    to.label = bounded(graph::label(n));
    to.inputs = indices_of(s.inputs);
    to.sides = indices_of(s.sides);
    to.node = detail::mix(reinterpret_cast<std::uintptr_t>(n.table.get())) ^ n.id;
    to.cached = n.is_cached();
    to.rows_in = rows_into(p, s);
    to.rows_out = s.rows_out.rows;
    to.predicted_s = s.seconds;
    to.predicted_how = s.how;
    to.maths = bounded(s.maths_note);
    for (const auto& note : s.notes) add_text(note == s.recomputed ? to.repeats : to.planned, note);
    to.moved_to_cpu = ran.moved_to_cpu(static_cast<plan::stage_index>(i));
    add_place(to, s);
    add_measured(to, i, ran.measurements());
    if (to.what == stage_facts::kind::reads_file) add_file(to, s);
    if (to.what != stage_facts::kind::is_there) to.bytes = bytes_of(p, s);
    if (n.op->is_join_index())
      to.index_bytes = n.op->bytes(n, static_cast<double>(to.rows_in), 1).output;
    if (const auto* counts = ran.counts(static_cast<plan::stage_index>(i)))
      add_operators(to, s, *counts);
  }
  return facts;
}

launches_facts facts_of_launches(const plan::plan& p) {
  launches_facts facts;
  facts.launches = static_cast<std::int64_t>(p.stages.size());
  for (const auto& s : p.stages) {
    add_to(facts.shape, graph::label(*s.node));
    if (!s.where.devices.empty()) facts.place = plan::where_text(s);
  }
  facts.label = bounded(graph::label(*p.stages.front().node));
  if (facts.launches > 1)
    facts.label +=
        fmt::format(" and {} more launch{}", facts.launches - 1, facts.launches == 2 ? "" : "es");
  return facts;
}

}  // namespace pappus::report
