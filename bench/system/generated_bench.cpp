// Device code that the compiler plugin makes of plain C++ functions, against device code written by
// hand for the same stage: five functions, each with the arithmetic of its text in device/ step by
// step, so that their results are the same and only the code differs.
//
// All versions of a stage run one query over the same rows, which stay on the device once two
// queries have read them. Kernels thus take most of the time, but for results that come back to the
// host: of blackscholes a record for each row, of nearest a number, of the others one sum.
//
// Not here: whether the arithmetic is the best there is. The other benchmarks compare that.
#include <cmath>
#include <numbers>
#include <optional>

#include "pappus/device_code.h"
#include "system/blackscholes.h"
#include "system/checksum.h"
#include "system/device_texts.h"
#include "system/explained.h"
#include "system/generator.h"
#include "system/inputs.h"
#include "system/kmeans.h"
#include "system/kmeans_opencl.h"
#include "system/suite.h"

namespace pappus::bench {
namespace {

constexpr int dimensions = 20, clusters = 10;
using place = point<dimensions>;
using placed_at = assigned<dimensions>;

/// Sums in four lanes, as device/kmeans.cl does.
placed_at nearest(const place& p, std::span<const place> centers) {
  const auto k = static_cast<std::int32_t>(centers.size());
  float best = std::numeric_limits<float>::infinity();
  std::int32_t index = 0;
  for (std::int32_t c = 0; c < k; ++c) {
    const auto& at = centers[c].x;
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (int d = 0; d < dimensions; d += 4) {
      const float a0 = p.x[d] - at[d], a1 = p.x[d + 1] - at[d + 1];
      const float a2 = p.x[d + 2] - at[d + 2], a3 = p.x[d + 3] - at[d + 3];
      s0 = std::fma(a0, a0, s0);
      s1 = std::fma(a1, a1, s1);
      s2 = std::fma(a2, a2, s2);
      s3 = std::fma(a3, a3, s3);
    }
    const float distance = (s0 + s1) + (s2 + s3);
    if (distance < best) {
      best = distance;
      index = c;
    }
  }
  return {p, best, index};
}

/// How many steps of x/2 or 3x+1 lead to 1.
std::int32_t collatz(std::int32_t start) {
  std::int32_t steps = 0;
  for (auto x = static_cast<std::uint64_t>(start); x != 1; ++steps)
    x = x % 2 == 0 ? x / 2 : 3 * x + 1;
  return steps;
}

/// The great-circle distance in km (Sinnott, Sky & Telescope 68, 1984).
double haversine(const trip& t) {
  constexpr double degree = std::numbers::pi / 180, diameter = 2 * 6371.0;
  const double up = std::sin((t.to_latitude - t.from_latitude) * (0.5 * degree));
  const double along = std::sin((t.to_longitude - t.from_longitude) * (0.5 * degree));
  const double h = up * up + std::cos(t.from_latitude * degree) * std::cos(t.to_latitude * degree) *
                                 (along * along);
  return diameter * std::asin(std::sqrt(h < 1 ? h : 1));
}

/// Small orders of the third year.
bool wanted(const order& o) { return o.day >= 730 && o.day < 1095 && o.quantity < 24; }

/// The versions of one stage.
/// \param query     query(session, rows, function): a query or a value to come.
/// \param checksum  of its result.
template <typename T, typename Plain, typename Query, typename Checksum>
std::vector<result> compare_code(const stage& on, const std::string& name, const buffer<T>& input,
                                 const Plain& plain, device_code code, const Query& query,
                                 const Checksum& checksum) {
  session host(options{.threads = on.engine.threads(), .devices = "cpu", .progress = 0});
  const auto coded = with_device_code(plain, std::move(code));
  const auto rows_on_host = host.borrow(input.all()), rows = on.engine.borrow(input.all());
  const auto answer = [](const auto& asked) {
    if constexpr (requires { asked.get(); })
      return asked.get();
    else
      return asked.collect();
  };
  const auto version_of = [&](const char* version_name, session& s, const auto& from,
                              const auto& function, const std::string& device) {
    using type = decltype(answer(query(s, from, function)));
    const auto last = std::make_shared<std::optional<type>>();
    return version{version_name,
                   [&, last] {
                     last->reset();
                     last->emplace(answer(query(s, from, function)));
                   },
                   [&, last] { return checksum(last->value()); }, device};
  };
  const auto full_name = "generated_" + name;
  std::vector<version> versions{version_of("cpu", host, rows_on_host, plain, "cpu")};
  std::vector<result> skipped;
  const auto add = [&](const char* version_name, const auto& function) {
    const auto why_not = on.asked.devices.empty()
                             ? "no device was named, such as by --devices opencl:0"
                             : why_on_cpu(query(on.engine, rows, function).explain());
    if (why_not.empty())
      versions.push_back(version_of(version_name, on.engine, rows, function, on.asked.devices));
    else
      skipped.push_back({.name = full_name,
                         .version = version_name,
                         .device = on.asked.devices,
                         .checksum = {},
                         .skipped = why_not});
  };
  add("generated", plain);
  add("handwritten", coded);
  auto results =
      compare(on, full_name, input.size(), static_cast<double>(input.all().size_bytes()), versions);
  results.insert(results.end(), skipped.begin(), skipped.end());
  return results;
}

device_code code_of(const char* function, const std::string& text) {
  return device_text(function, text);
}

}  // namespace

std::vector<result> run_generated_blackscholes(const stage& on, std::int64_t n) {
  return compare_code(
      on, "blackscholes", make_blackscholes(n, on.asked.seed, on.workers), fn<blackscholes::price>,
      code_of("price", std::string(text_file("device/blackscholes.cl"))),
      [](session&, const auto& quotes, const auto& price) { return quotes.map(price); },
      [](const records<prices>& all) { return blackscholes::result{all}.checksum(); });
}

std::vector<result> run_generated_nearest(const stage& on, std::int64_t n) {
  const auto points = make_kmeans<dimensions>(n, on.asked.seed, on.workers);
  const auto centers =
      points.all().first(std::min(static_cast<std::size_t>(clusters), points.all().size()));
  return compare_code(
      on, "nearest", points, fn<nearest>,
      code_of("assign", kmeans::text_for("device/kmeans.cl", dimensions)),
      [&](session& s, const auto& from, const auto& assign) {
        return from.map(assign, s.borrow(centers).shared()).map(&placed_at::cluster);
      },
      [](const records<std::int32_t>& all) {
        std::uint64_t hash = 0;
        for (std::size_t i = 0; i < all.size(); ++i)
          hash += position_hash(static_cast<std::uint32_t>(all[i]), i);
        return hex_digits(hash);
      });
}

std::vector<result> run_generated_collatz(const stage& on, std::int64_t n) {
  return compare_code(
      on, "collatz", make_mapfiltersum(n, on.workers), fn<collatz>,
      code_of("collatz", std::string(text_file("device/collatz.cl"))),
      [](session&, const auto& numbers, const auto& steps) { return numbers.map(steps).sum(); },
      [](std::int64_t sum) { return std::to_string(sum); });
}

std::vector<result> run_generated_haversine(const stage& on, std::int64_t n) {
  return compare_code(
      on, "haversine", make_haversine(n, on.asked.seed, on.workers), fn<haversine>,
      code_of("haversine", std::string(text_file("device/haversine.cl"))),
      [](session&, const auto& trips, const auto& distance) { return trips.map(distance).sum(); },
      [](double sum) { return scientific(sum, 9); });
}

std::vector<result> run_generated_orders(const stage& on, std::int64_t n) {
  return compare_code(
      on, "orders", make_orders(n, on.asked.seed, on.workers), fn<wanted>,
      code_of("wanted", std::string(text_file("device/orders.cl"))),
      [](session&, const auto& orders, const auto& keep) {
        return orders.filter(keep).map(&order::cents).sum();
      },
      [](std::int64_t sum) { return std::to_string(sum); });
}

}  // namespace pappus::bench
