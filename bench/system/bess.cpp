// The hand-written version reads a few steps, which stay in the second-level cache, and adds them
// up column by column, so that a sum is loaded and stored once for all of them.
#include "system/bess.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "system/checksum.h"
#include "system/generator.h"

namespace pappus::bench::bess {
namespace {

constexpr std::int64_t at_once = 8;   // steps
constexpr std::int64_t in_turn = 32;  // steps that a thread takes

void read_steps(const flow& from, std::int64_t step, std::span<float> to) {
  const auto bytes = from.of.columns() * static_cast<std::int64_t>(sizeof(float));
  from.file.read((from.of.first + step) * bytes, std::as_writable_bytes(to));
}

void announce_steps(const flow& from, std::int64_t step, std::int64_t end) {
  const auto bytes = from.of.columns() * static_cast<std::int64_t>(sizeof(float));
  end = std::min(end, from.of.steps);
  if (step < end) from.file.announce((from.of.first + step) * bytes, (end - step) * bytes);
}

/// \param values  of `Steps` steps
template <std::int64_t Steps>
void add_steps(const float* values, const float* weights, std::int64_t columns,
               double* __restrict sums) {
  double weight[Steps];
  for (std::int64_t step = 0; step < Steps; ++step) weight[step] = weights[step];
  for (std::int64_t e = 0; e < columns; ++e) {
    double sum = sums[e];
    for (std::int64_t step = 0; step < Steps; ++step)
      sum += weight[step] * static_cast<double>(values[step * columns + e]);
    sums[e] = sum;
  }
}

double sum_of(std::span<const float> weights) {
  double sum = 0;
  for (const float weight : weights) sum += static_cast<double>(weight);
  return sum;
}

}  // namespace

layout layout_of(std::int64_t n) {
  constexpr double most = 30'000.0 * 2113 * parts;
  const double scale = std::sqrt(static_cast<double>(n) / most);
  const auto part = [&](double of) { return std::max<std::int64_t>(std::llround(of * scale), 1); };
  const auto steps = part(30'000);
  return {steps * 8 / 5, part(2113), steps / 5, steps};
}

flow make_bess(std::int64_t n, std::uint64_t seed, team& workers) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(float));
  const auto of = layout_of(n);
  const stream values(seed, 0), numbers(seed, 1);
  std::vector<float> weights;
  for (std::int64_t step = 0; step < of.steps; ++step)
    weights.push_back(numbers.f32(static_cast<std::uint64_t>(step), 0.5, 1.5));
  const auto make = [&](std::int64_t begin, std::span<std::byte> to) {
    auto* const floats = reinterpret_cast<float*>(to.data());
    for (std::int64_t i = 0; i < std::ssize(to) / size; ++i)
      floats[i] = values.f32(static_cast<std::uint64_t>(begin / size + i), 0, 16);
  };
  return {of,
          {scratch_file(".raw"), of.steps_in_file * of.columns() * size, std::int64_t{1} << 20,
           workers, make},
          std::move(weights)};
}

std::string checksum(std::span<const float> means) {
  double sum = 0, weighted = 0;
  for (std::size_t i = 0; i < means.size(); ++i) {
    sum += static_cast<double>(means[i]);
    weighted += static_cast<double>(means[i]) * static_cast<double>(1 + i % 31);
  }
  return fmt::format("{}/{}", scientific(sum, 8), scientific(weighted, 8));
}

void sequential(const flow& from, std::span<float> means) {
  std::vector<double> sums(means.size());
  std::vector<float> values(means.size());
  for (std::int64_t step = 0; step < from.of.steps; ++step) {
    read_steps(from, step, values);
    const auto weight = static_cast<double>(from.weights[static_cast<std::size_t>(step)]);
    for (std::size_t e = 0; e < sums.size(); ++e)
      sums[e] += weight * static_cast<double>(values[e]);
  }
  const double all = sum_of(from.weights);
  std::ranges::transform(sums, means.begin(),
                         [&](double sum) { return static_cast<float>(sum / all); });
}

void handwritten(const flow& from, std::span<float> means, team& workers) {
  const auto columns = means.size();
  const auto threads = static_cast<std::size_t>(workers.threads());
  const std::int64_t ahead = 2 * in_turn * workers.threads();
  std::vector<double> sums(threads * columns);
  std::vector<float> values(threads * columns * at_once);
  workers.run_pieces(from.of.steps, in_turn, [&](std::int64_t begin, std::int64_t end, int worker) {
    const auto w = static_cast<std::size_t>(worker);
    double* const to = sums.data() + w * columns;
    const std::span here(values.data() + w * columns * at_once, columns * at_once);
    const auto width = static_cast<std::int64_t>(columns);
    announce_steps(from, begin + ahead, end + ahead);
    auto step = begin;
    for (; step + at_once <= end; step += at_once) {
      read_steps(from, step, here);
      add_steps<at_once>(here.data(), from.weights.data() + step, width, to);
    }
    for (; step < end; ++step) {
      read_steps(from, step, here.first(columns));
      add_steps<1>(here.data(), from.weights.data() + step, width, to);
    }
  });
  const double all = sum_of(from.weights);
  for (std::size_t e = 0; e < columns; ++e) {
    double sum = 0;
    for (std::size_t w = 0; w < threads; ++w) sum += sums[w * columns + e];
    means[e] = static_cast<float>(sum / all);
  }
}

}  // namespace pappus::bench::bess
