// Every reason at once, where it is, and who called it from where.
#include <algorithm>

#include "compiler/thunks.h"
#include "helper.h"

int depth(int n) { return n == 0 ? 0 : 1 + 2 * depth(n / 2); }
inline int middle(int x) { return helper::traced(x) + 1; }

void kernels() {
  using thunks::element;

  element<int, int>([](int x) { return helper::padded(x) + depth(x) + verbosity; });

  element<int, int>([](int x) { return helper::twice([](int y) { return middle(y); }, x); });

  element<int, int>([](int x) {
    int a[3] = {x, 2, 3};
    std::for_each(a, a + 3, [](int& y) { y += verbosity; });
    return a[0];
  });
}
