#include "ops/rows.h"

namespace pappus::ops {

double input_row_bytes(const graph::node& n) {
  double bytes = 0;
  for (const auto& input : n.stage.inputs) bytes += static_cast<double>(input->out.size);
  return bytes;
}

double output_bytes(const graph::node& n, double rows) {
  return rows * static_cast<double>(n.out.size);
}

graph::traffic once_through(const graph::node& n, double rows_in, double rows_out, double scratch) {
  const double written = output_bytes(n, rows_out);
  return {.read = rows_in * input_row_bytes(n),
          .written = written,
          .output = written,
          .scratch = scratch};
}

}  // namespace pappus::ops
