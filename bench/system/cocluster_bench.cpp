#include "system/cocluster.h"

#include <vector>

#include "system/suite.h"
#include "system/triad.h"

namespace pappus::bench {
namespace {

struct matrix {
  array<double, 2> values;
  array<std::int32_t> row_cluster, column_cluster;
  array<double> rows, columns;
  array<double, 2> blocks, columns_of_clusters;
};

void add_up(session& engine, const matrix& of) {
  of.rows.fill(0);
  of.columns.fill(0);
  of.blocks.fill(0);
  of.columns_of_clusters.fill(0);
  engine.for_each(
      of.values.extents(),
      [](idx<2> p, reads<double, 2> values, reads<std::int32_t> row_cluster, reduces<double> rows,
         reduces<double, 2> columns) {
        const double x = values[p];
        rows[p[0]] += x;
        columns(row_cluster[p[0]], p[1]) += x;
      },
      of.values, of.row_cluster, of.rows, of.columns_of_clusters);
  engine.for_each(
      of.columns_of_clusters.extents(),
      [](idx<2> p, reads<double, 2> found, reads<std::int32_t> column_cluster,
         reduces<double> columns, reduces<double, 2> blocks) {
        columns[p[1]] += found[p];
        blocks(p[0], column_cluster[p[1]]) += found[p];
      },
      of.columns_of_clusters, of.column_cluster, of.columns, of.blocks);
  engine.wait();
}

std::string checksum_of(const matrix& found) {
  auto rows = found.rows.to_vector(), columns = found.columns.to_vector(),
       blocks = found.blocks.to_vector();
  return cocluster::checksum({rows, columns, blocks});
}

}  // namespace

std::vector<result> run_cocluster(const stage& on, std::int64_t n) {
  const auto input = cocluster::make_cocluster(n, on.asked.seed, on.workers);
  std::vector<double> rows(static_cast<std::size_t>(input.rows)),
      columns(static_cast<std::size_t>(input.columns)),
      blocks(cocluster::clusters * cocluster::clusters);
  const cocluster::sums sums{rows, columns, blocks};
  const matrix arrays{on.engine.to_array<2>(input.values.all(), {input.rows, input.columns}),
                      on.engine.to_array(input.row_cluster.all()),
                      on.engine.to_array(input.column_cluster.all()),
                      on.engine.zeros<double>({input.rows}),
                      on.engine.zeros<double>({input.columns}),
                      on.engine.zeros<double, 2>({cocluster::clusters, cocluster::clusters}),
                      on.engine.zeros<double, 2>({cocluster::clusters, input.columns})};
  // The first two write to the same sums, so each runs once more before its checksum is taken.
  return compare(
      on, "cocluster", n, min_bytes::cocluster(input.rows * input.columns),
      {{"sequential", [&] { cocluster::sequential(input, sums); },
        [&] {
          cocluster::sequential(input, sums);
          return cocluster::checksum(sums);
        }},
       {"handwritten", [&] { cocluster::handwritten(input, sums, on.workers); },
        [&] {
          cocluster::handwritten(input, sums, on.workers);
          return cocluster::checksum(sums);
        }},
       {"pappus", [&] { add_up(on.engine, arrays); }, [&] { return checksum_of(arrays); }}});
}

}  // namespace pappus::bench
