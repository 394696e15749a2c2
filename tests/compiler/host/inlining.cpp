// RUN PLAIN | -march=x86-64-v3
// Users' functions are inlined into the loops over them, beyond clang's usual limit, unless they
// call what can't be.
#include <immintrin.h>

#include "pappus/detail/fuse/function.h"

inline float large(float x) {
#pragma clang loop unroll(full)
  for (int j = 0; j < 20; ++j) x = x * 0.25f + 3.0f / (x * x + static_cast<float>(j));
  return x;
}
float elsewhere(float x);
inline float calls_elsewhere(float x) { return large(elsewhere(x)); }

__attribute__((target("avx512f"))) inline float on_some(float x) {
  return _mm512_reduce_add_ps(_mm512_set1_ps(x));
}
inline float chooses(float x) { return __builtin_cpu_supports("avx512f") ? on_some(x) : 16 * x; }

template <auto F>
void loop(float* __restrict out, const float* __restrict in, long n) {
  const pappus::detail::bound_function<pappus::fn_type<F>> f(pappus::fn<F>);
  for (long i = 0; i < n; ++i) out[i] = f(in[i]);
}

// PLAIN-LABEL: @of_large(
// PLAIN: fdiv <8 x float>
extern "C" void of_large(float* out, const float* in, long n) { loop<large>(out, in, n); }
extern "C" void again(float* out, const float* in, long n) { loop<large>(out + 1, in, n); }

// PLAIN-LABEL: @of_calls_elsewhere(
// PLAIN-NOT: fdiv <8 x float>
// PLAIN: {{^}$}}
extern "C" void of_calls_elsewhere(float* out, const float* in, long n) {
  loop<calls_elsewhere>(out, in, n);
}

// PLAIN-LABEL: @of_chooses(
// PLAIN: call {{.*}} @_Z7on_somef(
extern "C" void of_chooses(float* out, const float* in, long n) { loop<chooses>(out, in, n); }
