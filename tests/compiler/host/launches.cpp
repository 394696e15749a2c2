// RUN V4 | -march=x86-64-v4 -mprefer-vector-width=512
// RUN V3 | -march=x86-64-v3
// Loops over indices become loops over vectors: with guards at borders, clamped indices, sums,
// look-ups, and functions that clang by itself calls. What comes from many streams is fetched
// ahead, and what is only written may go past the caches. launches.sh asks the same of g++, but for
// the last two.
// GNU doubled vectors
// GNU scaled vectors
// GNU chained vectors
// GNU guarded vectors
// GNU clamped none
// GNU summed vectors
// GNU multiplied none
// GNU unrolled vectors
// GNU nested none
// GNU distant vectors
// GNU totalled vectors
// GNU by_rows vectors
// GNU product vectors
#include <algorithm>
#include <cstdint>
#include <utility>

#include "pappus/detail/loops/launch.h"
#include "pappus/reduces.h"

using pappus::idx, pappus::reads, pappus::reduces, pappus::updates, pappus::writes;

// V4-LABEL: define {{.*}}launch_loop_ofI7doubled{{.*}}4rows
// V4-NOT: @llvm.prefetch
// V4: fmul <16 x float>
// V4: store <16 x float> {{.*}}align 64{{.*}}!nontemporal
// V4: store <16 x float> {{.*}}align 4
// V3-LABEL: define {{.*}}launch_loop_ofI7doubled{{.*}}4rows
// V3: fmul <8 x float>
// V3: store <8 x float> {{.*}}align 32{{.*}}!nontemporal
struct doubled {
  void operator()(idx<1> i, reads<float> in, writes<float> out) const { out[i] = 2 * in[i]; }
};
template struct pappus::detail::launch_loop_of<doubled, 1, reads<float>, writes<float>>;

// V4-LABEL: define {{.*}}launch_loop_ofI6scaled{{.*}}4rows
// V4-NOT: !nontemporal
// V4: fmul <16 x float>
// V4-NOT: !nontemporal
// V4: ret void
// V3-LABEL: define {{.*}}launch_loop_ofI6scaled{{.*}}4rows
// V3-NOT: !nontemporal
// V3: fmul <8 x float>
// V3-NOT: !nontemporal
// V3: ret void
struct scaled {
  void operator()(idx<1> i, updates<float> a) const { a[i] *= 2; }
};
template struct pappus::detail::launch_loop_of<scaled, 1, updates<float>>;

// Steps that wait for each other: two vectors a turn, or four short ones.
// V4-LABEL: define {{.*}}launch_loop_ofI7chained{{.*}}4rows
// V4: store <16 x i32> {{.*}}!nontemporal
// V4-NEXT: store <16 x i32> {{.*}}!nontemporal
// V4-NEXT: br
// V3-LABEL: define {{.*}}launch_loop_ofI7chained{{.*}}4rows
// V3: store <8 x i32> {{.*}}!nontemporal
// V3-NEXT: store <8 x i32> {{.*}}!nontemporal
// V3-NEXT: store <8 x i32> {{.*}}!nontemporal
// V3-NEXT: store <8 x i32> {{.*}}!nontemporal
// V3-NEXT: br
struct chained {
  void operator()(idx<1> i, reads<std::uint32_t> in, writes<std::uint32_t> out) const {
    auto x = in[i];
    [&]<std::uint32_t... Step>(std::integer_sequence<std::uint32_t, Step...>) {
      ((x = (x << 5 | x >> 27) + Step, x ^= x >> 3), ...);
    }(std::make_integer_sequence<std::uint32_t, 64>());
    out[i] = x;
  }
};
template struct pappus::detail::launch_loop_of<chained, 1, reads<std::uint32_t>,
                                               writes<std::uint32_t>>;

