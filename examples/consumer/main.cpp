// A project of its own that uses the installed package.
#include <iostream>

#include <pappus/pappus.h>

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  const long sum = s.range(1, 1'000'001)
                       .map([](int x) { return x + 15; })
                       .filter([](int x) { return x % 15 == 0; })
                       .sum();
  std::cout << "sum of the multiples of 15 from 16 to 1,000,015: " << sum << "\n";
  return sum == 33'334'166'655 ? 0 : 1;
}
