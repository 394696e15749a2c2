// Prices of European options by Black and Scholes' formula (1973): arithmetic on a stream.
//
// Nearly all time goes into three exponentials and a logarithm an option. price() computes them by
// polynomials, so that compilers vectorise loops over it; all versions but the sequential one use
// it, on the CPU this one and on devices device/blackscholes.cl. It is always inlined, for clang
// calls functions of this size, and a loop over calls has no vectors.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>

#include "system/inputs.h"
#include "system/team.h"

namespace pappus::bench {

struct prices {
  float call, put;
};

namespace blackscholes {

inline constexpr float rate = 0.02f, volatility = 0.30f;

/// e^x for -87 <= x <= 0 (Moshier's Cephes library).
[[gnu::always_inline]] inline float exp_of(float x) {
  const auto n = static_cast<std::int32_t>(x * 1.44269504f - 0.5f);
  const float whole = static_cast<float>(n);
  const float r = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  return (p * r * r + r + 1.0f) * std::bit_cast<float>((n + 127) << 23);
}

/// For normal x > 0 (Cephes).
[[gnu::always_inline]] inline float log_of(float x) {
  const auto bits = std::bit_cast<std::int32_t>(x);
  const std::int32_t exponent = (bits - 0x3F3504F3) >> 23;
  const float r = std::bit_cast<float>(bits - (exponent << 23)) - 1.0f;
  const float e = static_cast<float>(exponent);
  float p = 7.0376836292e-2f;
  p = p * r - 1.1514610310e-1f;
  p = p * r + 1.1676998740e-1f;
  p = p * r - 1.2420140846e-1f;
  p = p * r + 1.4249322787e-1f;
  p = p * r - 1.6668057665e-1f;
  p = p * r + 2.0000714765e-1f;
  p = p * r - 2.4999993993e-1f;
  p = p * r + 3.3333331174e-1f;
  p = p * r * r * r - 2.12194440e-4f * e - 0.5f * r * r;
  return r + p + 0.693359375f * e;
}

/// The normal distribution function (Abramowitz and Stegun 26.2.17).
[[gnu::always_inline]] inline float normal_of(float d) {
  const float size = std::abs(d);
  const float k = 1.0f / (1.0f + 0.2316419f * size);
  float p = 1.330274429f;
  p = p * k - 1.821255978f;
  p = p * k + 1.781477937f;
  p = p * k - 0.356563782f;
  p = p * k + 0.31938153f;
  const float square = 0.5f * size * size;
  const float tail = 0.39894228f * exp_of(square > 87.0f ? -87.0f : -square) * p * k;
  return d < 0 ? tail : 1.0f - tail;
}

[[gnu::always_inline]] inline prices price(const quote& q) {
  const float spread = volatility * std::sqrt(q.years);
  const float d1 =
      (log_of(q.spot / q.strike) + (rate + 0.5f * volatility * volatility) * q.years) / spread;
  const float n1 = normal_of(d1), n2 = normal_of(d1 - spread);
  const float paid = q.strike * exp_of(-rate * q.years);
  return {q.spot * n1 - paid * n2, paid * (1.0f - n2) - q.spot * (1.0f - n1)};
}

struct result {
  std::span<const prices> values;
  /// `sum of calls / sum of puts`
  std::string checksum() const;
};

/// \param out  as long as `quotes`; receives the result.
result sequential(std::span<const quote> quotes, std::span<prices> out);
result handwritten(std::span<const quote> quotes, std::span<prices> out, team& workers);

}  // namespace blackscholes
}  // namespace pappus::bench