// Loops with guards have twins without.
// V4-LABEL: define {{.*}}launch_loop_ofI7guarded{{.*}}4rows
// V4: @llvm.smin.i64
// V4: fmul <16 x float>
// V3-LABEL: define {{.*}}launch_loop_ofI7guarded{{.*}}4rows
// V3: fmul <8 x float>
struct guarded {
  std::int64_t n;
  void operator()(idx<2> p, reads<float, 2> in, writes<float, 2> out) const {
    const auto i = p[0], j = p[1];
    const float up = i > 0 ? in(i - 1, j) : in[p], down = i + 1 < n ? in(i + 1, j) : in[p];
    const float left = j > 0 ? in(i, j - 1) : in[p], right = j + 1 < n ? in(i, j + 1) : in[p];
    out[p] = 0.25f * (up + down + left + right);
  }
};
template struct pappus::detail::launch_loop_of<guarded, 2, reads<float, 2>, writes<float, 2>>;

// V4-LABEL: define {{.*}}launch_loop_ofI7clamped{{.*}}4rows
// V4: @llvm.smin.i64
// V4: fmul <16 x float>
// V3-LABEL: define {{.*}}launch_loop_ofI7clamped{{.*}}4rows
// V3: fmul <8 x float>
struct clamped {
  std::int64_t n;
  void operator()(idx<1> i, reads<float> in, writes<float> out) const {
    out[i] =
        0.5f * (in[std::max<std::int64_t>(i - 1, 0)] + in[std::min<std::int64_t>(i + 1, n - 1)]);
  }
};
template struct pappus::detail::launch_loop_of<clamped, 1, reads<float>, writes<float>>;

// V4-LABEL: define {{.*}}launch_loop_ofI6summed{{.*}}4rows
// V4: fadd <16 x float>
// V3-LABEL: define {{.*}}launch_loop_ofI6summed{{.*}}4rows
// V3: fadd <8 x float>
struct summed {
  void operator()(idx<1> i, reads<float> in, writes<float> out) const {
    float sum = 0;
    for (int k = 0; k < 9; ++k) sum += in[i + k];
    out[i] = sum;
  }
};
template struct pappus::detail::launch_loop_of<summed, 1, reads<float>, writes<float>>;

// V4-LABEL: define {{.*}}launch_loop_ofI10multiplied{{.*}}4rows
// V4: @llvm.prefetch
// V4: @llvm.masked.gather.v16f32
// V4: fmul <16 x float>
// Without AVX-512 clang takes gathers for slow: what is looked up comes into vectors one by one.
// V3-LABEL: define {{.*}}launch_loop_ofI10multiplied{{.*}}4rows
// V3: @llvm.prefetch
// V3: insertelement <8 x float> {{.*}}, i64 7
// V3-NEXT: fmul <8 x float>
// V3-NEXT: fadd <8 x float>
struct multiplied {
  void operator()(idx<1> row, reads<float, 2> values, reads<std::int32_t, 2> columns,
                  reads<float> x, writes<float> y) const {
    float sum = 0;
    for (std::int64_t k = 0; k < 32; ++k) sum += values(k, row) * x[columns(k, row)];
    y[row] = sum;
  }
};
template struct pappus::detail::launch_loop_of<multiplied, 1, reads<float, 2>,
                                               reads<std::int32_t, 2>, reads<float>, writes<float>>;

// V4-LABEL: define {{.*}}launch_loop_ofI8unrolled{{.*}}4rows
// V4: fadd <16 x float>
// V3-LABEL: define {{.*}}launch_loop_ofI8unrolled{{.*}}4rows
// V3: fadd <8 x float>
struct unrolled {
  void operator()(idx<1> i, reads<float, 2> in, writes<float> out) const {
    float sum = 0;
#pragma GCC unroll 32
    for (std::int64_t k = 0; k < 32; ++k) sum += in(k, i);
    out[i] = sum;
  }
};
template struct pappus::detail::launch_loop_of<unrolled, 1, reads<float, 2>, writes<float>>;

