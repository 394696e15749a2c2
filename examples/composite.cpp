// The greenest picture of ten days: of all samples that a satellite took of a cell of a grid, the
// one where most grows, and its day.
//
//   composite [DAY...]
//
// A DAY is a folder of arrays red, infrared, latitude and longitude (.zarr); without any, makes ten
// of them. Stacked, they are arrays of (day, scan line, sample). Writes composite.npy. Shows stacks
// of files, and reducing at places that depend on data.
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include <pappus/pappus.h>

using pappus::idx;
using pappus::reads;
using pappus::reduces;
using pappus::writes;

constexpr long lines = 320, samples = 200;     // of a day
constexpr long grid_rows = 80, columns = 120;  // of an eighth of a degree, from 40 N and 10 E on

/// How green it was, and on which day; of equal ones the earliest.
using greenest = pappus::reducers::argmax<float, int>;

/// From 0 to 100 and back, smoothly, in n steps.
long wave(long at, long n) {
  const long u = std::abs(at % n * 2 - n);
  return 100 * u * u * (3 * n - 2 * u) / (n * n * n);
}

/// Hills and plains that stay, clouds that move on.
std::string make_day(pappus::session& s, long day) {
  const auto path = "day" + std::to_string(day) + ".zarr";
  std::array<pappus::array<float, 2>, 4> all;
  for (auto& one : all) one = s.unwritten<float, 2>({lines, samples});
  auto& [red, infrared, latitude, longitude] = all;
  s.for_each(
      {lines, samples},
      [day](idx<2> p, writes<float, 2> red, writes<float, 2> infrared, writes<float, 2> latitude,
            writes<float, 2> longitude) {
        const long y = (p[0] + day) % 320, x = (p[1] * 2 + day * 9) % 480;
        const long grows = wave(x + y, 480) + wave(2 * x + 640 - y, 310) + wave(y + x / 3, 97) / 2;
        const long cloud = wave(x + day * 70, 210) + wave(y + x / 2 + day * 30, 130) +
                           wave(2 * x + 3 * y + day * 40, 190) / 2;
        const long haze = (y * 7 + x * 3 + day * 5) % 11;
        red[p] = static_cast<float>(cloud > 150 ? 210 : 110 - grows * 2 / 5 + haze) / 256;
        infrared[p] = static_cast<float>(cloud > 150 ? 205 : 120 + grows / 3 - haze) / 256;
        latitude[p] = 40 + static_cast<float>(y) / 32;
        longitude[p] = 10 + static_cast<float>(x) / 32;
      },
      red, infrared, latitude, longitude);
  std::filesystem::create_directory(path);
  const char* names[] = {"/red", "/infrared", "/latitude", "/longitude"};
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i].write(path + ":" + names[i], {.chunk = {80, samples}, .codec = "none"});
  return path;
}

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  std::vector<std::string> days(argv + 1, argv + argc);
  if (days.empty())
    for (long day = 0; day < 10; ++day) days.push_back(make_day(s, day));

  const auto grid = s.filled<greenest, 2>({grid_rows, columns}, {-2, -1});
  const auto red = s.open<float, 3>(days, "/red"), infrared = s.open<float, 3>(days, "/infrared");
  const auto latitude = s.open<float, 3>(days, "/latitude");
  const auto longitude = s.open<float, 3>(days, "/longitude");
  s.for_each(
      red.extents(),
      [](idx<3> p, reads<float, 3> red, reads<float, 3> infrared, reads<float, 3> latitude,
         reads<float, 3> longitude, reduces<greenest, 2> grid) {
        const float r = red[p], n = infrared[p];
        if (r + n > 0)
          grid(static_cast<long>((latitude[p] - 40) * 8),
               static_cast<long>((longitude[p] - 10) * 8))
              .accumulate((n - r) / (n + r), static_cast<int>(p[0]));
      },
      red, infrared, latitude, longitude, grid);

  grid.write("composite.npy");  // finalised as it is written: records of value and arg
  std::vector<int> best_on(days.size());
  double sum = 0;
  int seen = 0;
  for (const auto& [ndvi, day] : grid.to_vector()) {
    if (day < 0) continue;
    sum += double{ndvi};
    ++seen;
    ++best_on[static_cast<std::size_t>(day)];
  }
  std::cout << std::fixed << std::setprecision(5) << "mean of the best " << sum / seen << "\n";
  for (std::size_t day = 0; day < days.size(); ++day)
    std::cout << best_on[day] << " cells were greenest on day " << day << "\n";
}
