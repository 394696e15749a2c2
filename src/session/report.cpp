#include "session/report.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "device_ops/element.h"

namespace pappus::detail {
namespace {

std::string device_code_of(std::string_view stage, const node& n) {
  const auto element = device_ops::element_of(n);
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
    if (!stage.where.devices.empty()) text += device_code_of(fmt::format("s{}", i), *stage.node);
    for (const auto& [inner, n] : stage.body_on_devices)
      text += device_code_of(fmt::format("s{} | s{}", i, inner), *n);
  }
  return text.empty() ? "" : "device code\n" + text;
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

}  // namespace

std::string explained(const plan::plan& p, const tasks::dag& work, const run::prediction& predicted,
                      bool passes) {
  std::vector<const node*> nodes;
  for (const auto& s : p.stages) nodes.push_back(s.node);
  std::string text = "graph\n" + graph::print(nodes);
  text += passes ? passes_of(p) : "plan\n" + p.print();
  text += device_code_of(p);
  text += "tasks\n" + work.print(p);
  const char* most = predicted.exact ? "" : "≤ ";
  text += fmt::format("predicted: {}, {}{} moved, {}{} of memory at once\n",
                      plan::predicted_text(predicted.seconds, predicted.how), most,
                      base::bytes_text(predicted.moved_bytes), most,
                      base::bytes_text(predicted.peak_bytes));
  return text;
}

std::string analyzed(const std::vector<plan::stage>& predicted, const plan::plan& p,
                     const std::vector<run::measurement>& measured, unsigned workers) {
  std::string text = "stages: predicted → measured\n";
  double total = 0;
  for (std::size_t i = 0; i < p.stages.size(); ++i) {
    const auto& before = predicted[i];
    double seconds = 0;
    std::string steps, found;
    std::int64_t windows = 1;
    for (const auto& m : measured) {
      if (plan::index(m.done.stage) != i) continue;
      seconds += m.seconds;
      if (m.done.step != nullptr)
        steps += fmt::format("       {} {}: {}{}\n", tasks::name(m.done.kind), m.done.what,
                             base::time_text(m.seconds), threads_text(m, workers));
      windows = std::max(windows, m.windows);
      if (!m.note.empty()) found += fmt::format("       {}\n", m.note);
    }
    total += seconds;
    text += fmt::format("  s{} {}: rows {} → {}, time {} → {}, on {}\n", i,
                        graph::label(*before.node), graph::bound_text(before.rows_out),
                        graph::bound_text(p.stages[i].rows_out), base::time_text(before.seconds),
                        base::time_text(seconds), plan::where_text(p.stages[i]));
    if (windows > 1) text += fmt::format("       streamed in {} windows\n", windows);
    text += steps + found;
    for (const auto& note : before.notes) text += fmt::format("       note: {}\n", note);
  }
  return text + fmt::format("total: {}\n", base::time_text(total));
}

}  // namespace pappus::detail
