// The bandwidth of the machine's memory, and the traffic no version of a workload can avoid:
// together, the floor of its time.
#pragma once

#include <cstdint>

#include "system/team.h"

namespace pappus::bench {

/// Bytes a second of a[i] = b[i] + s*c[i] (STREAM's triad, McCalpin 1995), three arrays of 512 MB,
/// or a sixth of the memory that is free where that is less; all threads, streaming stores, the
/// best of `repeat` runs. Counts two reads and a write.
double triad_bytes_per_s(team& workers, int repeat = 5);

/// Unavoidable bytes: each input read once, each output written once.
namespace min_bytes {
constexpr double mapfiltersum(std::int64_t n) { return 4.0 * n; }
constexpr double scan(std::int64_t n) { return 8.0 * n; }
constexpr double sort(std::int64_t n) { return 8.0 * n; }
constexpr double groupby(std::int64_t n, std::int64_t keys) { return 16.0 * n + 24.0 * keys; }
constexpr double join(std::int64_t build, std::int64_t probe) { return 16.0 * (build + probe); }
constexpr double kmeans(std::int64_t n, int d) { return 4.0 * n * d; }
constexpr double blackscholes(std::int64_t n) { return 20.0 * n; }
constexpr double sum(std::int64_t n) { return 8.0 * n; }
constexpr double pagerank(std::int64_t pages, std::int64_t links) { return 8.0 * (pages + links); }
constexpr double bm25f(std::int64_t documents, std::int64_t tokens) {
  return 24.0 * documents + 2.0 * tokens;
}
/// Temperatures and powers in, temperatures out.
constexpr double stencil(std::int64_t cells, int passes) { return 12.0 * cells * passes; }
/// Values and columns in, y out, for each product; x in once, as it may stay in a cache.
constexpr double spmv(std::int64_t rows, std::int64_t slots, int products) {
  return (8.0 * slots + 4.0) * rows * products + 4.0 * rows;
}
/// Nothing but the digests' first words, as an array.
constexpr double md5(std::int64_t n) { return 4.0 * n; }
constexpr double nbody(std::int64_t bodies, int steps) { return 40.0 * bodies * steps; }
constexpr double correlator(std::int64_t samples, std::int64_t antennas) {
  return 8.0 * samples * antennas;
}
constexpr double gemm(std::int64_t cells) { return 12.0 * cells; }
constexpr double cocluster(std::int64_t cells) { return 8.0 * cells; }
/// Pixels of three bytes, of the slide and of the view.
constexpr double vmscope(std::int64_t read, std::int64_t view) { return 3.0 * (read + view); }
constexpr double bess(std::int64_t numbers) { return 4.0 * numbers; }
/// Four floats a sample.
constexpr double composite(std::int64_t samples) { return 16.0 * samples; }
constexpr double anomaly(std::int64_t numbers) { return 8.0 * numbers; }
}  // namespace min_bytes

}  // namespace pappus::bench
