// Sum of doubles: reading memory once.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "system/team.h"

namespace pappus::bench::sum {

/// 10 significant digits.
std::string checksum(double total);

double sequential(std::span<const double> numbers);
double handwritten(std::span<const double> numbers, team& workers);

}  // namespace pappus::bench::sum
