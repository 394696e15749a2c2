// The sums of co-clustering, with which Lightning was evaluated: of a matrix' rows, of its columns,
// and of the blocks that clusters of rows and clusters of columns make.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "system/buffer.h"
#include "system/team.h"

namespace pappus::bench::cocluster {

constexpr std::int64_t clusters = 8;  ///< of rows, and of columns

struct input {
  std::int64_t rows, columns;
  buffer<double> values;  ///< row by row
  buffer<std::int32_t> row_cluster, column_cluster;
};
/// \param cells  rounded down to twice a square number: there are two rows a column
input make_cocluster(std::int64_t cells, std::uint64_t seed, team& workers);

struct sums {
  std::span<double> rows, columns;
  std::span<double> blocks;  ///< clusters * clusters, those of a cluster of rows together
};

/// `total / rows / columns / blocks`, the last three weighted by place.
std::string checksum(const sums& of);

void sequential(const input& from, const sums& to);
void handwritten(const input& from, const sums& to, team& workers);

}  // namespace pappus::bench::cocluster
