// Two devices: counts the points with whole coordinates within a circle, each device a part.
//
//   two_devices [DEVICES]        opencl:0,opencl:1 where none are named; `pappus devices` shows all
//
// Built by clang with pappus_enable, lambdas run on devices; otherwise, and where a device fails,
// on the CPU with the same result. PoCL pretends to be two devices for POCL_DEVICES="basic basic".
#include <iostream>

#include <pappus/pappus.h>

int main(int argc, char** argv) try {
  pappus::session s{pappus::options{.devices = argc > 1 ? argv[1] : "opencl:0,opencl:1"}};
  const int radius = 10'000, width = 2 * radius + 1;

  auto inside = s.range(0, width * width)
                    .filter([=](int i) {
                      const int x = i % width - radius, y = i / width - radius;
                      return x * x + y * y <= radius * radius;
                    })
                    .count();

  std::cout << inside.explain_analyze() << "\n";  // runs it, and says where
  std::cout << inside << " points\n";
} catch (const pappus::usage_error& problem) {  // no such device
  return std::cerr << problem.what() << "\n", 1;
}
