// What the text calls values of functions that were compiled with -g.
// FLAGS: -g
#include <span>

#include "compiler/thunks.h"

struct point {
  float x, y;
};
struct trade {
  long day;
  double price;
  float discount;
  point at;
};

struct [[gnu::packed]] header {
  char kind;
  int size;
  short version;
  bool last;
};
enum class side : unsigned char { buy, sell };
struct numbered {
  unsigned number;
  bool operator==(const numbered&) const = default;
};
/// With what no name reaches, and words of languages for what one does.
struct order : numbered {
  unsigned open : 1, closed : 3;
  union {
    float price;
    int ticks;
  };
  side which;
  unsigned short half[2][3];
  double* global;
  header uchar;
  bool operator==(const order& o) const {
    return number == o.number && closed == o.closed && ticks == o.ticks &&
           half[1][2] == o.half[1][2];
  }
};

inline float squared(float length) {
  const float product = length * length;
  return product;
}

void kernels(double rate) {
  using thunks::element;

  // Those that are expressions have none.
  element<double, trade>([rate](const trade& t) { return t.price * rate * (1 - t.discount); });

  // Loops, variables that values of several turns have, shared data.
  thunks::with_side<int, point, point>([](const point& p, std::span<const point> centres) {
    int best = -1;
    float least = 1e30f;
    for (int i = 0; i < static_cast<int>(centres.size()); ++i) {
      const float dx = p.x - centres[i].x, dy = p.y - centres[i].y;
      const float distance = squared(dx) + squared(dy);
      if (distance < least) {
        least = distance;
        best = i;
      }
    }
    return best;
  });

  // Names of languages, of ends that the text appends, and one that two variables have.
  element<int, int>([](int kernel) {
    int kernel_next = 1, half = kernel;
    for (int i = 0; i < kernel; ++i) {
      const int kernel = half + i;
      half = kernel_next;
      kernel_next = kernel * kernel_next;
    }
    return kernel_next + half;
  });

  // Parts of records, and arrays.
  element<trade, trade>([](trade t) {
    t.price *= 2;
    t.at.x = static_cast<float>(t.price);
    t.day = static_cast<long>(t.price);
    return t;
  });
  element<int, int>([](int n) {
    int bins[4] = {};
    for (int i = 0; i < 12; ++i) ++bins[(i * n) & 3];
    return bins[0] * 1000 + bins[1] * 100 + bins[2] * 10 + bins[3];
  });
}

void fields() {
  using thunks::element;

  // Bases, enums, arrays, and what is read as bytes: bit-fields, unions, odd places.
  element<double, order>([](const order& o) {
    return o.number + o.closed + o.price + (o.which == side::sell ? 1 : 2) + o.half[1][2] +
           o.uchar.size + o.uchar.kind;
  });
  element<order, order>([](order o) {
    o.number += 1;
    o.closed = 5;
    o.ticks = 7;
    o.half[1][2] = o.half[0][1];
    o.uchar = {'a', -3, 4, true};
    return o;
  });

  // Neighbours, by numbers that are narrower than addresses.
  thunks::with_side<float, point, point>([](const point& p, std::span<const point> line) {
    float sum = 0;
    for (unsigned i = 1; i + 1 < line.size(); ++i)
      sum += p.x * (line[i - 1].x - line[i + 1].x) + p.y * line[i].y;
    return sum + line.back().x;
  });

  // No record, or one.
  element<float, point, const point*>(
      [](const point& a, const point* match) { return match == nullptr ? a.x : match->y; });
}
