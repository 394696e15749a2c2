// The same queries with strict and with fast floats (docs/guides/compiler.md, "Numbers").
//
// Functions as a user writes them, with <cmath> and plain sums: blackscholes.h and kmeans.h, tuned
// by hand, leave a compiler little to gain. Each is a template of its policy, so that both may be
// in one program: floats_strict.cpp and floats_fast.cpp instantiate them, the latter compiled by
// pappus_enable(target FLOATS fast).
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>
#include <span>
#include <string>

#include "pappus/pappus.h"
#include "system/blackscholes.h"
#include "system/checksum.h"
#include "system/inputs.h"
#include "system/suite.h"

namespace pappus::bench::floats {

inline constexpr int dimensions = 20;
using place = point<dimensions>;

struct strict;
struct fast;

/// Whether the compiler was asked for fast floats and grants them.
bool fast_is_granted();

template <typename Policy>
struct functions {
  /// The normal distribution function.
  static float normal(float d) { return 0.5f * std::erfc(d * -0.70710678f); }

  static prices price(const quote& q) {
    constexpr float rate = blackscholes::rate, volatility = blackscholes::volatility;
    const float spread = volatility * std::sqrt(q.years);
    const float d1 =
        (std::log(q.spot / q.strike) + (rate + 0.5f * volatility * volatility) * q.years) / spread;
    const float n1 = normal(d1), n2 = normal(d1 - spread);
    const float paid = q.strike * std::exp(-rate * q.years);
    return {q.spot * n1 - paid * n2, paid * (1 - n2) - q.spot * (1 - n1)};
  }

  /// The great-circle distance in km (Sinnott, Sky & Telescope 68, 1984).
  static double distance(const trip& t) {
    constexpr double degree = std::numbers::pi / 180, diameter = 2 * 6371.0;
    const double up = std::sin((t.to_latitude - t.from_latitude) * (0.5 * degree));
    const double along = std::sin((t.to_longitude - t.from_longitude) * (0.5 * degree));
    const double h = up * up + std::cos(t.from_latitude * degree) *
                                   std::cos(t.to_latitude * degree) * (along * along);
    return diameter * std::asin(std::sqrt(h < 1 ? h : 1));
  }

  /// The squared distance to the nearest centre, as k-means assigns points.
  static float nearest(const place& p, std::span<const place> centers) {
    float best = std::numeric_limits<float>::infinity();
    for (const auto& center : centers) {
      float sum = 0;
      for (int d = 0; d < dimensions; ++d) {
        const float apart = p.x[d] - center.x[d];
        sum += apart * apart;
      }
      best = sum < best ? sum : best;
    }
    return best;
  }
};

struct query {
  std::function<void()> run;
  std::function<std::string()> checksum;  ///< of the last run
  std::string explained;
};

/// \param ask  ask(): a query or a value to come.
template <typename Ask, typename Checksum>
query query_of(const Ask& ask, const Checksum& checksum) {
  const auto answer = [ask] {
    auto asked = ask();
    if constexpr (requires { asked.get(); })
      return asked.get();
    else
      return asked.collect();
  };
  const auto last = std::make_shared<std::optional<decltype(answer())>>();
  return {[=] {
            last->reset();
            last->emplace(answer());
          },
          [=] { return checksum(last->value()); }, ask().explain()};
}

template <typename Policy>
query price_all(session& s, std::span<const quote> quotes) {
  return query_of([rows = s.borrow(quotes)] { return rows.map(fn<functions<Policy>::price>); },
                  [](const records<prices>& all) { return blackscholes::result{all}.checksum(); });
}

template <typename Policy>
query measure_all(session& s, std::span<const trip> trips) {
  return query_of(
      [rows = s.borrow(trips)] { return rows.map(fn<functions<Policy>::distance>).sum(); },
      [](double sum) { return scientific(sum, 9); });
}

template <typename Policy>
query assign_all(session& s, std::span<const place> points, std::span<const place> centers) {
  return query_of(
      [rows = s.borrow(points), to = s.borrow(centers)] {
        return rows.map(fn<functions<Policy>::nearest>, to.shared()).sum();
      },
      [](double sum) { return scientific(sum, 9); });
}

extern template query price_all<strict>(session&, std::span<const quote>);
extern template query price_all<fast>(session&, std::span<const quote>);
extern template query measure_all<strict>(session&, std::span<const trip>);
extern template query measure_all<fast>(session&, std::span<const trip>);
extern template query assign_all<strict>(session&, std::span<const place>, std::span<const place>);
extern template query assign_all<fast>(session&, std::span<const place>, std::span<const place>);

}  // namespace pappus::bench::floats
