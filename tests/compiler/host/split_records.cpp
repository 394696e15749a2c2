// RUN PLAIN | -march=x86-64-v3
// RUN PLAIN | -DPAPPUS_FAST_FLOATS -march=x86-64-v3
// Functions that return small records don't keep loops over them from becoming vectors.
#include "compiler/thunks.h"

struct pair {
  float low, high;
};

inline pair around(pair p) { return {p.low - 1.0f, p.high + 1.0f}; }

void slots() {
  thunks::element<pair, pair>([](pair p) { return around(p); });
}

// PLAIN-LABEL: @pairs(
// PLAIN: fadd {{.*}}<8 x float>
extern "C" void pairs(pair* __restrict out, const pair* __restrict in, long n) {
  for (long i = 0; i < n; ++i) out[i] = around(in[i]);
}

// Vectors that aren't made of scalars stay.
typedef float lanes __attribute__((vector_size(16)));
// PLAIN-LABEL: @vectors(
// PLAIN: load <4 x float>
// PLAIN: fmul <4 x float>
// PLAIN: store <4 x float>
extern "C" void vectors(lanes* v, long n) {
#pragma clang loop unroll(disable) vectorize(disable)
  for (long i = 0; i < n; ++i) v[i] = v[i] * v[i];
}
