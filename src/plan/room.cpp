#include "plan/room.h"

namespace pappus::plan {
namespace {

/// Records of a source. Of a file, or of what it may hold: one in two bytes at most.
double rows_of_source(const plan& p, const stage& from) {
  constexpr double unknown = 1e15;
  if (const auto* const file = from.node->op->file_of(*from.node))
    return file->rows >= 0 ? static_cast<double>(file->rows) : file->text_bytes / 2;
  if (from.rows_out.known != graph::bound::certainty::unknown)
    return static_cast<double>(from.rows_out.rows);
  if (!from.node->op->adds_its_inputs()) return unknown;
  double rows = 0;
  for (const auto input : from.inputs) rows += rows_of_source(p, p.stages[index(input)]);
  return rows;
}

/// Of the rows of a file, about. A text's rows take as much again as it, and half of that, besides
/// their own text.
double bytes_of_file(const stage& s) {
  constexpr double of_text = 2.5;
  const auto& file = *s.node->op->file_of(*s.node);
  return file.rows >= 0 ? static_cast<double>(file.rows) * static_cast<double>(s.node->out.size)
                        : of_text * file.text_bytes;
}

/// Of the rows of a source, about.
double bytes_of_source(const plan& p, const stage& from) {
  if (from.node->op->file_of(*from.node) != nullptr) return bytes_of_file(from);
  if (!from.node->op->adds_its_inputs())
    return rows_of_source(p, from) * static_cast<double>(from.node->out.size);
  double bytes = 0;
  for (const auto input : from.inputs) bytes += bytes_of_source(p, p.stages[index(input)]);
  return bytes;
}

}  // namespace

const stage& source_of(const plan& p, stage_index of) {
  const auto* at = &p.stages[index(of)];
  while (at->windowed) {
    at = &p.stages[index(at->inputs.front())];
    if (!at->passes_on) break;
  }
  return *at;
}

bool all_rows_fit(const plan& p, const stage& s, const request& asked) {
  const auto& input = p.stages[index(s.inputs.front())];
  const double rows = input.rows_out.known == graph::bound::certainty::unknown
                          ? rows_of_source(p, source_of(p, s.inputs.front()))
                          : static_cast<double>(input.rows_out.rows);
  double a_row = static_cast<double>(input.node->out.size), result = 0;
  const bool is_index = s.node->op->is_join_index();
  const auto held = s.node->op->bytes(*s.node, 1, 1);
  const auto window = s.node->op->holds_of_window(*s.node);
  a_row += is_index ? held.output + held.scratch : window.row;
  if (!is_index && window.kept > 0)  // what it makes of its rows is not among what it holds of them
    result = held.output * (s.rows_out.exact() ? static_cast<double>(s.rows_out.rows) : rows);
  return (is_index ? 3 : 2) * (rows * a_row + result) <=
         static_cast<double>(asked.machine.host_memory);
}

bool file_fits(const stage& s, const request& asked) {
  return 2 * bytes_of_file(s) <= static_cast<double>(asked.machine.host_memory);
}

bool rows_fit(const plan& p, stage_index of, int shares, const request& asked) {
  const auto& s = p.stages[index(of)];
  const auto& from = source_of(p, of);
  const auto row = static_cast<double>(s.node->out.size);
  constexpr double a_row_yields = 8;  // where that isn't known: flat_map, join
  const bool any = s.node->stage.yields == detail::cardinality::any;
  const double bytes = s.rows_out.known != graph::bound::certainty::unknown
                           ? static_cast<double>(s.rows_out.rows) * row
                           : bytes_of_source(p, from) / static_cast<double>(from.node->out.size) *
                                 row * (any ? a_row_yields : 1);
  return shares * bytes <= static_cast<double>(asked.machine.host_memory);
}

bool kept_rows_fit(const graph::kept_rows& rows, const detail::record_type& record,
                   const request& asked) {
  const auto bytes = static_cast<double>(rows.rows()) * static_cast<double>(record.size) +
                     static_cast<double>(rows.text_bytes(0, rows.rows()));
  return 4 * bytes <= static_cast<double>(asked.machine.host_memory);
}
}  // namespace pappus::plan
