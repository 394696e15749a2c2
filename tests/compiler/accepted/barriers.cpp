// Assembly without instructions, as Eigen's fixed-size solvers have it between their loops.
#include "compiler/thunks.h"

template <typename T>
void keep(T& value) {
  asm("" : "+r"(value));
}

void kernels() {
  using thunks::element;

  element<int, int>([](int x) {
    const int once = 2 * x;
    asm volatile("" ::: "memory");
    return once + x;
  });

  element<double, double>([](double x) {
    double y = x * x;
    asm("" : "+x"(y));
    return y + 1;
  });

  element<int, int>([](int x) {
    int low = x & 15, high = x >> 4;
    asm("" : "+r"(low), "+r"(high));
    keep(low);
    return 3 * low + high;
  });

  element<int, int>([](int x) {
    int stored = x;
    asm volatile("" : "+m"(stored));
    return stored + 1;
  });
}
