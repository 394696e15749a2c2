// Functions of blocks of records that devices can't call.
#include <algorithm>
#include <span>
#include <vector>

#include "compiler/thunks.h"

void fill_elsewhere(std::span<const float> in, std::span<float> out);

void use() {
  thunks::batch<float, float>([](std::span<const float> in, std::span<float> out) {
    std::vector<float> sums(in.size() + 1);
    for (std::size_t i = 0; i < in.size(); ++i) sums[i + 1] = sums[i] + in[i];
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = sums[i + 1] - sums[i];
  });
  thunks::batch<float, float>(
      [](std::span<const float> in, std::span<float> out) { fill_elsewhere(in, out); });
  thunks::batch<int, int, int>(
      [](std::span<const int> in, std::span<const int> more, std::span<int> out) {
        const_cast<int&>(in[0]) = more[0];
        std::copy(in.begin(), in.end(), out.begin());
      });
}
