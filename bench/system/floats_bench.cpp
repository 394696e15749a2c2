// What strict floats cost: the queries of floats.h in both policies, on the CPU and on a device.
//
// On a device the rows stay there once two queries have read them, as in generated_bench.cpp.
#include "system/explained.h"
#include "system/floats.h"
#include "system/generator.h"
#include "system/kmeans.h"
#include "system/suite.h"

namespace pappus::bench {
namespace {

/// \param make_strict  make(session): the query; make_fast likewise.
template <typename Strict, typename Fast>
std::vector<result> compare_policies(const stage& on, const std::string& name, std::int64_t n,
                                     double min_bytes, const Strict& make_strict,
                                     const Fast& make_fast) {
  session host(options{.threads = on.engine.threads(), .devices = "cpu", .progress = 0});
  std::vector<version> versions;
  std::vector<result> skipped;
  const auto add = [&](const char* version_name, const std::string& device, session& s,
                       const auto& make, bool granted) {
    const bool on_cpu = device == "cpu";
    std::string why_not;
    floats::query asked;
    if (!granted)
      why_not = "fast floats need clang and the compiler plugin";
    else if (device.empty())
      why_not = "no device was named, such as by --devices opencl:0";
    else
      asked = make(s);
    if (asked.run && !on_cpu) why_not = why_on_cpu(asked.explained);
    if (why_not.empty())
      versions.push_back({version_name, asked.run, asked.checksum, device});
    else
      skipped.push_back({.name = name,
                         .version = version_name,
                         .device = device,
                         .checksum = {},
                         .skipped = why_not});
  };
  const bool granted = floats::fast_is_granted();
  add("strict", "cpu", host, make_strict, true);
  add("fast", "cpu", host, make_fast, granted);
  add("device_strict", on.asked.devices, on.engine, make_strict, true);
  add("device_fast", on.asked.devices, on.engine, make_fast, granted);
  auto results = compare(on, name, n, min_bytes, std::move(versions));
  results.insert(results.end(), skipped.begin(), skipped.end());
  return results;
}

}  // namespace

std::vector<result> run_floats_blackscholes(const stage& on, std::int64_t n) {
  const auto quotes = make_blackscholes(n, on.asked.seed, on.workers);
  return compare_policies(
      on, "floats_blackscholes", n, static_cast<double>(n * (sizeof(quote) + sizeof(prices))),
      [&](session& s) { return floats::price_all<floats::strict>(s, quotes.all()); },
      [&](session& s) { return floats::price_all<floats::fast>(s, quotes.all()); });
}

std::vector<result> run_floats_haversine(const stage& on, std::int64_t n) {
  const auto trips = make_haversine(n, on.asked.seed, on.workers);
  return compare_policies(
      on, "floats_haversine", n, static_cast<double>(n * sizeof(trip)),
      [&](session& s) { return floats::measure_all<floats::strict>(s, trips.all()); },
      [&](session& s) { return floats::measure_all<floats::fast>(s, trips.all()); });
}

std::vector<result> run_floats_kmeans(const stage& on, std::int64_t n) {
  constexpr std::size_t clusters = 10;
  const auto points = make_kmeans<floats::dimensions>(n, on.asked.seed, on.workers);
  const auto centers = points.all().first(std::min(clusters, points.all().size()));
  return compare_policies(
      on, "floats_kmeans", n, static_cast<double>(n * sizeof(floats::place)),
      [&](session& s) { return floats::assign_all<floats::strict>(s, points.all(), centers); },
      [&](session& s) { return floats::assign_all<floats::fast>(s, points.all(), centers); });
}

}  // namespace pappus::bench
