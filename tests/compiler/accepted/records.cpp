// Records: nested, packed, with bases, methods and operators.
#include <array>
#include <cstdint>

#include "compiler/thunks.h"

namespace geo {
struct point {
  float x, y;
  bool operator==(const point&) const = default;
  point operator+(const point& o) const { return {x + o.x, y + o.y}; }
  float dot(const point& o) const { return x * o.x + y * o.y; }
};
struct box {
  point low, high;
  bool operator==(const box&) const = default;
  bool contains(const point& p) const {
    return low.x <= p.x && p.x < high.x && low.y <= p.y && p.y < high.y;
  }
};
}  // namespace geo

struct [[gnu::packed]] wire {
  std::uint8_t kind;
  std::uint32_t size;
  double value;
};

/// Clang reads these as one integer of 80 bits.
struct [[gnu::packed]] flags {
  std::uint8_t kind;
  std::int32_t low : 20;
  std::uint64_t middle : 34;
  std::int32_t high : 12;
  std::uint64_t rest : 7;
};

struct item {
  std::int32_t id;
  std::array<std::int16_t, 3> tags;
  geo::box where;
  bool operator==(const item&) const = default;
};

struct animal {
  virtual int legs() const = 0;
};
struct bird final : animal {
  int legs() const override { return 2; }
};
struct insect final : animal {
  int legs() const override { return 6; }
};

template <typename T, int N>
struct polynomial {
  T c[N];
  T operator()(T x) const {
    T sum = c[N - 1];
    for (int i = N - 2; i >= 0; --i) sum = sum * x + c[i];
    return sum;
  }
};

struct mean {
  double sum = 0;
  std::int64_t count = 0;
  void accumulate(float x) { sum += x, ++count; }
};

struct largest {
  geo::point best{};
  float score = -1;
  void accumulate(const geo::point& p) {
    if (const float s = p.dot(p); s > score) best = p, score = s;
  }
};

inline float helper(const geo::point& p) { return p.dot(p) + 1; }

void kernels(geo::box area, geo::point offset) {
  using geo::point;
  using thunks::element;

  // TEXT: no double, no array, no branch
  element<float, point>([](const point& p) { return helper(p); });

  // TEXT: no double, no array, no branch
  element<point, point>([offset](point p) { return p + offset; });

  // TEXT: no loop, no double, no array
  element<bool, item>([area](const item& i) { return area.contains(i.where.low); });

  // What isn't changed goes from the argument to the result.
  // TEXT: no floats, no array, no branch
  element<item, item>([](item i) {
    i.tags[1] += 3;
    return i;
  });

  // TEXT: no double, no array, no branch
  element<item, item>([offset](item i) {
    item moved = i;
    moved.where.low = moved.where.high;
    moved.where.high = offset;
    const item last = moved;
    i = last;
    return i;
  });

  // TEXT: no loop, no array
  element<double, wire>([](const wire& w) { return w.kind == 3 ? w.value : w.size; });

  // TEXT: no floats, no array, no branch
  element<wire, int>([](int x) { return wire{1, static_cast<std::uint32_t>(x), 0.5}; });

  // TEXT: no floats, no array, no branch
  element<std::int64_t, flags>([](const flags& f) {
    return f.low + static_cast<std::int64_t>(f.middle) + f.high + static_cast<int>(f.rest);
  });

  // TEXT: no floats, no array, no branch
  element<int, bool>([](bool flies) {
    const bird b;
    const insect i;
    return b.legs() + (flies ? i.legs() : 0);
  });

  // TEXT polynomial<double, 4>: one loop, no array
  element<double, double>(polynomial<double, 4>{{1, 2, 3, 4}});

  // TEXT: no loop, no double, no array
  element<float, point, const point*>(
      [](const point& a, const point* match) { return match == nullptr ? 0 : a.dot(*match); });

  // TEXT mean: no array, no branch
  thunks::reducer<mean, float>();
  // TEXT largest: no loop, no double, no array
  thunks::reducer<largest, point>();
}
