// The product of two square matrices of floats.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "system/buffer.h"
#include "system/team.h"

namespace pappus::bench::gemm {

/// Of side * side elements, row by row.
struct input {
  std::int64_t side;
  buffer<float> a, b;
};
/// \param cells  rounded down to a square number
input make_gemm(std::int64_t cells, std::uint64_t seed, team& workers);

/// The sum of squares.
std::string checksum(std::span<const float> c);

void sequential(const input& from, std::span<float> c);
/// Loops over tiles.
void handwritten(const input& from, std::span<float> c, team& workers);
/// With tiles in registers.
void in_registers(const input& from, std::span<float> c, team& workers);

}  // namespace pappus::bench::gemm
