// Heat that spreads over a plate: a stencil over a two-dimensional array.
//
//   heat [SIDE] [ROUNDS] [PICTURE.svg]
//
// Each round every place moves towards the mean of its neighbours. Nothing is waited for between
// rounds, so they are planned together: on a plate that doesn't fit the cache they pass over it in
// one sweep (`pappus explain heat 4096` tells). Shows for_each, views, host.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <utility>

#include <pappus/pappus.h>

using pappus::idx;
using pappus::reads;
using pappus::writes;

/// A coloured square for each place of a coarse grid.
void draw(const pappus::array<float, 2>& plate, const char* path) {
  const auto degrees = plate.host();
  const long side = degrees.extent(0), squares = std::min(side, 64L);
  std::ofstream svg(path);
  svg << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << squares << " " << squares
      << "\" shape-rendering=\"crispEdges\">\n";
  for (long y = 0; y < squares; ++y)
    for (long x = 0; x < squares; ++x) {
      const float heat = degrees(y * side / squares, x * side / squares) / 100;
      svg << "<rect x=\"" << x << "\" y=\"" << y << "\" width=\"1\" height=\"1\" fill=\"hsl("
          << static_cast<int>(240 * (1 - heat)) << ",90%,50%)\"/>\n";
    }
  svg << "</svg>\n";
}

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  const long side = argc > 1 ? std::atol(argv[1]) : 64;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 100;

  auto now = s.zeros<float, 2>({side, side}), next = s.zeros<float, 2>({side, side});
  now[{{0, 0}, {side / 2, side / 4}}].fill(100);  // degrees

  for (int round = 0; round < rounds; ++round) {
    s.for_each(
        {side, side},
        [side](idx<2> p, reads<float, 2> now, writes<float, 2> next) {
          const auto i = p[0], j = p[1];
          const float here = now[p];
          const float up = i > 0 ? now(i - 1, j) : here;
          const float down = i + 1 < side ? now(i + 1, j) : here;
          const float left = j > 0 ? now(i, j - 1) : here;
          const float right = j + 1 < side ? now(i, j + 1) : here;
          next[p] = here + 0.2F * (up + down + left + right - 4 * here);
        },
        now, next);
    std::swap(now, next);
  }

  std::cout << std::fixed << std::setprecision(3)  //
            << "mean " << now.rows().mean() << "\n"
            << "highest " << now.rows().max() << "\n"
            << "in the middle " << now.host()(side / 2, side / 2) << "\n";
  if (argc > 3) draw(now, argv[3]);
}
