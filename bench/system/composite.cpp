// The hand-written version has a grid a thread, of numbers that are larger where what they stand
// for is better: a bit pattern of the float above one of the day. A thread reads blocks of a day
// that stay in its second-level cache, finds places and numbers of some hundred samples by vectors,
// and then keeps the largest of each place.
#include "system/composite.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "system/checksum.h"
#include "system/generator.h"

namespace pappus::bench::composite {
namespace {

constexpr std::int64_t size = sizeof(float);
constexpr std::int64_t block = 1 << 14;  // samples that are read at a time
constexpr std::int64_t few = 512;        // that places are found of at a time

using rank = std::uint64_t;  // 0: nothing was seen

rank rank_of(float ndvi, std::uint32_t day) {
  const auto bits = std::bit_cast<std::uint32_t>(ndvi);
  const std::uint32_t ordered = bits ^ ((0U - (bits >> 31)) | 0x80000000U);
  return (rank{ordered} << 32) | rank{~day};
}

greenest seen_in(rank best) {
  if (best == 0) return {};
  const auto ordered = static_cast<std::uint32_t>(best >> 32);
  const std::uint32_t bits = (ordered >> 31) != 0 ? ordered ^ 0x80000000U : ~ordered;
  return {std::bit_cast<float>(bits), static_cast<std::int32_t>(~static_cast<std::uint32_t>(best))};
}

/// Samples of one day.
struct samples {
  std::array<const float*, fields> of;
};

/// \param Count  samples, or `count` where it is 0
template <std::int64_t Count>
void find(const samples& from, std::int64_t count, std::uint32_t day, std::int32_t across,
          std::int32_t* __restrict place, rank* __restrict best) {
  const auto [red, infrared, latitude, longitude] = from.of;
  const auto n = Count != 0 ? Count : count;
  for (std::int64_t i = 0; i < n; ++i) {
    const float sum = infrared[i] + red[i];
    place[i] = static_cast<std::int32_t>((latitude[i] - south) * cells_a_degree) * across +
               static_cast<std::int32_t>((longitude[i] - west) * cells_a_degree);
    const rank found = rank_of((infrared[i] - red[i]) / sum, day);
    best[i] = sum > 0 ? found : 0;
  }
}

void keep_best(samples from, std::int64_t count, std::uint32_t day, std::int32_t across,
               rank* grid) {
  std::array<std::int32_t, few> place;
  std::array<rank, few> best;
  while (count > 0) {
    const auto n = std::min(count, few);
    if (n == few)
      find<few>(from, n, day, across, place.data(), best.data());
    else
      find<0>(from, n, day, across, place.data(), best.data());
    for (std::int64_t i = 0; i < n; ++i) {
      rank& kept = grid[place[static_cast<std::size_t>(i)]];
      kept = std::max(kept, best[static_cast<std::size_t>(i)]);
    }
    for (const float*& one : from.of) one += n;
    count -= n;
  }
}

}  // namespace

layout layout_of(std::int64_t n) {
  return {std::max<std::int64_t>(std::llround(std::sqrt(static_cast<double>(n) / days)), 1)};
}

std::vector<std::string> scenes::paths(field which) const {
  std::vector<std::string> result;
  for (const auto& file : files[which]) result.push_back(file->path());
  return result;
}

std::vector<input_files*> scenes::all() const {
  std::vector<input_files*> result;
  for (const auto& of_field : files)
    for (const auto& file : of_field) result.push_back(file.get());
  return result;
}

scenes make_composite(std::int64_t n, std::uint64_t seed, team& workers) {
  const auto of = layout_of(n);
  scenes result{of, {}};
  for (std::size_t which = 0; which < fields; ++which) {
    const stream numbers(seed, which);
    for (std::int64_t day = 0; day < days; ++day) {
      const auto make = [&](std::int64_t begin, std::span<std::byte> to) {
        auto* const floats = reinterpret_cast<float*>(to.data());
        for (std::int64_t i = 0; i < std::ssize(to) / size; ++i) {
          const auto at = begin / size + i;
          const auto number = static_cast<std::uint64_t>(day * of.of_day() + at);
          double low = 0, high = 0.5;
          if (which == latitude) low = south + static_cast<double>(at / of.side) / 256;
          if (which == longitude) low = west + static_cast<double>(at % of.side) / 256;
          if (which >= latitude) high = low + 1.0 / 256;
          floats[i] = numbers.f32(number, low, high);
        }
      };
      result.files[which].push_back(std::make_unique<input_bytes>(
          scratch_file(".raw"), of.of_day() * size, std::int64_t{1} << 20, workers, make));
    }
  }
  return result;
}

std::string checksum(std::span<const greenest> grid) {
  double sum = 0;
  std::uint64_t by_place = 0;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    if (grid[i].day < 0) continue;
    sum += static_cast<double>(grid[i].ndvi);
    by_place += static_cast<std::uint64_t>(grid[i].day + 1) * (1 + i % 31);
  }
  return fmt::format("{}/{}", scientific(sum, 8), by_place);
}

