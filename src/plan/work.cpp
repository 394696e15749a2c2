// What stages compute, and how long that takes the CPU: for place.cpp, which compares it with
// devices.
//
// A stage takes as long as the longer of two: its memory traffic, and its instructions on all
// threads. Instructions are those of its functions (request::ask_work), of its operator
// (operator_entry::row_work) and, of text files, of parsing. Once it has run, what it took is what
// counts. Of a do_while it is its iterations that count: loops.cpp.
//
// Where the number of rows isn't known before, it is assumed for this alone: bounds stay bounds.
#include <fmt/format.h>
#include <algorithm>
#include <numeric>

#include "plan/plan.h"

namespace pappus::plan {
namespace {

using cost::trust;

// Simple instructions, as operator_entry::row_work() counts them.
constexpr double parsed_byte = 15;  // a program's CSV of 291 MB in 0.9 s, its rows' use excluded
constexpr double read_byte = 1.5;   // other files: from the system's cache, 3 GB/s a thread

constexpr double records_a_row = 8;   // of a flat_map
constexpr double text_row_bytes = 8;  // of a line, at least

/// Text files don't tell their rows.
bool is_text(const detail::file_params& file) { return file.rows < 0; }

double expected(const graph::bound& rows) { return static_cast<double>(rows.rows); }
bool unknown(const graph::bound& rows) { return rows.known == graph::bound::certainty::unknown; }

void expect_rows(const plan& p, stage& s) {
  const auto& n = *s.node;
  s.expected_in = expected(s.rows_in);
  if (unknown(s.rows_in) && !s.inputs.empty()) {
    s.expected_in = p.stages[index(s.inputs.front())].expected_out;
    for (const auto input : s.inputs)
      s.expected_in = std::min(s.expected_in, p.stages[index(input)].expected_out);
  }
  s.expected_out = expected(s.rows_out);
  if (!unknown(s.rows_out)) return;
  s.expected_out = s.expected_in;
  if (const auto* file = n.op->file_of(n)) {
    const auto row = std::max(static_cast<double>(n.out.size), text_row_bytes);
    s.expected_out = file->text_bytes / row;
  } else if (std::ranges::any_of(n.stage.ops,
                                 [](const auto& op) { return op.name == "flat_map"; })) {
    s.expected_out *= records_a_row;
  }
}

void add_functions(const plan& p, const request& asked, stage& s) {
  std::vector<double> sides;
  for (const auto side : s.sides) sides.push_back(p.stages[index(side)].expected_out);
  s.side_rows = std::accumulate(sides.begin(), sides.end(), 0.0);
  s.functions = asked.ask_work ? &asked.ask_work(*s.node) : nullptr;
  if (s.functions == nullptr) {
    s.how = trust::at_least;
    return;
  }
  s.work += s.functions->of_row(sides) * s.expected_in;
  s.how = s.functions->how;
}

void add_operator(stage& s) {
  const auto& n = *s.node;
  if (const auto* file = n.op->file_of(n)) {
    s.work.simple += is_text(*file) ? file->text_bytes * parsed_byte : file->bytes * read_byte;
    s.how = trust::guessed;  // how many columns, and what of it the system has in memory
    return;
  }
  s.work.simple += n.op->work(n, s.expected_in, s.expected_out);
  if (unknown(s.rows_in)) s.how = worse(s.how, trust::guessed);
}

}  // namespace

void size_work(plan& p, const request& asked, stage& s) {
  if (s.node->op->loop_of(*s.node) != nullptr) return size_loop(p, asked, s);
  s.work = {};
  s.how = trust::counted;
  expect_rows(p, s);
  if (s.node->op->file_of(*s.node) == nullptr) add_functions(p, asked, s);
  add_operator(s);
}

double cpu_seconds(const cost::machine& m, const stage& s) {
  if (s.body != nullptr) return m.launch_us * 1e-6 + s.repeats.count * s.body->seconds();
  const auto traffic = cost::streaming_seconds(m, s.bytes.read + s.bytes.written);
  return std::max(traffic, m.launch_us * 1e-6 + s.work.total() / (m.core_gops * 1e9 * m.threads));
}

std::string maths_note(const cost::machine& m, const stage& s) {
  // What is faster by less, or over at once, isn't worth a compiler's option.
  constexpr double gain_min = 1.5, seconds_min = 1e-3;
  if (s.functions == nullptr || s.functions->scalar_maths.empty() || !s.where.devices.empty())
    return {};
  auto fast = s;
  const double calls = std::min(s.functions->scalar_maths_calls * s.expected_in, s.work.maths);
  fast.work.maths -= calls;
  fast.work.vector_maths += calls;
  const double strict_s = cpu_seconds(m, s), fast_s = cpu_seconds(m, fast);
  if (strict_s < seconds_min || strict_s < gain_min * fast_s) return {};
  std::string names;
  for (const auto& name : s.functions->scalar_maths)
    names += fmt::format("{}std::{}", names.empty() ? "" : ", ", name);
  return fmt::format(
      "{} stay{} scalar under strict floats; pappus_enable(target FLOATS fast) would run this "
      "stage "
      "about {:.0f}× faster",
      names, s.functions->scalar_maths.size() == 1 ? "s" : "", strict_s / fast_s);
}

}  // namespace pappus::plan
