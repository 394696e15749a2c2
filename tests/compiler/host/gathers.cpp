// RUN GATHERS | -march=x86-64-v4
// RUN NONE | -march=x86-64-v4 -mno-gather
// Launches gather elements at indices that they compute; where programs are compiled without
// gathers, other loops load fields of wide records one by one.
#include <cstdint>

#include "pappus/detail/loops/launch.h"

using pappus::idx, pappus::reads, pappus::writes;

struct wide {
  double field, others[15];
};
// GATHERS-LABEL: define {{.*}}@of_records(
// GATHERS: @llvm.masked.gather.v{{[48]}}f64
// NONE-LABEL: define {{.*}}@of_records(
// NONE-NOT: @llvm.masked.gather
extern "C" void of_records(double* __restrict out, const wide* __restrict in, long n) {
  for (long i = 0; i < n; ++i) out[i] = in[i].field * 2;
}

// GATHERS-LABEL: define {{.*}}launch_loop_ofI6picked{{.*}}4rows
// GATHERS: @llvm.masked.gather.v{{[48]}}f64
// NONE-LABEL: define {{.*}}launch_loop_ofI6picked{{.*}}4rows
// NONE: @llvm.masked.gather.v{{[48]}}f64
struct picked {
  void operator()(idx<1> i, reads<std::int64_t> places, reads<double> in,
                  writes<double> out) const {
    out[i] = in[places[i]] * 2;
  }
};
template struct pappus::detail::launch_loop_of<picked, 1, reads<std::int64_t>, reads<double>,
                                               writes<double>>;
