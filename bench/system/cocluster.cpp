// The hand-written version adds each element twice, by vectors: to its row's sum in registers, and
// to a sum of its column within its cluster of rows, of which each thread has 8 times a row, which
// the second-level cache holds. Columns and blocks are sums of those.
#include "system/cocluster.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "system/checksum.h"
#include "system/generator.h"
#include "system/lanes.h"

namespace pappus::bench::cocluster {
namespace {

/// Adds a row to the sums of its cluster's columns. Returns its own sum.
double add_row(const double* row, std::int64_t columns, double* of_cluster) {
  constexpr int vectors = 4 * line_vectors, lanes = lanes_of<double>;
  f64v sums[vectors] = {};
  std::int64_t j = 0;
  for (; j + 32 <= columns; j += 32)
    for (int v = 0; v < vectors; ++v) {
      const auto values = load<f64v>(row + j + lanes * v);
      sums[v] += values;
      store(of_cluster + j + lanes * v, load<f64v>(of_cluster + j + lanes * v) + values);
    }
  // Lines of eight numbers first, so that the width of vectors doesn't matter.
  double sum = 0;
  for (int v = 0; v < line_vectors; ++v) {
    const f64v all = (sums[v] + sums[v + line_vectors]) +
                     (sums[v + 2 * line_vectors] + sums[v + 3 * line_vectors]);
    for (int lane = 0; lane < lanes; ++lane) sum += all[lane];
  }
  for (; j < columns; ++j) {
    sum += row[j];
    of_cluster[j] += row[j];
  }
  return sum;
}

}  // namespace

input make_cocluster(std::int64_t cells, std::uint64_t seed, team& workers) {
  const auto columns = static_cast<std::int64_t>(std::sqrt(static_cast<double>(cells) / 2));
  const auto rows = 2 * columns;
  input made{rows, columns, {rows * columns, workers}, {rows, workers}, {columns, workers}};
  const stream values(seed, 0), of_rows(seed, 1), of_columns(seed, 2);
  workers.run_pieces(rows * columns, 1 << 16, [&](std::int64_t begin, std::int64_t end, int) {
    for (auto i = begin; i < end; ++i)
      made.values[i] = values.f64(static_cast<std::uint64_t>(i), 0, 1);
  });
  const auto draw = [](const stream& from, buffer<std::int32_t>& to) {
    for (std::int64_t i = 0; i < to.size(); ++i)
      to[i] = static_cast<std::int32_t>(from.below(static_cast<std::uint64_t>(i), clusters));
  };
  draw(of_rows, made.row_cluster);
  draw(of_columns, made.column_cluster);
  return made;
}

std::string checksum(const sums& of) {
  double total = 0, rows = 0, columns = 0, blocks = 0;
  for (std::size_t i = 0; i < of.rows.size(); ++i) {
    total += of.rows[i];
    rows += of.rows[i] * static_cast<double>(1 + i % 7);
  }
  for (std::size_t j = 0; j < of.columns.size(); ++j)
    columns += of.columns[j] * static_cast<double>(1 + j % 5);
  for (std::size_t b = 0; b < of.blocks.size(); ++b)
    blocks += of.blocks[b] * static_cast<double>(1 + b);
  return scientific(total, 9) + "/" + scientific(rows, 9) + "/" + scientific(columns, 9) + "/" +
         scientific(blocks, 9);
}

void sequential(const input& from, const sums& to) {
  for (const auto part : {to.rows, to.columns, to.blocks}) std::ranges::fill(part, 0.0);
  for (std::int64_t i = 0; i < from.rows; ++i)
    for (std::int64_t j = 0; j < from.columns; ++j) {
      const double x = from.values[i * from.columns + j];
      to.rows[i] += x;
      to.columns[j] += x;
      to.blocks[from.row_cluster[i] * clusters + from.column_cluster[j]] += x;
    }
}

void handwritten(const input& from, const sums& to, team& workers) {
  const auto columns = from.columns, each = clusters * columns;
  std::vector<double> found(static_cast<std::size_t>(each * workers.threads()));
  workers.run_pieces(from.rows, 64, [&](std::int64_t begin, std::int64_t end, int worker) {
    for (auto i = begin; i < end; ++i)
      to.rows[i] = add_row(from.values.data() + i * columns, columns,
                           found.data() + worker * each + from.row_cluster[i] * columns);
  });
  std::ranges::fill(to.columns, 0.0);
  std::ranges::fill(to.blocks, 0.0);
  for (int worker = 0; worker < workers.threads(); ++worker)
    for (std::int64_t a = 0; a < clusters; ++a)
      for (std::int64_t j = 0; j < columns; ++j) {
        const double x = found[worker * each + a * columns + j];
        to.columns[j] += x;
        to.blocks[a * clusters + from.column_cluster[j]] += x;
      }
}

}  // namespace pappus::bench::cocluster