// The sum isn't reordered, and an index with a loop whose count isn't fixed is no lane.
// V4-LABEL: define {{.*}}launch_loop_ofI6nested{{.*}}4rows
// V4-NOT: fadd <16 x float>
// V4: {{^}}}
// V3-LABEL: define {{.*}}launch_loop_ofI6nested{{.*}}4rows
// V3-NOT: fadd <8 x float>
// V3: {{^}}}
struct nested {
  std::int64_t n;
  void operator()(idx<1> i, reads<float, 2> in, writes<float> out) const {
    float sum = 0;
    for (std::int64_t k = 0; k < n; ++k) sum += in(k, i);
    out[i] = sum;
  }
};
template struct pappus::detail::launch_loop_of<nested, 1, reads<float, 2>, writes<float>>;

// In lanes: of each line that these read, the one a page behind it is fetched.
// V4-LABEL: define {{.*}}launch_loop_ofI8totalled{{.*}}4rows
// V4-COUNT-4: @llvm.prefetch
// V4-NOT: @llvm.prefetch
// V4: fadd <16 x float>
// V3-LABEL: define {{.*}}launch_loop_ofI8totalled{{.*}}4rows
// V3-COUNT-4: @llvm.prefetch
// V3-NOT: @llvm.prefetch
// V3: fadd <8 x float>
struct totalled {
  void operator()(idx<1> i, reads<float> in, reduces<float> total) const { total[0] += in[i]; }
};
template struct pappus::detail::launch_loop_of<totalled, 1, reads<float>, reduces<float>>;

// V4-LABEL: define {{.*}}launch_loop_ofI7by_rows{{.*}}4rows
// V4: fadd <16 x float>
// V3-LABEL: define {{.*}}launch_loop_ofI7by_rows{{.*}}4rows
// V3: fadd <8 x float>
struct by_rows {
  void operator()(idx<2> p, reads<float, 2> in, reduces<float> rows) const { rows[p[0]] += in[p]; }
};
template struct pappus::detail::launch_loop_of<by_rows, 2, reads<float, 2>, reduces<float>>;

// V4-LABEL: define {{.*}}launch_loop_ofI7product{{.*}}4rows
// V4: fadd <16 x float>
// V3-LABEL: define {{.*}}launch_loop_ofI7product{{.*}}4rows
// V3: fadd <8 x float>
struct product {
  void operator()(idx<3> p, reads<float, 2> a, reads<float, 2> b, reduces<float, 2> c) const {
    c(p[0], p[2]) += a(p[0], p[1]) * b(p[1], p[2]);
  }
};
template struct pappus::detail::launch_loop_of<product, 3, reads<float, 2>, reads<float, 2>,
                                               reduces<float, 2>>;

// V4-LABEL: define {{.*}}launch_loop_ofI7distant{{.*}}4rows
// V4: fdiv <16 x float>
// V3-LABEL: define {{.*}}launch_loop_ofI7distant{{.*}}4rows
// V3: fdiv <8 x float>
template <int Depth>
float chain(float x) {
  if constexpr (Depth == 0)
    return x;
  else
    return x * 0.25f + 3 / (x * x + chain<Depth - 1>(0.5f * x));
}
struct distant {
  void operator()(idx<1> i, reads<float> in, writes<float> out) const { out[i] = chain<40>(in[i]); }
};
float also_here(float x) { return chain<40>(x); }
template struct pappus::detail::launch_loop_of<distant, 1, reads<float>, writes<float>>;

// Eight rows at once: a sum is loaded and stored once for all of them.
// V4-LABEL: define {{.*}}reduced_rowsI10by_columns{{.*}}some_rowsILl0EJLm0ELm1E
// V4-COUNT-8: fadd <16 x float>
// V3-LABEL: define {{.*}}reduced_rowsI10by_columns{{.*}}some_rowsILl0EJLm0ELm1E
// V3-COUNT-8: fadd <8 x float>
struct by_columns {
  void operator()(idx<2> p, reads<float, 2> in, reduces<float> columns) const {
    columns[p[1]] += in[p];
  }
};
template struct pappus::detail::launch_loop_of<by_columns, 2, reads<float, 2>, reduces<float>>;
