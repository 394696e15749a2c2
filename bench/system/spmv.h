// A sparse matrix times a vector, ten times over. ELLPACK: every row has 32 slots, and slot k of
// all rows lies together.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "system/buffer.h"
#include "system/team.h"

namespace pappus::bench::spmv {

constexpr std::int64_t slots = 32;
constexpr int products = 10;

/// The matrix, and x, which a run reads and writes; `y` is room for as many numbers.
struct input {
  buffer<float> values;
  buffer<std::int32_t> columns;
  buffer<float> x, y;
};
input make_spmv(std::int64_t rows, std::uint64_t seed, team& workers);
/// The x to start with.
void reset(std::span<float> x, std::uint64_t seed, team& workers);

/// `sum / sum of x * (1 + place modulo 53)`
std::string checksum(std::span<const float> x);

void sequential(input& of);
void handwritten(input& of, team& workers);

}  // namespace pappus::bench::spmv
