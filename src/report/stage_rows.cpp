#include "report/stage_rows.h"

#include <algorithm>

#include "graph/operator_entry.h"

namespace pappus::report {

std::int64_t rows_into(const plan::plan& p, const plan::stage& s) {
  if (s.inputs.empty()) return s.rows_in.rows;
  std::int64_t rows = INT64_MAX;
  for (const auto input : s.inputs)
    rows = std::min(rows, p.stages[plan::index(input)].rows_out.rows);
  return rows;
}

double bytes_of(const plan::plan& p, const plan::stage& s) {
  const auto& n = *s.node;
  if (const auto* file = n.op->file_of(n)) return file->bytes;
  const auto bytes =
      n.op->bytes(n, static_cast<double>(rows_into(p, s)), static_cast<double>(s.rows_out.rows));
  return bytes.read + bytes.written;
}

std::vector<operator_records> records_of(const plan::stage& s, const cpu_ops::row_counts& counts) {
  std::vector<operator_records> all;
  const auto counted = static_cast<std::size_t>(s.node->stage.counts.operators);
  for (const auto& op : s.node->stage.ops) {
    if (op.yields == detail::cardinality::one) continue;
    const auto k = all.size();
    if (k < counted)
      all.push_back({op, counts.records(static_cast<int>(k) + 1), counts.exact()});
    else
      all.push_back({op, s.rows_out.rows, true});
  }
  for (std::size_t k = all.size(); k-- > 1;)  // an estimate may be less than what came of it
    if (all[k].op.yields == detail::cardinality::at_most_one)
      all[k - 1].records = std::max(all[k - 1].records, all[k].records);
  return all;
}

}  // namespace pappus::report
