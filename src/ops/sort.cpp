// All rows of a stage, by their keys.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/memory_scale.h"
#include "graph/operator_entry.h"
#include "ops/implementations.h"
#include "ops/rows.h"
#include "ops/sort.h"
#include "pappus/detail/loops/sort.h"

namespace pappus::ops {
namespace {

/// How many of the rows, in any order, are sorted for the first `limit` (cpu_ops/limited_sort.h).
double rows_sorted(double rows, double limit) {
  if (!sorts_some(static_cast<std::int64_t>(rows), static_cast<std::int64_t>(limit))) return rows;
  const auto first = static_cast<double>(sorted_first(static_cast<std::int64_t>(limit)));
  return first + 2 * limit * std::log2(rows / first);
}

/// How many records there may be at a time besides those that it yields.
double rows_held(const graph::node& n, double rows, double limit) {
  const auto all = static_cast<std::int64_t>(rows), wanted = static_cast<std::int64_t>(limit);
  if (!sorts_some(all, wanted)) return std::max(rows - limit, 0.0);
  const auto candidates = candidates_max(all, wanted, n.out.size, candidate_bytes_max);
  return static_cast<double>(std::max(sorted_first(wanted), 2 * candidates + wanted));
}

class sort_entry final : public graph::operator_entry {
 public:
  graph::bound output_rows(const graph::node&, const graph::bound& input) const override {
    return input;
  }
  graph::traffic bytes(const graph::node& n, double rows_in, double rows_out) const override {
    const auto& params = n.as<detail::sort_params>();
    double keys = 0;  // bytes a row: of the pass that needs most
    for (const auto& pass : params.passes) {
      const double strings = sizeof(std::string_view) + 5 * sizeof(std::uint64_t);
      keys = std::max(keys, pass.key_bytes == 0 ? strings : 2.0 * pass.key_bytes);
    }
    const double record = output_bytes(n, 1);
    const double moved = 2.0 * static_cast<double>(params.payload_bytes);
    double besides = keys + moved - record;
    if (params.moves == detail::sort_moves::addresses) besides = keys + moved;
    if (params.integers) besides = params.input_is_keys ? 0 : record;
    const double sorted = rows_sorted(rows_in, rows_out), held = rows_held(n, rows_in, rows_out);
    const double scratch = (rows_out + held) * std::max(besides, 0.0);
    return {.read = rows_in * input_row_bytes(n) + sorted * 1.5 * (keys + moved),
            .written = sorted * 1.5 * (keys + moved),
            .output = rows_out * record,
            .scratch = scratch + held * record,
            .spillable = scratch};
  }
  bool takes_limit(const graph::node&) const override { return true; }
  bool takes_windows(const graph::node&) const override { return true; }
  bool keeps_text(const graph::node& n) const override {
    return n.out.text == detail::text_in::unknown;
  }
  graph::window_memory holds_of_window(const graph::node& n) const override {
    const double radix = base::scaled(1 << 20);  // its histograms and buffers of lines
    const auto held = bytes(n, 1, 1);
    const auto& params = n.as<detail::sort_params>();
    const double record = output_bytes(n, 1);
    // Integers of a window in pieces, and those of a range, are copied first.
    const double copied = params.integers && !params.input_is_keys ? 0 : record;
    double widest = std::max(record, static_cast<double>(params.payload_bytes));
    for (const auto& pass : params.passes)
      widest = std::max(widest, pass.key_bytes == 0 ? static_cast<double>(sizeof(std::string_view))
                                                    : static_cast<double>(pass.key_bytes));
    return {held.output + held.scratch + copied, widest, radix};
  }
  bool passes_windows_on(const graph::node&) const override { return true; }
  graph::implementations run_by(const graph::node&) const override {
    return {&cpu_ops::sort_on_cpu(), &device_ops::sort_on_devices()};
  }
  graph::element_use uses_elements() const override { return graph::element_use::records; }
  double row_work(const graph::node& n) const override {
    constexpr double key_byte = 6;   // sort: 1e8 keys of 4 bytes took 2 * 213 ms, so 4.3 ns each
    constexpr double string = 400;   // a program's 1e6 keys of 10 characters: 75 ms
    constexpr double gathered = 50;  // its records of 100 bytes, after that
    const auto& params = n.as<detail::sort_params>();
    double work = params.moves == detail::sort_moves::addresses ? gathered : 0;
    for (const auto& pass : params.passes)
      work += pass.key_bytes == 0 ? string : key_byte * static_cast<double>(pass.key_bytes);
    return work;
  }
  double work(const graph::node& n, double rows_in, double rows_out) const override {
    constexpr double looked_at = 30;  // 3e6 records of 88 bytes: 16 ms, mostly for memory
    const double sorted = rows_sorted(rows_in, rows_out);
    return row_work(n) * sorted + (sorted < rows_in ? looked_at * rows_in : 0);
  }
};

}  // namespace
}  // namespace pappus::ops

namespace pappus::detail {

const graph::operator_entry& sort_operator() {
  static const ops::sort_entry entry;
  return entry;
}

}  // namespace pappus::detail
