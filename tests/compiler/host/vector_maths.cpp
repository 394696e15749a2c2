// RUN FAST AVX512 | -DPAPPUS_FAST_FLOATS -march=x86-64-v4 -mprefer-vector-width=512
// RUN FAST AVX2 | -DPAPPUS_FAST_FLOATS -march=x86-64-v3
// RUN FAST AVX | -DPAPPUS_FAST_FLOATS -march=sandybridge
// RUN FAST SSE | -DPAPPUS_FAST_FLOATS -march=x86-64
// RUN STRICT | -march=x86-64-v4
// With fast floats glibc's vector functions take the place of scalar ones in loops, as wide as the
// processor's vectors; in no other functions than those that queries call.
#include <cmath>

#include "compiler/thunks.h"

struct pair {
  float up, down;
};

inline double risen(double x) { return std::exp(x) * std::asin(x); }
inline pair both(const pair& p) { return {std::erfc(p.up), std::pow(p.up, p.down)}; }

void slots() {
  thunks::element<double, double>([](double x) { return risen(x); });
  thunks::element<pair, pair>([](const pair& p) { return both(p); });
}

// FAST-LABEL: @in_doubles(
// AVX512-DAG: call {{.*}}<8 x double> @_ZGVeN8v_exp(
// AVX512-DAG: call {{.*}}<8 x double> @_ZGVeN8v_asin(
// AVX2-DAG: call {{.*}}<4 x double> @_ZGVdN4v_exp(
// AVX2-DAG: call {{.*}}<4 x double> @_ZGVdN4v_asin(
// AVX-DAG: call {{.*}}<4 x double> @_ZGVcN4v_exp(
// AVX-DAG: call {{.*}}<4 x double> @_ZGVcN4v_asin(
// SSE-DAG: call {{.*}}<2 x double> @_ZGVbN2v_exp(
// SSE-DAG: call {{.*}}<2 x double> @_ZGVbN2v_asin(
// STRICT-LABEL: @in_doubles(
// STRICT-NOT: _ZGV
extern "C" void in_doubles(double* out, const double* in, long n) {
  for (long i = 0; i < n; ++i) out[i] = risen(in[i]);
}

// FAST-LABEL: @in_floats(
// AVX512-DAG: call {{.*}}<16 x float> @_ZGVeN16v_erfcf(
// AVX512-DAG: call {{.*}}<16 x float> @_ZGVeN16vv_powf(
// AVX2-DAG: call {{.*}}<8 x float> @_ZGVdN8v_erfcf(
// AVX2-DAG: call {{.*}}<8 x float> @_ZGVdN8vv_powf(
// AVX-DAG: call {{.*}} @_ZGV{{(bN4|cN8)}}v_erfcf(
// AVX-DAG: call {{.*}} @_ZGV{{(bN4|cN8)}}vv_powf(
// SSE-DAG: call {{.*}}<4 x float> @_ZGVbN4v_erfcf(
// SSE-DAG: call {{.*}}<4 x float> @_ZGVbN4vv_powf(
// STRICT-LABEL: @in_floats(
// STRICT-NOT: _ZGV
extern "C" void in_floats(pair* out, const pair* in, long n) {
  for (long i = 0; i < n; ++i) out[i] = both(in[i]);
}

// FAST-LABEL: @of_no_query(
// FAST-NOT: _ZGV
// FAST: {{^}$}}
// STRICT-LABEL: @of_no_query(
// STRICT-NOT: _ZGV
extern "C" void of_no_query(double* out, const double* in, long n) {
  for (long i = 0; i < n; ++i) out[i] = std::exp(in[i]);
}
