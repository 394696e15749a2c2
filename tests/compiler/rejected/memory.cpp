// Pointers that lead nowhere on a device, and tables that it can't have.
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/thunks.h"

struct node {
  const node* next;
  int value;
};
struct shape {
  virtual double area(double scale) const = 0;
};
struct square : shape {
  double area(double scale) const override { return scale * scale; }
};
struct circle : shape {
  double area(double scale) const override { return 3 * scale * scale; }
};

constexpr const char* names[] = {"red", "green", "blue"};
constexpr std::string_view words[] = {"one", "two", "three"};
struct large_table {
  int values[20000];
};
inline constexpr large_table large{{1, 2, 3}};

void kernels(const std::vector<int>& list, const std::string& text, const int* row) {
  using thunks::element;

  element<int, int>([&list](int i) { return list[i]; });

  element<char, int>([&text](int i) { return text[i]; });

  element<int, node>([](const node& n) { return n.next->value; });

  element<int, int>([](int x) {
    const node last{nullptr, x}, first{&last, 3};
    int sum = 0;
    for (const node* n = &first; n != nullptr; n = n->next) sum += n->value;
    return sum;
  });

  element<int, int>([row](int x) {
    std::free(const_cast<int*>(row));
    return x;
  });

  element<unsigned long, int>([row](int x) {
    return reinterpret_cast<unsigned long>(&x) ^ reinterpret_cast<unsigned long>(row);
  });

  element<char, int>([](int i) { return names[i][0]; });

  element<int, int>([](int i) { return static_cast<int>(words[i].size()); });

  element<int, int>([](int i) { return large.values[i]; });

  element<float, float>([](float x) {
    const auto half = static_cast<_Float16>(x);
    return static_cast<float>(half * half);
  });

  // The object's pointer to its functions is no reason of its own.
  element<double, double>([](double x) {
    const square a;
    const circle b;
    const shape& one = x < 1 ? static_cast<const shape&>(a) : b;
    return one.area(x);
  });
}
