#include "plan/plan.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

#include "base/text.h"

namespace pappus::plan {
namespace {

struct pass {
  const char* name;
  void (*run)(plan&, const request&);
};

constexpr pass passes[] = {
    {"collect", collect_stages},
    {"bounds", bound_rows},
    {"limits", limit_rows},
    {"windows", choose_windows},
    {"instead", choose_instead},
    {"columns", choose_columns},
    {"conditions", choose_conditions},
    {"morsels", choose_morsels},
    {"place", place_stages},
    {"lifetimes", find_last_uses},
    {"admission", check_memory},
    {"repeated", note_repeated_work},
};

// What changes when a number of rows becomes known.
constexpr pass refining[] = {{"bounds", bound_rows},
                             {"morsels", choose_morsels},
                             {"place", place_stages},
                             {"admission", check_memory}};

/// The plan of a loop's body, behind a margin.
std::string body_text(const stage& s) {
  const char* most = s.repeats.how == cost::trust::guessed    ? "≤ "
                     : s.repeats.how == cost::trust::at_least ? "≥ "
                                                              : "";
  auto text = fmt::format("     each of {}{} iterations:\n", most,
                          base::count_text(std::llround(s.repeats.count)));
  std::istringstream lines(s.body->print());
  for (std::string line; std::getline(lines, line);) text += "     |" + line + "\n";
  return text;
}

}  // namespace

plan make_plan(const request& asked) {
  plan p;
  for (const auto& [name, run] : passes) {
    run(p, asked);
    if (asked.keep_history) p.history.push_back({name, p.print()});
  }
  return p;
}

void refine(plan& p, const request& asked) {
  for (const auto& [name, run] : refining) run(p, asked);
}

void plan::verify() const {
  const auto fail = [](std::size_t i, const char* what) {
    throw std::logic_error(fmt::format("plan: stage {}: {}", i, what));
  };
  std::vector<bool> freed(stages.size(), false);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const auto& s = stages[i];
    if (s.node == nullptr) fail(i, "no node");
    for (const auto* edges : {&s.inputs, &s.sides})
      for (const auto input : *edges) {
        if (index(input) >= i) fail(i, "an input comes later");
        if (freed[index(input)]) fail(i, "an input was freed before");
      }
    if (s.morsel_rows < 1) fail(i, "empty morsels");
    if (s.body != nullptr) s.body->verify();
    for (const auto done : s.frees) {
      if (index(done) > i || freed[index(done)]) fail(i, "frees what isn't there");
      freed[index(done)] = true;
    }
  }
  for (const auto root : roots)
    if (index(root) >= stages.size() || freed[index(root)]) fail(index(root), "a root isn't kept");
}

double plan::seconds() const {
  double all = 0;
  for (const auto& s : stages) all += s.seconds;
  return all;
}

cost::trust plan::how() const {
  auto all = cost::trust::measured;
  for (const auto& s : stages)
    if (s.seconds > 0) all = worse(all, s.how);
  return all;
}

std::vector<stage_index> stages_before(const stage& s) {
  std::vector<stage_index> result;
  for (const auto& n : s.needs)
    if (std::ranges::find(result, n.before) == result.end()) result.push_back(n.before);
  return result;
}

std::string items_text(const stage& s) {
  auto text = regions::text(s.items);
  for (std::size_t d = 0; d < s.items.rank() && s.tile[d] > 0; ++d)
    text += fmt::format("{}{}", d == 0 ? ", in tiles of " : "x", s.tile[d]);
  return text;
}

std::string traffic_text(const stage& s) {
  return fmt::format("reads {}, writes {}, {}{}", base::bytes_text(s.bytes.read),
                     base::bytes_text(s.bytes.written),
                     s.how == cost::trust::counted ? "about " : "",
                     predicted_text(s.seconds, s.how));
}

namespace {

std::string print_launch(std::size_t number, const stage& s) {
  std::string text, before;
  for (const auto earlier : stages_before(s))
    before += fmt::format("{}s{}", before.empty() ? ", after " : ", ", index(earlier));
  text = fmt::format("  s{} {}: {} indices, {}, {}, {}{}\n{}", number, graph::label(*s.node),
                     base::count_text(s.rows_in.rows), items_text(s), where_text(s),
                     traffic_text(s), before, reasons_text(s));
  for (const auto& note : s.notes) text += fmt::format("     note: {}\n", note);
  if (!s.turns_note.empty()) text += fmt::format("     note: {}\n", s.turns_note);
  return text;
}

}  // namespace

std::string plan::print() const {
  std::string text;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const auto& s = stages[i];
    if (s.items.rank() > 0) {
      text += print_launch(i, s);
      continue;
    }
    text += fmt::format("  s{} {}: {} → {} rows", i, graph::label(*s.node),
                        graph::bound_text(s.rows_in), graph::bound_text(s.rows_out));
    text += columns_text(s);
    if (s.known) {
      text += ", in memory";
    } else if (s.resting && s.passes_on) {
      text += ", in parts, of which each reader takes windows";
    } else if (s.resting) {
      text += ", read back from the spill file as far as they aren't in memory";
    } else if (s.outside) {
      text += ", from outside the loop";
    } else if (s.windowed || graph::is_run(*s.node)) {
      text += fmt::format(", {} rows a chunk, {}", base::count_text(s.morsel_rows), where_text(s));
      if (s.windowed) text += ", streams its input in windows" + conditions_text(*this, s);
      const bool may_stop = s.windowed && may_stop_early(*this, static_cast<stage_index>(i));
      if (may_stop) text += " until it has what it needs";
      if (s.asks) text += ", twice: first to ask for right rows, which rest on the disk";
      if (s.in_parts) text += ", yields rows in parts that may rest on the disk";
      if (s.rows_rest) text += ", rows that don't fit in memory rest on the disk meanwhile";
      text += fmt::format(", reads {}{}, writes {}", may_stop ? "≤ " : "",
                          base::bytes_text(s.bytes.read), base::bytes_text(s.bytes.written));
      if (s.bytes.scratch > 0)
        text += fmt::format(", scratch {}", base::bytes_text(s.bytes.scratch));
      text += fmt::format(", {}{}", s.how == cost::trust::counted ? "about " : "",
                          predicted_text(s.seconds, s.how));
      if (s.how == cost::trust::measured) text += " when it last ran";
    }
    for (const char* separator = "; then frees "; const auto done : s.frees) {
      text += fmt::format("{}s{}", separator, index(done));
      separator = ", ";
    }
    text += "\n" + reasons_text(s);
    for (const auto& note : s.notes) text += fmt::format("     note: {}\n", note);
    if (!s.maths_note.empty()) text += fmt::format("     note: {}\n", s.maths_note);
    if (s.body != nullptr) text += body_text(s);
  }
  return text;
}

}  // namespace pappus::plan
