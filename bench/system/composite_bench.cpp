// pappus: four stacks of a file a day; a sample's cell is known once it is read.
#include "system/composite.h"

#include <utility>

#include "system/cold.h"
#include "system/suite.h"
#include "system/triad.h"

namespace pappus::bench {
namespace {

using composite::cells_a_degree, composite::south, composite::west;
using greenest = reducers::argmax<float, std::int32_t>;  // and on which day

std::vector<composite::greenest> best_of_days(session& s, const composite::scenes& from) {
  const auto cells = from.of.cells_a_side();
  const auto open = [&](composite::field which) {
    return s.open<float, 3>(from.paths(which), {from.of.side, from.of.side});
  };
  const auto red = open(composite::red), infrared = open(composite::infrared),
             latitude = open(composite::latitude), longitude = open(composite::longitude);
  const auto grid = s.filled<greenest, 2>({cells, cells}, {-2, -1});
  s.for_each(
      red.extents(),
      [](idx<3> p, reads<float, 3> red, reads<float, 3> infrared, reads<float, 3> latitude,
         reads<float, 3> longitude, reduces<greenest, 2> grid) {
        const float r = red[p], n = infrared[p];
        if (r + n > 0)
          grid(static_cast<std::int64_t>((latitude[p] - south) * cells_a_degree),
               static_cast<std::int64_t>((longitude[p] - west) * cells_a_degree))
              .accumulate((n - r) / (n + r), static_cast<std::int32_t>(p[0]));
      },
      red, infrared, latitude, longitude, grid);
  std::vector<composite::greenest> result;
  for (const auto& [ndvi, day] : grid.to_vector()) result.push_back({ndvi, day});
  return result;
}

}  // namespace

std::vector<result> run_composite(const stage& on, std::int64_t n) {
  const auto from = composite::make_composite(n, on.asked.seed, on.workers);
  std::vector<composite::greenest> sequential(from.of.cells()), handwritten(from.of.cells()),
      pappus;
  const auto text = [](const std::vector<composite::greenest>& found) {
    return [&found] { return composite::checksum(found); };
  };
  return compare_reading(
      on, "composite", n, min_bytes::composite(composite::days * from.of.of_day()),
      {{"sequential", [&] { composite::sequential(from, sequential); }, text(sequential)},
       {"handwritten", [&] { composite::handwritten(from, handwritten, on.workers); },
        text(handwritten)},
       {"pappus", [&] { pappus = best_of_days(on.engine, from); }, text(pappus)}},
      from.all());
}

}  // namespace pappus::bench
