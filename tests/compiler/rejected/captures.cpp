// References and pointers of which not all that is read is known, or whose address matters.
#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "compiler/thunks.h"

struct point {
  double x, y, z;
  double sum() const { return x + y + z; }
};
struct base {
  int tag;
};
struct weight {
  int grams;
};
struct parcel : base, weight {
  int number;
  int all() const { return tag + grams + number; }
};
struct list {
  int n;
  double values[1];  // and more behind it
};

void kernels(const point* points, const point& first, const point& middle, const weight& part,
             const list& all, const std::array<double, 4>& row) {
  using thunks::element;

  element<double, int>([points](int i) { return points[i].x; });

  // The size of one of them is known, not how many there are.
  element<double, int>([points](int i) { return points[i].sum() + points->sum(); });

  element<double, int>([&first](int i) { return (&first)[i & 3].x + first.sum(); });

  element<double, int>([&first](int n) {
    double sum = first.sum();
    for (const auto* p = &first; p != &first + n; ++p) sum += p->y;
    return sum;
  });

  element<double, int>([&first](int n) {
    point copies[8];
    std::copy_n(&first, n & 7, copies);
    return copies[2].x + first.sum();
  });

  element<double, int>([&first](int i) {
    double x;
    std::memcpy(&x, reinterpret_cast<const char*>(&first) + i * sizeof(point), sizeof x);
    return x + first.sum();
  });

  element<double, int>([points](int n) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += points[i].y;
    return sum;
  });

  element<double, int>([&middle](int) {
    double sum = 0;
    for (int i = -2; i < 2; ++i) sum += (&middle)[i].z;
    return sum;
  });

  element<double, int>([&middle](int) { return (&middle)[-1].sum() + middle.sum(); });

  element<int, int>([&part](int x) { return static_cast<const parcel&>(part).all() + x; });

  element<double, int>([&all](int i) { return i < all.n ? all.values[i] : 0; });

  element<double, int>([&row](int i) { return (&row)[-1][i & 3] + row[0]; });

  // A device has copies.
  element<bool, point>([&first](const point& p) { return &p == &first; });

  element<double, int>(
      [&first, &middle](int x) { return &first == &middle ? x : first.x + middle.x; });

  element<double, int>([&row, last = row.data() + 4](int x) {
    double sum = x;
    for (const auto* p = row.data(); p != last; ++p) sum += *p;
    return sum + row.at(2);
  });

  thunks::with_side<double, point, point>([](const point& p, std::span<const point> others) {
    double sum = 0;
    for (const auto& other : others)
      if (&other != &p) sum += other.x;
    return sum;
  });
}

void guarded_reads(std::span<const float> rows) {
  using thunks::element;

  element<float, int>([rows](int x) { return rows.size() > 5000000 ? rows[5000000] : x; });
}
