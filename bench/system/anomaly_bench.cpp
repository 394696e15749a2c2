// pappus: both files in one launch, which has three reductions.
#include "system/anomaly.h"

#include <utility>

#include "system/cold.h"
#include "system/suite.h"
#include "system/triad.h"

namespace pappus::bench {
namespace {

using mean_of_doubles = reducers::mean<double>;

anomaly::means means_of_products(session& s, const anomaly::fields& from) {
  const auto& [steps, rows, columns] = from.of;
  const idx<3> all{steps, rows, columns};
  const auto x = s.open<float, 3>(from.forecast.path(), all);
  const auto y = s.open<float, 3>(from.observed.path(), all);
  const auto made = [&] { return s.filled<mean_of_doubles, 2>({rows, columns}, {}); };
  const auto xy = made(), xx = made(), yy = made();
  s.for_each(
      all,
      [](idx<3> p, reads<float, 3> x, reads<float, 3> y, reduces<mean_of_doubles, 2> xy,
         reduces<mean_of_doubles, 2> xx, reduces<mean_of_doubles, 2> yy) {
        const auto a = static_cast<double>(x[p]), b = static_cast<double>(y[p]);
        xy(p[1], p[2]).accumulate(a * b);
        xx(p[1], p[2]).accumulate(a * a);
        yy(p[1], p[2]).accumulate(b * b);
      },
      x, y, xy, xx, yy);
  anomaly::means result;
  result.xy = xy.to_vector(), result.xx = xx.to_vector(), result.yy = yy.to_vector();
  return result;
}

}  // namespace

std::vector<result> run_anomaly(const stage& on, std::int64_t n) {
  auto from = anomaly::make_anomaly(n, on.asked.seed, on.workers);
  anomaly::means sequential(from.of.places()), handwritten(from.of.places()), pappus;
  const auto text = [](const anomaly::means& found) {
    return [&found] { return anomaly::checksum(found); };
  };
  return compare_reading(
      on, "anomaly", n, min_bytes::anomaly(from.of.steps * from.of.places()),
      {{"sequential", [&] { anomaly::sequential(from, sequential); }, text(sequential)},
       {"handwritten", [&] { anomaly::handwritten(from, handwritten, on.workers); },
        text(handwritten)},
       {"pappus", [&] { pappus = means_of_products(on.engine, from); }, text(pappus)}},
      {&from.forecast, &from.observed});
}

}  // namespace pappus::bench