void sequential(const scenes& from, std::span<greenest> grid) {
  std::ranges::fill(grid, greenest{});
  const auto across = from.of.cells_a_side();
  std::array<std::vector<float>, fields> read;
  for (auto& one : read) one.resize(static_cast<std::size_t>(from.of.side));
  for (std::int64_t day = 0; day < days; ++day)
    for (std::int64_t line = 0; line < from.of.side; ++line) {
      for (std::size_t which = 0; which < fields; ++which)
        from.files[which][static_cast<std::size_t>(day)]->read(
            line * from.of.side * size, std::as_writable_bytes(std::span(read[which])));
      for (std::size_t i = 0; i < read[red].size(); ++i) {
        const float r = read[red][i], n = read[infrared][i];
        const auto row = static_cast<std::int64_t>((read[latitude][i] - south) * cells_a_degree);
        const auto column = static_cast<std::int64_t>((read[longitude][i] - west) * cells_a_degree);
        if (r + n <= 0) continue;
        greenest& best = grid[static_cast<std::size_t>(row * across + column)];
        const float ndvi = (n - r) / (n + r);
        if (ndvi > best.ndvi) best = {ndvi, static_cast<std::int32_t>(day)};
      }
    }
}

void handwritten(const scenes& from, std::span<greenest> grid, team& workers) {
  const auto threads = static_cast<std::size_t>(workers.threads());
  const auto of_day = from.of.of_day(), blocks = (of_day + block - 1) / block;
  const auto ahead = 4 * workers.threads();
  std::vector<rank> best(threads * grid.size());
  std::vector<float> read(threads * fields * block);
  workers.run(days * blocks, [&](std::int64_t item, int worker) {
    const auto w = static_cast<std::size_t>(worker);
    const auto day = item / blocks, begin = item % blocks * block;
    const auto count = std::min(block, of_day - begin);
    samples here{};
    for (std::size_t which = 0; which < fields; ++which) {
      const auto& file = *from.files[which][static_cast<std::size_t>(day)];
      float* const to = read.data() + (w * fields + which) * block;
      file.announce((begin + ahead * block) * size, block * size);
      file.read(begin * size,
                std::as_writable_bytes(std::span(to, static_cast<std::size_t>(count))));
      here.of[which] = to;
    }
    keep_best(here, count, static_cast<std::uint32_t>(day),
              static_cast<std::int32_t>(from.of.cells_a_side()), best.data() + w * grid.size());
  });
  workers.run_pieces(std::ssize(grid), block, [&](std::int64_t begin, std::int64_t end, int) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      rank kept = 0;
      for (std::size_t w = 0; w < threads; ++w) kept = std::max(kept, best[w * grid.size() + i]);
      grid[i] = seen_in(kept);
    }
  });
}

}  // namespace pappus::bench::composite
