// From a graph to its result.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "base/atomic_file.h"
#include "codegen/element/stage_reads.h"
#include "codegen/element/stage_work.h"
#include "devices/kernel_cache.h"
#include "pappus/detail/base/loop.h"
#include "pappus/error.h"
#include "report/query_facts.h"
#include "run/dry.h"
#include "session/report.h"
#include "session/session.h"

namespace pappus::detail {

namespace {

/// What the cache of kernels did for this process so far.
void count_kernels(trace::recorder& recorder) {
  const auto counts = devices::kernel_cache::shared().counts();
  recorder.count("kernel cache hits", static_cast<double>(counts.hits));
  recorder.count("kernel cache misses", static_cast<double>(counts.misses));
  recorder.count("kernel cache stores", static_cast<double>(counts.stores));
  recorder.count("kernel cache corrupt entries", static_cast<double>(counts.corrupt));
}

void write_explained(std::string_view text, const std::string& path) try {
  base::atomic_file file(path);
  file.append(text);
  file.commit();
} catch (const base::file_problem& e) {
  throw format_error(fmt::format("explain: {}: {}", path, e.what()));
}

}  // namespace

plan::request session_core::planning(std::span<const node_ptr> roots, const plan::bindings* bound,
                                     bool with_devices) {
  plan::request asked{
      .roots = roots,
      .machine = with_devices ? machine_with_devices() : machine_,
      .chunk_rows = settings_.chunk_rows,
      .rows_can_rest = store_->spills(),
      .bound = bound,
      .ask_work = codegen::row_work_of,
      .ask_reads = codegen::reads_of_stage,
      .ask_conditions = codegen::conditions_of_stage,
      .ask_measured = [this](const plan::stage& s,
                             std::span<const unsigned> devices) { return times_.find(s, devices); },
      .ask_past = [this](const plan::stage& s) { return times_.past(s); }};
  if (!with_devices) return asked;
  asked.ask_device = [this](const node& n, unsigned d) { return devices_.ask(n, d); };
  asked.bytes_there = [this](const rows_ptr& rows, unsigned d) {
    return devices_.bytes_there(rows, d);
  };
  return asked;
}

void session_core::learn(plan::plan& p, plan::stage_index which,
                         const run::live_executor& executor) {
  auto& s = p.stages[plan::index(which)];
  if (executor.moved_to_cpu(which)) s.where = {};
  double seconds = executor.seconds(which);
  if (seconds < stage_times::seconds_min || s.known) return;
  if (const auto* loop = s.node->op->loop_of(*s.node)) {
    const auto iterations = executor.iterations(which);
    const double rows_each = s.expected_in / s.repeats.count;
    return times_.remember(s, rows_each * static_cast<double>(iterations), seconds,
                           {iterations, iterations < loop->max_iterations});
  }
  auto rows = static_cast<double>(s.rows_in.rows);
  for (const auto input : s.inputs)
    rows = static_cast<double>(p.stages[plan::index(input)].rows_out.rows);
  if (s.windowed) {  // what brought and passed on its windows is predicted apart
    double others = 0;
    plan::for_each_on_path(p, which, [&](plan::stage_index part) {
      if (part != which) others += p.stages[plan::index(part)].seconds;
    });
    seconds = std::max(seconds - others, 0.1 * seconds);
  }
  // Copies depend on where rows were before; at least a tenth is the stage's own.
  for (const auto& e : s.estimates)
    if (!e.devices.empty() && e.devices == s.where.devices)
      seconds = std::max(seconds - e.transfer_s - e.build_s, 0.1 * seconds);
  times_.remember(s, rows, seconds);
}

std::vector<rows_ptr> session_core::evaluate(std::span<const node_ptr> roots, std::string* report) {
  check_alive();
  for (const auto& root : roots) check_owner(*root);
  if (explain_only_ != nullptr)
    explain_if_chosen([&](explain_format format) {
      const bool before = launches_ != nullptr && format != explain_format::dot;
      const auto text = before ? launches_->explain(format) : "";
      return format == explain_format::svg ? text : text + explain(roots, format);
    });
  auto team = workers();
  const auto page = collector();
  if (page == nullptr) return run_query(roots, {}, team, nullptr, report);
  try {
    return run_query(roots, {}, team, nullptr, report);
  } catch (const std::exception& e) {
    page->add_failure(e.what());
    throw;
  }
}

/// A query is a pure function of its sources: whatever was lost with a device, it can run again.
std::vector<rows_ptr> session_core::run_query(std::span<const node_ptr> roots,
                                              const graph::iteration& now,
                                              threads::query_workers& team, trace::recorder* outer,
                                              std::string* report) {
  // A lambda that a device runs may ask for a query.
  const int attempts_with_devices = devices::is_device_thread ? 0 : 3;
  std::string before;  // what made us start over
  for (int attempt = 0;; ++attempt) try {
      auto results = run_once(roots, now, attempt < attempts_with_devices, team, outer, report);
      if (const auto page = outer == nullptr ? collector() : nullptr) page->timeline()->sample();
      if (report != nullptr) *report = before + *report;
      return results;
    } catch (const devices::device_error& e) {
      before += fmt::format("{}; the query runs again from its sources\n", e.what());
      remember_fault(e.what());
    }
}

std::vector<rows_ptr> session_core::run_once(std::span<const node_ptr> roots,
                                             const graph::iteration& now, bool use_devices,
                                             threads::query_workers& team, trace::recorder* outer,
                                             std::string* report) {
  const bool named = use_devices && devices_.named();
  auto p = plan::make_plan(planning(roots, &now.bound, named));
  devices_.check_places(p);
  const bool with_devices = named || (use_devices && worth_devices(p));
  const auto asked = planning(roots, &now.bound, with_devices);
  if (with_devices && !named) p = plan::make_plan(asked);
  const auto page = outer == nullptr ? collector() : nullptr;
  const auto begin = page != nullptr ? report::clock::now() : report::clock::time_point();
  const bool is_told = report != nullptr || page != nullptr;
  const auto predicted = report != nullptr ? p.stages : std::vector<plan::stage>{};
  const auto spilled = is_told ? store_->spilled_bytes() : 0,
             read_back = is_told ? store_->bytes_read_back() : 0;
  const auto own_recorder = outer == nullptr ? listen(p, report != nullptr) : nullptr;
  trace::recorder* const recorder = outer == nullptr ? own_recorder.get() : outer;
  team.record(recorder);
  // Loops evaluate their body inside this query: the same workers, cancelled with it.
  const auto inner = [&](const node_ptr& root, const graph::iteration& inside) {
    const auto rows = run_query({&root, 1}, inside, team, recorder, nullptr).front();
    return run::contiguous(rows, team, memory_);
  };
  run::live_executor executor(
      p, {.team = team,
          .memory = memory_,
          .store = store_.get(),
          .window_bytes = memory_->limit() / 16,
          .recorder = recorder,
          .evaluate = inner,
          .devices = with_devices ? devices_.all() : std::vector<chunk_loop::device_session*>{},
          .chunk_rows = settings_.chunk_rows,
          .in_loop = !now.bound.empty(),
          .kept = now.kept,
          .measure = is_told,
          .count = report != nullptr || (page != nullptr && page->is_new(report::shape_of(p))),
          .on_fault = [this](const std::string& text) { remember_fault(text); },
          .on_failure = [this](const failure& where) { remember_failure(where); }});

  // A stage whose size only running can tell ends a round: what follows is planned again with the
  // size known.
  for (std::size_t first = 0, last; first < p.stages.size(); first = last) {
    const auto goes_on = [&](const plan::stage& s) {
      return (s.rows_out.exact() && !s.in_parts) || s.passes_on;
    };
    for (last = first + 1; last < p.stages.size() && goes_on(p.stages[last - 1]);) ++last;
    executor.execute(tasks::lower(p, first, last));
    for (std::size_t i = first; i < last; ++i) {
      const auto stage = static_cast<plan::stage_index>(i);
      if (p.stages[i].passes_on) continue;  // ran with the stage that takes its windows
      plan::for_each_on_path(p, stage, [&](plan::stage_index part) {
        auto& done = p.stages[plan::index(part)];
        if (!done.is_there()) done.rows_out = graph::bound::exactly(executor.row_count(part));
        done.measured = true;
      });
      learn(p, stage, executor);
      if (p.stages[i].node->is_cached() && !p.stages[i].is_there())
        keep(*p.stages[i].node, rows_to_keep(executor, stage));
    }
    if (last < p.stages.size()) plan::refine(p, asked);
  }

  if (with_devices && recorder != nullptr && recorder->tracing()) count_kernels(*recorder);
  if (report != nullptr)
    *report =
        analyzed(predicted, p, executor, team.count()) +
        spilled_text(store_->spilled_bytes() - spilled, store_->bytes_read_back() - read_back);
  std::vector<rows_ptr> results;
  for (const auto root : p.roots) results.push_back(executor.rows(root));
  if (page != nullptr) {
    auto facts = report::facts_of(p, executor);
    facts.begin = begin;
    facts.seconds = std::chrono::duration<double>(report::clock::now() - begin).count() -
                    executor.counting_seconds();
    facts.spilled = static_cast<double>(store_->spilled_bytes() - spilled);
    facts.read_back = static_cast<double>(store_->bytes_read_back() - read_back);
    page->add(std::move(facts));
  }
  return results;
}

std::shared_ptr<graph::kept_rows> session_core::rows_to_keep(run::live_executor& executor,
                                                             plan::stage_index stage) {
  if (auto parts = executor.parts(stage)) return parts;
  const auto& rows = executor.rows(stage);
  return rows != nullptr ? store_->keep(rows) : nullptr;
}

void session_core::keep(const node& n, std::shared_ptr<graph::kept_rows> kept) {
  if (kept == nullptr) return;
  node_table_->change(n.id, [&](graph::remembered& of) {
    if (!of.kept || of.kept->lost()) of.kept.swap(kept);  // else another query was first
  });
}

std::unique_ptr<trace::recorder> session_core::listen(const plan::plan& p, bool report) const {
  const auto tracer = [&] {
    const std::lock_guard lock(tracer_mutex_);
    return tracer_;
  }();
  const auto page = collector();
  if (tracer == nullptr && page == nullptr && !progress_ && !report) return nullptr;
  double bytes = 0;
  for (const auto& s : p.stages) bytes += s.bytes.read + s.bytes.written;
  // How often a loop's body runs isn't known.
  for (const auto& s : p.stages)
    if (s.node->op->loop_of(*s.node) != nullptr) bytes = 0;
  return std::make_unique<trace::recorder>(tracer, progress_, bytes,
                                           page != nullptr ? page->timeline() : nullptr);
}

rows_ptr session_core::make_contiguous(const rows_ptr& rows) {
  if (rows->contiguous()) return rows;
  auto team = workers();
  return run::contiguous(rows, team, memory_);
}

void session_core::explain_if_chosen(const std::function<std::string(explain_format)>& explained) {
  const std::string_view asked(explain_only_);
  const auto colon = asked.find(':');
  const auto file = colon == asked.npos ? colon : asked.find(':', colon + 1);
  const long chosen = colon == asked.npos ? 1 : std::atol(explain_only_ + colon + 1);
  const auto what = asked.substr(0, colon);
  const auto format = what == "dot"      ? explain_format::dot
                      : what == "passes" ? explain_format::passes
                      : what == "svg"    ? explain_format::svg
                                         : explain_format::text;
  // Queries have no picture: they run, and don't count.
  const bool drawn = format == explain_format::svg;
  const auto picture = drawn ? explained(format) : "";
  if ((drawn && picture.empty()) || ++asked_ < chosen) return;
  const auto text = drawn ? picture : explained(format);
  if (file == asked.npos)
    std::fputs(text.c_str(), stdout);
  else
    write_explained(text, std::string(asked.substr(file + 1)));
  std::exit(0);
}

graph::bound session_core::rows_of(const node& of, const node_ptr& root) {
  const auto p = plan::make_plan(planning({&root, 1}, nullptr, false));
  for (const auto& s : p.stages)
    if (s.node == &of) return s.rows_out;
  return graph::bound::unknown();
}

std::string session_core::explain(std::span<const node_ptr> roots, explain_format format) {
  check_alive();
  if (format == explain_format::dot) {
    const auto nodes = graph::in_order(roots, [](const node&) { return false; });
    return graph::print_dot(nodes);
  }
  auto asked = planning(roots, nullptr, true);
  asked.keep_history = true;
  const auto p = plan::make_plan(asked);
  devices_.check_places(p);
  p.verify();
  const auto work = tasks::lower(p, 0, p.stages.size());
  work.verify(p);
  return explained(p, work, run::dry_run(p, work), store_.get(), format == explain_format::passes);
}

}  // namespace pappus::detail
