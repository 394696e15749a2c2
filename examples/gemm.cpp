// A product of matrices, and how far it is from the identity.
//
//   gemm [SIDE]
//
// All (i, k, j) add a(i, k)·b(k, j) to c(i, j): c is reduced into, in the order of k, and the
// indices are passed over in tiles that stay in the cache (`pappus explain gemm 512` tells). Shows
// reduces, smallest and largest.
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>

#include <pappus/pappus.h>

using pappus::idx;
using pappus::reads;
using pappus::reduces;
using pappus::writes;

using matrix = pappus::array<double, 2>;

/// Turns by an angle within the plane of two neighbouring axes.
void turn(pappus::session& s, const matrix& of, double angle) {
  s.for_each(
      of.extents(),
      [angle](idx<2> p, writes<double, 2> turns) {
        const auto i = p[0], j = p[1];
        const double same = std::cos(angle), other = std::sin(angle);
        turns[p] = i == j ? same : i / 2 != j / 2 ? 0.0 : i < j ? -other : other;
      },
      of);
}

void multiply(pappus::session& s, const matrix& a, const matrix& b, const matrix& c) {
  c.fill(0);
  s.for_each(
      {c.extent(0), a.extent(1), c.extent(1)},
      [](idx<3> p, reads<double, 2> a, reads<double, 2> b, reduces<double, 2> c) {
        c(p[0], p[2]) += a(p[0], p[1]) * b(p[1], p[2]);
      },
      a, b, c);
}

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  const long side = argc > 1 ? std::atol(argv[1]) : 128;
  auto there = s.unwritten<double, 2>({side, side}), back = s.unwritten<double, 2>({side, side});
  auto both = s.unwritten<double, 2>({side, side});
  turn(s, there, 0.3);
  turn(s, back, -0.3);
  multiply(s, there, back, both);

  auto least = s.filled<double>({1}, 2), most = s.filled<double>({1}, -2);
  s.for_each(
      both.extents(),
      [](idx<2> p, reads<double, 2> product, reduces<pappus::smallest<double>> least,
         reduces<pappus::largest<double>> most) {
        const double off = product[p] - (p[0] == p[1] ? 1 : 0);
        least[0].accumulate(off);
        most[0].accumulate(off);
      },
      both, least, most);
  const bool close = least.host()[0] > -1e-12 && most.host()[0] < 1e-12;
  std::cout << std::fixed << std::setprecision(3)
            << "both ways: " << (close ? "the identity" : "something else") << "\n"
            << "there: " << there.host()(0, 0) << " " << there.host()(0, 1) << "\n";
}
