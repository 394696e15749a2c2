// Quantiles of records that are key bits.
#include "ops/quantile.h"

#include <limits>

#include <fmt/format.h>

#include "algorithms/select.h"
#include "graph/operator_entry.h"
#include "ops/implementations.h"
#include "ops/rows.h"
#include "pappus/detail/loops/quantile.h"
#include "pappus/error.h"

namespace pappus::ops {
namespace {

class quantile_entry final : public graph::operator_entry {
 public:
  graph::bound output_rows(const graph::node&, const graph::bound&) const override {
    return graph::bound::exactly(1);
  }
  /// Of rows in memory. Windows are copied, to where they may go to the disk.
  graph::traffic bytes(const graph::node& n, double rows_in, double) const override {
    const double all = rows_in * input_row_bytes(n), output = output_bytes(n, 1);
    return {.read = 2 * all, .written = output, .output = output, .scratch = all / 16};
  }
  bool takes_windows(const graph::node&) const override { return true; }
  graph::implementations run_by(const graph::node&) const override {
    return {&cpu_ops::quantile_on_cpu()};
  }
  bool describes_its_functions() const override { return false; }
  double row_work(const graph::node&) const override { return 5; }  // 1e7 rows, 2 ns each
};

template <typename Key>
void quantiles_of_keys(std::span<Key> keys, std::span<const double> p,
                       detail::number_of_bits number, double* out) {
  for (const double one : p) {
    if (keys.empty()) {
      *out++ = std::numeric_limits<double>::quiet_NaN();
      continue;
    }
    const quantile_place place(one, keys.size());
    const auto found = algorithms::select(keys.data(), keys.size(), place.rank);
    *out++ = between(number(found.at), number(found.next), place.fraction);
  }
}

}  // namespace
}  // namespace pappus::ops

namespace pappus::detail {

const graph::operator_entry& quantile_operator() {
  static const ops::quantile_entry entry;
  return entry;
}

void check_quantiles(const char* what, std::span<const double> p) {
  for (const double one : p)
    if (!(one >= 0 && one <= 1))
      throw usage_error(fmt::format("{}: expected p from 0 to 1, got {}", what, one));
}

void quantiles_of(std::span<std::uint32_t> keys, std::span<const double> p, number_of_bits number,
                  double* out) {
  ops::quantiles_of_keys(keys, p, number, out);
}
void quantiles_of(std::span<std::uint64_t> keys, std::span<const double> p, number_of_bits number,
                  double* out) {
  ops::quantiles_of_keys(keys, p, number, out);
}

}  // namespace pappus::detail
