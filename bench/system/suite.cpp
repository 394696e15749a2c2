#include "system/suite.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace pappus::bench {

// One line a benchmark; each is defined in the file of its name.
std::vector<result> run_mapfiltersum(const stage&, std::int64_t n);
std::vector<result> run_scan(const stage&, std::int64_t n);
std::vector<result> run_sort(const stage&, std::int64_t n);
std::vector<result> run_groupby(const stage&, std::int64_t n);
std::vector<result> run_join(const stage&, std::int64_t n);
std::vector<result> run_kmeans(const stage&, std::int64_t n);
std::vector<result> run_pagerank(const stage&, std::int64_t n);
std::vector<result> run_bm25f(const stage&, std::int64_t n);
std::vector<result> run_small(const stage&, std::int64_t n);
std::vector<result> run_outofcore_sort(const stage&, std::int64_t n);
std::vector<result> run_outofcore_terasort(const stage&, std::int64_t n);
std::vector<result> run_outofcore_text(const stage&, std::int64_t n);
std::vector<result> run_outofcore_groupby(const stage&, std::int64_t n);
std::vector<result> run_outofcore_distinct(const stage&, std::int64_t n);
std::vector<result> run_outofcore_join(const stage&, std::int64_t n);
std::vector<result> run_outofcore_sweep(const stage&, std::int64_t n);
std::vector<result> run_blackscholes(const stage&, std::int64_t n);
std::vector<result> run_stencil(const stage&, std::int64_t n);
std::vector<result> run_sweep(const stage&, std::int64_t n);
std::vector<result> run_spmv(const stage&, std::int64_t n);
std::vector<result> run_md5(const stage&, std::int64_t n);
std::vector<result> run_nbody(const stage&, std::int64_t n);
std::vector<result> run_correlator(const stage&, std::int64_t n);
std::vector<result> run_gemm(const stage&, std::int64_t n);
std::vector<result> run_cocluster(const stage&, std::int64_t n);
std::vector<result> run_vmscope_average(const stage&, std::int64_t n);
std::vector<result> run_vmscope_subsample(const stage&, std::int64_t n);
std::vector<result> run_vmscope_blosc(const stage&, std::int64_t n);
std::vector<result> run_vmscope_gzip(const stage&, std::int64_t n);
std::vector<result> run_vmscope_hdf5(const stage&, std::int64_t n);
std::vector<result> run_vmscope_write(const stage&, std::int64_t n);
std::vector<result> run_bess(const stage&, std::int64_t n);
std::vector<result> run_composite(const stage&, std::int64_t n);
std::vector<result> run_anomaly(const stage&, std::int64_t n);
std::vector<result> run_tables_read(const stage&, std::int64_t n);
std::vector<result> run_tables_stream(const stage&, std::int64_t n);
std::vector<result> run_tables_parquet(const stage&, std::int64_t n);
std::vector<result> run_tables_parquet_read(const stage&, std::int64_t n);
std::vector<result> run_tables_mean(const stage&, std::int64_t n);
std::vector<result> run_tables_aggregates(const stage&, std::int64_t n);
std::vector<result> run_tables_routes(const stage&, std::int64_t n);
std::vector<result> run_tables_top(const stage&, std::int64_t n);
std::vector<result> run_tables_first(const stage&, std::int64_t n);
std::vector<result> run_tables_quantiles(const stage&, std::int64_t n);
std::vector<result> run_tables_distinct(const stage&, std::int64_t n);
std::vector<result> run_tables_join(const stage&, std::int64_t n);
std::vector<result> run_tables_months(const stage&, std::int64_t n);
std::vector<result> run_tables_pivot(const stage&, std::int64_t n);
std::vector<result> run_tables_missing(const stage&, std::int64_t n);
std::vector<result> run_tables_words(const stage&, std::int64_t n);
std::vector<result> run_tables_log(const stage&, std::int64_t n);
std::vector<result> run_sum(const stage&, std::int64_t n);
std::vector<result> run_launch(const stage&, std::int64_t n);
std::vector<result> run_launches_call(const stage&, std::int64_t n);
std::vector<result> run_launches_host(const stage&, std::int64_t n);
std::vector<result> run_launches_items(const stage&, std::int64_t n);
std::vector<result> run_first(const stage&, std::int64_t n);
std::vector<result> run_generated_blackscholes(const stage&, std::int64_t n);
std::vector<result> run_generated_nearest(const stage&, std::int64_t n);
std::vector<result> run_generated_collatz(const stage&, std::int64_t n);
std::vector<result> run_generated_haversine(const stage&, std::int64_t n);
std::vector<result> run_generated_orders(const stage&, std::int64_t n);
std::vector<result> run_floats_blackscholes(const stage&, std::int64_t n);
std::vector<result> run_floats_haversine(const stage&, std::int64_t n);
std::vector<result> run_floats_kmeans(const stage&, std::int64_t n);

