// Classes of the standard library that need what devices lack: named as what they are, with what
// does instead.
#include <any>
#include <complex>
#include <map>
#include <mutex>
#include <string>
#include <typeinfo>
#include <unordered_map>

#include "compiler/thunks.h"

struct shape {
  virtual ~shape();
  virtual double area() const;
};
struct square : shape {
  double side;
  double area() const override;
};

std::mutex door;

void kernels(const shape* one, const std::any& anything, const std::unordered_map<int, int>& names,
             const std::map<int, int>& ordered, int& total) {
  using thunks::element;

  element<double, double>([one](double x) {
    const auto* as_square = dynamic_cast<const square*>(one);
    return as_square != nullptr ? as_square->side : x;
  });

  element<int, int>([one](int x) { return typeid(*one) == typeid(square) ? x : 0; });

  element<int, int>([&anything](int x) { return std::any_cast<int>(anything) + x; });

  element<int, int>([&names](int x) { return names.find(x)->second; });

  element<int, int>([&names](int x) { return names.at(x); });

  element<int, int>([&ordered](int x) { return ordered.count(x) == 0 ? 0 : x; });

  element<int, int>([](int x) {
    std::unordered_map<int, int> counts;
    ++counts[x];
    return counts[x];
  });

  element<int, int>([&total](int x) {
    const std::lock_guard lock(door);
    return total + x;
  });

  element<std::complex<double>, std::complex<double>>(
      [](const std::complex<double>& z) { return std::log(z); });
}
