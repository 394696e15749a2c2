// What kernels are called: after the lambda's file and line, the function, or the class.
// FLAGS: -Rpass=pappus
#include "pappus/function.h"

#include "compiler/thunks.h"

namespace geo {
namespace {
float half(float x) { return x / 2; }
}  // namespace

template <typename T>
struct scaled {
  T by;
  T operator()(T x) const { return x * by; }
};

struct longest {
  int length = 0;
  void accumulate(int x) { length = x > length ? x : length; }
};
}  // namespace geo

void kernels(float k) {
  using thunks::element;

  element<float, float>([k](float x) { return x * k; });

  element<float, float>(pappus::fn<&geo::half>);

  element<float, float>(geo::scaled<float>{k});

  thunks::reducer<geo::longest, int>();
}
