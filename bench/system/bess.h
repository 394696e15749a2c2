// Weighted means over time of what a simulation of the Bess river wrote, step by step.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "system/scratch_file.h"
#include "system/team.h"

namespace pappus::bench::bess {

constexpr std::int64_t parts = 4;  ///< numbers of an element

/// What the file has, and which steps count.
struct layout {
  std::int64_t steps_in_file, elements;
  std::int64_t first, steps;

  std::int64_t columns() const { return elements * parts; }
};

/// \param n  numbers that are read, about
layout layout_of(std::int64_t n);

struct flow {
  layout of;
  input_bytes file;            ///< floats, those of a step together
  std::vector<float> weights;  ///< of the steps that count
};
flow make_bess(std::int64_t n, std::uint64_t seed, team& workers);

/// Sum of the means, and one weighted by place.
std::string checksum(std::span<const float> means);

/// One mean a column.
void sequential(const flow& from, std::span<float> means);
void handwritten(const flow& from, std::span<float> means, team& workers);

}  // namespace pappus::bench::bess
