// Calls of functions that can't be copied into the caller.
#include <algorithm>
#include <cstdarg>
#include <functional>
#include <locale>

#include "compiler/thunks.h"

int in_another_file(int x);
namespace geo {
struct shape {
  virtual ~shape() = default;
  virtual double area(double scale) const = 0;
};
template <typename T>
T unseen(T x);
}  // namespace geo

int leaves(int n) { return n < 2 ? 1 : leaves(n / 2) + leaves(n - n / 2); }
bool is_odd(unsigned n);
bool is_even(unsigned n) { return n == 0 || is_odd(n - 1); }
bool is_odd(unsigned n) { return n != 0 && is_even(n - 1); }

int halved(int x);
int lowered(int x) { return x > 0 ? halved(x - 1) : 0; }
constexpr int (*steps[])(int) = {halved, lowered};
int halved(int x) { return x > 5 ? steps[x & 1](x / 2) : x; }

[[gnu::weak]] int tunable() { return 3; }

int sum_of(int n, ...) {
  va_list list;
  va_start(list, n);
  int sum = 0;
  for (; n > 0; --n) sum += va_arg(list, int);
  va_end(list);
  return sum;
}

void kernels(const geo::shape* s, int (*pointer)(int), const std::function<int(int)>& any,
             int (geo::shape::*member)() const) {
  using thunks::element;

  element<int, int>([](int x) { return in_another_file(x); });

  element<double, double>([](double x) { return geo::unseen(x); });

  element<int, int>([](int x) { return leaves(x); });

  element<bool, unsigned>([](unsigned x) { return is_even(x); });

  element<int, int>([](int x) { return steps[x & 1](x); });

  element<int, int>([](int x) {
    const auto fib = [](const auto& self, int n) -> int {
      return n < 2 ? n : self(self, n - 1) + self(self, n - 2);
    };
    return fib(fib, x);
  });

  element<double, double>([s](double x) { return s->area(x); });

  element<int, int>([pointer](int x) { return pointer(x); });

  element<int, int>([s, member](int x) { return (s->*member)() + x; });

  element<int, int>([&any](int x) { return any(x); });

  element<int, int>([](int x) { return tunable() + x; });

  element<int, int>([](int x) { return sum_of(2, x, x); });

  element<int, int>([](int x) {
    int a[] = {x, 3, 1, 2};
    std::sort(a, a + 4);
    return a[1];
  });

  element<int, int>([](int x) { return x + (std::locale() == std::locale::classic()); });
}
