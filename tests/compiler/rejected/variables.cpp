// Variables that aren't the function's own, and writing to what is only lent to it.
#include <array>
#include <span>

#include "compiler/thunks.h"

int counter = 0;
static double scale = 2;
extern const int limit;
extern int shared_table[16];
thread_local int last = 0;
struct settings {
  int depth = 3;
};
settings current;
int expensive(int);

struct running_sum {
  mutable int sum = 0;
  int operator()(int x) const { return sum += x; }
};

struct point {
  int x, y;
};

struct counts {
  int bins[4];
  void accumulate(const point& p) { ++bins[p.x & 3] += counter; }
};

void kernels(int* target, int& total, std::span<int> rows) {
  using thunks::element;

  element<int, int>([](int x) { return x + counter; });

  element<double, double>([](double x) { return x * scale; });

  element<int, int>([](int x) { return x < limit ? x : 0; });

  element<int, int>([](int x) { return shared_table[x & 15]; });

  element<int, int>([](int x) { return last = x; });

  element<int, int>([](int x) { return current.depth > x; });

  element<int, int>([](int x) {
    static const int start = expensive(3);
    return x + start;
  });

  element<int, int>([](int x) {
    static int calls = 0;
    return x + ++calls;
  });

  element<int, int>(running_sum{});

  element<int, int>([&total](int x) { return total += x; });

  element<int, int>([target](int x) {
    *target = x;
    return x;
  });

  element<int, int>([rows](int x) {
    rows[0] = x;
    return x;
  });

  element<int, point>([](const point& p) { return const_cast<point&>(p).x = 3; });

  thunks::with_side<int, int, int>([](int x, std::span<const int> side) {
    const_cast<int&>(side[0]) = x;
    return x;
  });

  thunks::reducer<counts, point>();

  element<int, int>([](int x) { return last + x; });
}
