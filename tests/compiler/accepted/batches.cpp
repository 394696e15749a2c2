// Functions of blocks of records, as devices call them: with a block of one.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>

#include "compiler/thunks.h"

struct point {
  float x, y;
};
struct nearest {
  float distance;
  int center;
};

void use() {
  float scale = 2;
  // Loops over a block of one are gone.
  thunks::batch<double, double>([](std::span<const double> in, std::span<double> out) {
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = std::sqrt(in[i]);
  });
  // What is for whole vectors of records, too.
  thunks::batch<float, float>([scale](std::span<const float> in, std::span<float> out) {
    std::size_t i = 0;
    for (; i + 8 <= in.size(); i += 8)
      for (std::size_t j = i; j < i + 8; ++j) out[j] = in[j] * scale;
    for (; i < in.size(); ++i) out[i] = in[i] * scale;
  });
  // Blocks of blocks, with arrays of their own and shared data.
  thunks::batch<nearest, point, point>(
      [](std::span<const point> points, std::span<const point> centers, std::span<nearest> out) {
        constexpr std::size_t most = 64;
        std::array<float, most> least;
        std::array<int, most> index;
        for (std::size_t begin = 0; begin < points.size(); begin += most) {
          const auto block = points.subspan(begin, std::min(most, points.size() - begin));
          std::fill_n(least.begin(), block.size(), std::numeric_limits<float>::infinity());
          std::fill_n(index.begin(), block.size(), -1);
          for (std::size_t c = 0; c < centers.size(); ++c)
            for (std::size_t i = 0; i < block.size(); ++i) {
              const float x = block[i].x - centers[c].x, y = block[i].y - centers[c].y;
              const float distance = x * x + y * y;
              if (distance >= least[i]) continue;
              least[i] = distance;
              index[i] = static_cast<int>(c);
            }
          for (std::size_t i = 0; i < block.size(); ++i) out[begin + i] = {least[i], index[i]};
        }
      });
  // Outputs are read after they were written, and checks may fail.
  thunks::batch<int, int>([](std::span<const int> in, std::span<int> out) {
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = in[i] / 3;
    for (std::size_t i = 0; i < out.size(); ++i)
      if (out[i] > 1000) throw std::out_of_range("too large");
  });
}