namespace {

constexpr benchmark in_order[] = {
    {"mapfiltersum", "map, filter, count and sum of ints", 100'000'000, 1.15, 0, run_mapfiltersum},
    {"scan", "inclusive prefix sum of 32-bit ints", 100'000'000, 1.15, 0, run_scan},
    {"sort", "sort of 32-bit ints", 100'000'000, 1.2, 0, run_sort},
    {"groupby", "sum and count by key (--keys, --domain)", 100'000'000, 1.25, 1e-9, run_groupby},
    {"join", "hash join, n probes against n/10 rows", 10'000'000, 1.3, 0, run_join},
    {"kmeans", "5 iterations of Lloyd's k-means (--k, --d)", 1'000'000, 1.2, 1e-4, run_kmeans},
    {"pagerank", "5 iterations by join and group_by, n pages", 500'000, 1.6, 1e-9, run_pagerank},
    {"bm25f", "ranked text search over n documents", 1 << 19, 1.15, 1e-9, run_bm25f},
    {"blackscholes", "prices of n options, two floats each", 10'000'000, 1.15, 1e-4,
     run_blackscholes},
    {"sum", "sum of doubles", 100'000'000, 1.15, 1e-9, run_sum},
    {"stencil", "10 rounds of a stencil over a square of n cells, each waited for", 4096 * 4096,
     1.15, 1e-6, run_stencil},
    {"sweep", "the same rounds before one wait, against all in one pass", 4096 * 4096, 1.4, 1e-6,
     run_sweep},
    {"spmv", "10 products of a sparse matrix of n rows, 32 slots each, with a vector", 1 << 20, 1.2,
     1e-4, run_spmv},
    {"md5", "digests of n messages: all of them, and a given one", 10'000'000, 1.15, 0, run_md5},
    {"nbody", "10 steps of bodies that attract each other, n pairs", 16384 * 16384, 0, 1e-3,
     run_nbody},
    {"correlator", "sums of products of 64 antennas' signals, n samples", 1 << 20, 0, 1e-5,
     run_correlator},
    {"gemm", "product of two matrices of n elements", 2048 * 2048, 1.3, 1e-5, run_gemm},
    {"cocluster", "sums of a matrix of n elements by rows, columns and blocks of clusters",
     16384 * 8192, 1.15, 1e-9, run_cocluster},
    {"vmscope_average", "means of blocks of a picture in a file, n pixels (--cold)", 10000 * 10000,
     1.25, 0, run_vmscope_average},
    {"vmscope_subsample", "a pixel of each of these blocks (--cold)", 10000 * 10000, 1.25, 0,
     run_vmscope_subsample},
    {"vmscope_blosc", "the means of a Zarr array compressed by Blosc (--cold)", 10000 * 10000, 1.1,
     0, run_vmscope_blosc},
    {"vmscope_gzip", "the same by gzip (--cold)", 10000 * 10000, 1.1, 0, run_vmscope_gzip},
    {"vmscope_hdf5", "the same of a chunked HDF5 dataset (--cold)", 10000 * 10000, 1.1, 0,
     run_vmscope_hdf5},
    {"vmscope_write", "n pixels written to a Zarr array (--cold: to the disk)", 10000 * 10000, 1.1,
     0, run_vmscope_write},
    {"bess", "weighted means over time of a file's floats, n of them (--cold)", 30000 * 2113 * 4,
     1.25, 1e-6, run_bess},
    {"composite", "the greenest of n samples of ten days, by cells of a grid (--cold)", 1 << 26,
     1.25, 1e-6, run_composite},
    {"anomaly", "means over time of products of two files' floats, n of each (--cold)",
     1600 * 200 * 400, 1.25, 1e-6, run_anomaly},
    {"tables_read", "a CSV file of n flights, read into memory", 6'000'000, 0, 1e-9,
     run_tables_read},
    {"tables_stream", "mean delays by carrier, straight from the file", 6'000'000, 0, 1e-9,
     run_tables_stream},
    {"tables_parquet", "the same from a Parquet file", 6'000'000, 0, 1e-9, run_tables_parquet},
    {"tables_parquet_read", "such a file, read into memory", 6'000'000, 0, 1e-9,
     run_tables_parquet_read},
    {"tables_mean", "the same of a table in memory", 6'000'000, 0, 1e-9, run_tables_mean},
    {"tables_aggregates", "six aggregates by carrier", 6'000'000, 0, 1e-9, run_tables_aggregates},
    {"tables_routes", "flights by origin and destination", 6'000'000, 0, 1e-9, run_tables_routes},
    {"tables_top", "the ten airports with the most flights", 6'000'000, 0, 1e-9, run_tables_top},
    {"tables_first", "the first hundred flights by carrier and delay", 6'000'000, 0, 1e-9,
     run_tables_first},
    {"tables_quantiles", "median and 0.95 quantile of miles by carrier", 6'000'000, 0, 1e-9,
     run_tables_quantiles},
    {"tables_distinct", "different planes by carrier", 6'000'000, 0, 1e-9, run_tables_distinct},
    {"tables_join", "miles by the name of the airline, a left join", 6'000'000, 0, 1e-9,
     run_tables_join},
    {"tables_months", "mean delays by month", 6'000'000, 0, 1e-9, run_tables_months},
    {"tables_pivot", "flights by weekday and carrier", 6'000'000, 0, 1e-9, run_tables_pivot},
    {"tables_missing", "missing cells of three columns", 6'000'000, 0, 1e-9, run_tables_missing},
    {"tables_words", "the ten most frequent words of a file of n words", 30'000'000, 0, 0,
     run_tables_words},
    {"tables_log", "failed requests by path, of a file of n lines of a log", 3'000'000, 0, 0,
     run_tables_log},
    {"outofcore_sort", "sort of a file's records of 16 bytes, with less and less memory",
     20'000'000, 0, 0, run_outofcore_sort},
    {"outofcore_terasort", "the same of 100 bytes, by keys of 10", 10'000'000, 0, 0,
     run_outofcore_terasort},
    {"outofcore_text", "the same of a CSV file with two columns of text", 4'000'000, 0, 0,
     run_outofcore_text},
    {"outofcore_groupby", "sums of a file's records of 16 bytes, ten a key", 20'000'000, 0, 0,
     run_outofcore_groupby},
    {"outofcore_distinct", "the keys of the same", 20'000'000, 0, 0, run_outofcore_distinct},
    {"outofcore_join", "a file of records of 16 bytes with one of half as many", 20'000'000, 0, 0,
     run_outofcore_join},
    {"outofcore_sweep", "stencil and sweep over arrays larger than memory", 4096 * 4096, 0, 1e-6,
     run_outofcore_sweep},
    {"small", "a warm map and sum of n ints: what starting a query costs", 1000, 0, 0, run_small},
    {"launch", "a warm map and sum of n ints as a stage of a device (--devices)", 1000, 0, 0,
     run_launch},
    {"launches_call", "the caller's time of a for_each over 16 indices, n of them", 100'000, 0, 0,
     run_launches_call},
    {"launches_host", "a for_each over n floats and a look at its results", 1000, 0, 0,
     run_launches_host},
    {"launches_items", "an item of a launch of n items", 1'000'000, 0, 0, run_launches_items},
    {"first", "a map and sum of n ints by functions seen for the first time", 1000, 0, 0,
     run_first},
    {"generated_blackscholes", "device code made of a plain function, and by hand (--devices)",
     10'000'000, 0, 1e-6, run_generated_blackscholes},
    {"generated_nearest", "the same for the nearest of 10 centres in 20 dimensions", 2'000'000, 0,
     0, run_generated_nearest},
    {"generated_collatz", "the same for loops of uneven length", 1'000'000, 0, 0,
     run_generated_collatz},
    {"generated_haversine", "the same for distances on Earth, in doubles", 2'000'000, 0, 1e-9,
     run_generated_haversine},
    {"generated_orders", "the same for a filter by two fields of 32-byte records", 10'000'000, 0, 0,
     run_generated_orders},
    {"floats_blackscholes", "strict and fast floats: prices of n options by <cmath>", 5'000'000, 0,
     1e-4, run_floats_blackscholes},
    {"floats_haversine", "the same for distances on Earth, in doubles", 2'000'000, 0, 1e-9,
     run_floats_haversine},
    {"floats_kmeans", "the same for plain sums over 10 centres in 20 dimensions", 2'000'000, 0,
     1e-4, run_floats_kmeans},
};

}  // namespace

std::span<const benchmark> benchmarks() { return in_order; }

namespace {

std::string device_of(const stage& on, const version& v) {
  if (!v.device.empty()) return v.device;
  return v.name == "pappus" && !on.asked.devices.empty() ? on.asked.devices : "cpu";
}

}  // namespace

double bound_of(const benchmark& what, std::string_view result) {
  static constexpr std::pair<std::string_view, double> variants[] = {
      {"groupby_dense_100", 1.15}, {"groupby_hash_100", 1.2},     {"groupby_dense_1e6", 1.2},
      {"groupby_hash_1e6", 1.3},   {"vmscope_average_cold", 1.1}, {"vmscope_subsample_cold", 1.1},
      {"bess_cold", 1.1},          {"composite_cold", 1.1},       {"anomaly_cold", 1.1}};
  for (const auto& [name, bound] : variants)
    if (name == result) return bound;
  return what.bound;
}

bool agree(std::string_view a, std::string_view b, double tolerance) {
  return agree(a, b, std::span(&tolerance, 1));
}

const result* find(std::span<const result> results, std::string_view version) {
  const auto found = std::ranges::find(results, version, &result::version);
  return found == results.end() ? nullptr : &*found;
}

bool agree(std::string_view a, std::string_view b, std::span<const double> tolerances) {
  while (true) {
    const auto end_a = a.find('/'), end_b = b.find('/');
    const std::string part_a(a.substr(0, end_a)), part_b(b.substr(0, end_b));
    if (part_a != part_b && part_a != "-" && part_b != "-") {
      const bool numbers = part_a.find('.') != part_a.npos && part_b.find('.') != part_b.npos;
      if (!numbers) return false;
      const double x = std::atof(part_a.c_str()), y = std::atof(part_b.c_str());
      if (!(std::abs(x - y) <= tolerances.front() * std::max(std::abs(x), std::abs(y))))
        return false;
    }
    if (tolerances.size() > 1) tolerances = tolerances.subspan(1);
    if ((end_a == a.npos) != (end_b == b.npos)) return false;
    if (end_a == a.npos) return true;
    a.remove_prefix(end_a + 1);
    b.remove_prefix(end_b + 1);
  }
}

std::vector<result> compare(const stage& on, std::string name, std::int64_t n, double min_bytes,
                            std::vector<version> versions, const std::function<void()>& before) {
  if (!on.asked.sequential)
    std::erase_if(versions, [](const version& v) { return v.name == "sequential"; });
  std::vector<std::function<void()>> timed;
  for (const auto& v : versions)
    timed.push_back([&] {
      if (on.check) on.check();
      v.run();
    });
  const auto timings = measure(timed, on.asked.repeat, before);
  std::vector<result> results;
  for (std::size_t i = 0; i < versions.size(); ++i)
    results.push_back({.name = name,
                       .version = versions[i].name,
                       .device = device_of(on, versions[i]),
                       .n = n,
                       .seed = on.asked.seed,
                       .threads = versions[i].name == "sequential" ? 1 : on.workers.threads(),
                       .median_s = timings[i].median_s,
                       .min_s = timings[i].min_s,
                       .checksum = versions[i].checksum(),
                       .floor_s = min_bytes / on.triad});
  return results;
}

}  // namespace pappus::bench
