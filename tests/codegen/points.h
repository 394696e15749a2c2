// A record that has a twin in device code.
#pragma once

#include <cstdint>

namespace pappus {

struct point {
  float x, y;
  std::int64_t id;
  friend bool operator==(const point&, const point&) = default;
};

}  // namespace pappus
