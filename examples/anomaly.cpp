// How far a forecast of the climate agrees with what was observed: the correlation of both, over
// time, at each place.
//
//   anomaly [FORECAST OBSERVED]
//
// Both are files of anomalies, floats of (month, latitude, longitude) (.npy, .zarr); without them,
// makes forecast.npy and observed.npy. One launch reads both and has three means of products. Shows
// two files of which each chunk is read once, several reductions of one launch.
#include <cmath>
#include <cstddef>
#include <iomanip>
#include <iostream>
#include <string>

#include <pappus/pappus.h>

using pappus::idx;
using pappus::reads;
using pappus::reduces;
using pappus::writes;
using mean = pappus::reducers::mean<double>;

void make_files(pappus::session& s, const std::string& forecast, const std::string& observed) {
  const auto x = s.unwritten<float, 3>({240, 100, 150}), y = s.unwritten<float, 3>({240, 100, 150});
  s.for_each(
      x.extents(),
      [](idx<3> p, writes<float, 3> x, writes<float, 3> y) {
        const long month = p[0], place = (p[1] * 3 + p[2]) % 13;
        x[p] = static_cast<float>((month * 5 + place) % 12) - 5.5F;
        y[p] = static_cast<float>((month * 5 + place * 2) % 12) - 5.5F +
               static_cast<float>(month % 7 - 3) / 2;
      },
      x, y);
  x.write(forecast);
  y.write(observed);
}

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  const std::string forecast = argc > 2 ? argv[1] : "forecast.npy";
  const std::string observed = argc > 2 ? argv[2] : "observed.npy";
  if (argc < 3) make_files(s, forecast, observed);

  const auto x = s.open<float, 3>(forecast), y = s.open<float, 3>(observed, x.extents());
  const idx<2> places{x.extent(1), x.extent(2)};
  const auto xy = s.filled<mean, 2>(places, {}), xx = s.filled<mean, 2>(places, {}),
             yy = s.filled<mean, 2>(places, {});
  s.for_each(
      x.extents(),
      [](idx<3> p, reads<float, 3> x, reads<float, 3> y, reduces<mean, 2> xy, reduces<mean, 2> xx,
         reduces<mean, 2> yy) {
        const double a = x[p], b = y[p];
        xy(p[1], p[2]).accumulate(a * b);
        xx(p[1], p[2]).accumulate(a * a);
        yy(p[1], p[2]).accumulate(b * b);
      },
      x, y, xy, xx, yy);

  const auto of_xy = xy.to_vector(), of_xx = xx.to_vector(), of_yy = yy.to_vector();
  double sum = 0, highest = -1, lowest = 1;
  for (std::size_t i = 0; i < of_xy.size(); ++i) {
    const double correlation = of_xy[i] / std::sqrt(of_xx[i] * of_yy[i]);
    sum += correlation;
    highest = std::fmax(highest, correlation);
    lowest = std::fmin(lowest, correlation);
  }
  std::cout << std::fixed << std::setprecision(4)  //
            << "mean correlation " << sum / static_cast<double>(of_xy.size()) << "\n"
            << "highest " << highest << "\n"
            << "lowest " << lowest << "\n";
}
