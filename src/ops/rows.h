// Sizes that many operators share.
#pragma once

#include <cstdint>
#include <span>

#include "graph/operator_entry.h"

namespace pappus::ops {

/// Bytes of one row of all inputs together.
double input_row_bytes(const graph::node& n);

/// Bytes of so many records of a stage's output.
double output_bytes(const graph::node& n, double rows);

/// Traffic of an operator that reads its input once and writes its output once.
graph::traffic once_through(const graph::node& n, double rows_in, double rows_out,
                            double scratch = 0);

/// Rows a stage goes through: as many as its shortest input has, or as range() makes.
/// \param inputs  objects with a rows(), or pointers to such.
template <typename Inputs>
std::int64_t stage_rows(const graph::node& n, const Inputs& inputs) {
  std::int64_t rows = n.stage.rows;
  for (const auto& input : inputs) {
    const auto own = [&] {
      if constexpr (requires { input->rows(); })
        return input->rows();
      else
        return input.rows();
    }();
    if (rows < 0 || own < rows) rows = own;
  }
  return rows < 0 ? 0 : rows;
}

}  // namespace pappus::ops
