// Where a random walk ends: a sparse matrix times a vector, again and again.
//
//   spmv [SIDE] [STEPS]
//
// Someone walks between the crossings of a town of SIDE by SIDE, at each one along any of its
// streets. Row i of the matrix says where one comes from to crossing i, and how likely: at most
// four places, the rest of a row is zeros (the ELLPACK format). Shows look-ups in an array at
// places that another one holds.
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <utility>

#include <pappus/pappus.h>

using pappus::idx;
using pappus::reads;
using pappus::writes;

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  const long side = argc > 1 ? std::atol(argv[1]) : 100;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 50;
  const long n = side * side, slots = 4;

  // Slot by slot, so that neighbouring rows lie together.
  auto values = s.zeros<double, 2>({slots, n});
  auto columns = s.zeros<int, 2>({slots, n});
  s.for_each(
      n,
      [side](long row, writes<double, 2> values, writes<int, 2> columns) {
        const long di[] = {-1, 1, 0, 0}, dj[] = {0, 0, -1, 1};
        for (int k = 0; k < slots; ++k) {
          const long i = row / side + di[k], j = row % side + dj[k];
          const bool in_town = i >= 0 && i < side && j >= 0 && j < side;
          // Of the crossing where one comes from.
          const int streets = (i > 0) + (i + 1 < side) + (j > 0) + (j + 1 < side);
          values(k, row) = in_town ? 1.0 / streets : 0;
          columns(k, row) = static_cast<int>(in_town ? i * side + j : row);
        }
      },
      values, columns);

  auto now = s.zeros<double>({n}), then = s.zeros<double>({n});
  now.host_write()[0] = 1;  // in the corner
  for (int step = 0; step < steps; ++step) {
    s.for_each(
        n,
        [](idx<1> row, reads<double, 2> values, reads<int, 2> columns, reads<double> now,
           writes<double> then) {
          double sum = 0;
          for (long k = 0; k < slots; ++k) sum += values(k, row) * now[columns(k, row)];
          then[row] = sum;
        },
        values, columns, now, then);
    std::swap(now, then);
  }

  const auto distances = now.rows().enumerate().map([side](const pappus::indexed<double>& p) {
    return p.value * static_cast<double>(p.index / side + p.index % side);
  });
  std::cout << std::fixed << std::setprecision(6)  //
            << "somewhere " << now.rows().sum() << "\n"
            << "in the corner " << now.host()[0] << "\n"
            << "streets away " << distances.sum() << "\n";
}
