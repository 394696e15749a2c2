// FLAGS: -g
// PRINTS: footprint
// Subscripts that aren't linear in the index, and those that nobody knows before the launch.
#include <algorithm>
#include <array>

#include <cstddef>

#include "compiler/footprints.h"

using pappus::idx;
using pappus::reads;
using pappus::updates;
using pappus::writes;
using thunks::launched;

struct pixel {
  float red, green, blue;
};

void subsampled(long low, int k) {
  // CHECK: read in[i], readwrite out[(i-low)/k]
  launched<1, reads<float>, updates<float>>(
      [low, k](idx<1> i, reads<float> in, updates<float> out) { out[(i - low) / k] += in[i]; });
}

void virtual_microscope(idx<2> low, int k) {
  // CHECK-NEXT: read slide[i,j], readwrite view[(i-low[0])/k,(j-low[1])/k]
  launched<2, reads<pixel, 2>, updates<pixel, 2>>(
      [low, k](idx<2> p, reads<pixel, 2> slide, updates<pixel, 2> view) {
        auto& sum = view[(p - low) / k];
        sum.red += slide[p].red;
        sum.green += slide[p].green;
        sum.blue += slide[p].blue;
      });
}

void halves() {
  // CHECK-NEXT: read in[i/2], write out[i]
  launched<1, reads<int>, writes<int>>(
      [](idx<1> i, reads<int> in, writes<int> out) { out[i] = in[i / 2]; });
}

void halves_of_an_int() {
  // CHECK-NEXT: read in[i/2:i/2+1], write out[i]
  launched<1, reads<int>, writes<int>>(
      [](int i, reads<int> in, writes<int> out) { out[i] = in[i / 2] + in[i / 2 + 1]; });
}

void cyclic(int n) {
  // CHECK-NEXT: read in[(i+1)%n], write out[i]
  launched<1, reads<int>, writes<int>>(
      [n](idx<1> i, reads<int> in, writes<int> out) { out[i] = in[(i + 1) % n]; });
}

void every_eighth() {
  // CHECK-NEXT: read in[i%8], write out[i]
  launched<1, reads<int>, writes<int>>(
      [](unsigned i, reads<int> in, writes<int> out) { out[i] = in[i % 8]; });
}

void clamped(long n) {
  // CHECK-NEXT: read in[max(i,1)-1], read in[min(i+1,n-1)], write out[i]
  launched<1, reads<int>, writes<int>>([n](idx<1> i, reads<int> in, writes<int> out) {
    out[i] = in[std::max(i - 1, 0l)] + in[std::min(i + 1, n - 1)];
  });
}

// size - 1 is the largest number there is if size is 0.
void clamped_with_sizes() {
  // CHECK-NEXT: read in[min(i+1,in.extent(0)-1):i+1], write out[i]
  launched<1, reads<int>, writes<int>>([](idx<1> i, reads<int> in, writes<int> out) {
    out[i] = in[std::min<std::size_t>(i + 1, in.extent(0) - 1)];
  });
  // CHECK-NEXT: read in[max(i,1)-1], write out[i]
  launched<1, reads<int>, writes<int>>([](idx<1> i, reads<int> in, writes<int> out) {
    out[i] = in[std::max<std::size_t>(i, 1) - 1];
  });
}

// i - 1 is a large number in the first call.
void unsigned_below_zero(std::size_t n) {
  // CHECK-NEXT: read in[min(i-1,n):n], write out[i]
  launched<1, reads<int>, writes<int>>([n](idx<1> i, reads<int> in, writes<int> out) {
    out[i] = in[std::min<std::size_t>(i - 1, n)];
  });
  // CHECK-NEXT: read in[unknown], write out[i]
  launched<1, reads<int>, writes<int>>([](idx<1> i, reads<int> in, writes<int> out) {
    out[i] = in[static_cast<std::size_t>(i - 1) / 3 * 3];
  });
  // CHECK-NEXT: read in[(i-1)/3], write out[i]
  launched<1, reads<int>, writes<int>>([](idx<1> i, reads<int> in, writes<int> out) {
    out[i] = in[static_cast<std::size_t>(i - 1) / 3];
  });
}

void cyclic_by_powers_of_two() {
  // CHECK-NEXT: read in[(i+5)%8], write out[i]
  launched<1, reads<int>, writes<int>>(
      [](idx<1> i, reads<int> in, writes<int> out) { out[i] = in[(i - 3) & 7]; });
  // CHECK-NEXT: read in[(i+n)&15], write out[i]
  launched<1, reads<int>, writes<int>>(
      [n = -1](idx<1> i, reads<int> in, writes<int> out) { out[i] = in[(i + n) & 15]; });
}

void blocks(int b) {
  // CHECK-NEXT: read in[i-i%b:i+b-i%b-1], write out[i]
  launched<1, reads<int>, writes<int>>([b](idx<1> i, reads<int> in, writes<int> out) {
    int sum = 0;
    for (int j = 0; j < b; ++j) sum += in[i / b * b + j];
    out[i] = sum;
  });
}

void squares() {
  // CHECK-NEXT: read in[i*i], write out[i]
  launched<1, reads<int>, writes<int>>(
      [](idx<1> i, reads<int> in, writes<int> out) { out[i] = in[i * i]; });
}

void shifted_by_half(int n) {
  // CHECK-NEXT: read in[i+n/2], write out[i]
  launched<1, reads<int>, writes<int>>(
      [n](idx<1> i, reads<int> in, writes<int> out) { out[i] = in[i + n / 2]; });
}

void table_of_offsets(const std::array<int, 2>& offsets) {
  // CHECK-NEXT: read in[i+offsets[0]], read in[i+offsets[1]], write out[i]
  launched<1, reads<int>, writes<int>>([&offsets](idx<1> i, reads<int> in, writes<int> out) {
    out[i] = in[i + offsets[0]] + in[i + offsets[1]];
  });
}

void gather() {
  // CHECK-NEXT: read at[i], read in[unknown], write out[i]
  launched<1, reads<int>, reads<float>, writes<float>>(
      [](idx<1> i, reads<int> at, reads<float> in, writes<float> out) { out[i] = in[at[i]]; });
}

void scatter() {
  // CHECK-NEXT: read at[i], read in[i], readwrite out[unknown]
  launched<1, reads<int>, reads<float>, writes<float>>(
      [](idx<1> i, reads<int> at, reads<float> in, writes<float> out) { out[at[i]] = in[i]; });
}

void gather_in_a_row() {
  // CHECK-NEXT: read at[i], read in[i,:], write out[i]
  launched<1, reads<int>, reads<float, 2>, writes<float>>(
      [](idx<1> i, reads<int> at, reads<float, 2> in, writes<float> out) {
        out[i] = in(i, at[i]);
      });
}

void rows_of_a_sparse_matrix() {
  // CHECK-NEXT: read begin[i:i+1], read column[unknown], read x[unknown], write y[i]
  launched<1, reads<long>, reads<int>, reads<float>, writes<float>>(
      [](idx<1> i, reads<long> begin, reads<int> column, reads<float> x, writes<float> y) {
        float sum = 0;
        for (long e = begin[i]; e < begin[i + 1]; ++e) sum += x[column[e]];
        y[i] = sum;
      });
}

void hashed(int n) {
  // CHECK-NEXT: read in[unknown], write out[i]
  launched<1, reads<int>, writes<int>>([n](idx<1> i, reads<int> in, writes<int> out) {
    out[i] = in[static_cast<unsigned>(i) * 2654435761u % static_cast<unsigned>(n)];
  });
}

void searched() {
  // CHECK-NEXT: read in[unknown], write out[i]
  launched<1, reads<int>, writes<int>>([](idx<1> i, reads<int> in, writes<int> out) {
    long low = 0, high = in.extent(0);
    while (low < high) {
      const auto middle = (low + high) / 2;
      if (in[middle] < i)
        low = middle + 1;
      else
        high = middle;
    }
    out[i] = static_cast<int>(low);
  });
}

void walks_on_from_an_element() {
  // CHECK-NEXT: read in[unknown], write out[i]
  launched<1, reads<int>, writes<int>>([](idx<1> i, reads<int> in, writes<int> out) {
    const int* p = &in[i];
    out[i] = p[0] + p[7];
  });
}

void one_of_two_arrays() {
  // CHECK-NEXT: read a[i], read b[i], write out[i]
  launched<1, reads<int>, reads<int>, writes<int>>(
      [](idx<1> i, reads<int> a, reads<int> b, writes<int> out) {
        out[i] = (i % 2 == 0 ? a : b)[i];
      });
}

void writes_one_of_two_arrays() {
  // CHECK-NEXT: readwrite a[i], readwrite b[i]
  launched<1, writes<int>, writes<int>>(
      [](idx<1> i, writes<int> a, writes<int> b) { (i % 2 == 0 ? a : b)[i] = 1; });
}

void one_field() {
  // CHECK-NEXT: read in[i], readwrite out[i]
  launched<1, reads<float>, writes<pixel>>(
      [](idx<1> i, reads<float> in, writes<pixel> out) { out[i].green = in[i]; });
}

void all_fields() {
  // CHECK-NEXT: read in[i], write out[i]
  launched<1, reads<float>, writes<pixel>>(
      [](idx<1> i, reads<float> in, writes<pixel> out) { out[i] = {in[i], 2 * in[i], 0}; });
}

void whole_records() {
  // CHECK-NEXT: read in[i], write out[i]
  launched<1, reads<pixel>, writes<pixel>>(
      [](idx<1> i, reads<pixel> in, writes<pixel> out) { out[i] = in[i]; });
}

void array_in_a_record() {
  // CHECK-NEXT: read in[i], write out[i]
  launched<1, reads<std::array<float, 4>>, writes<float>>(
      [](idx<1> i, reads<std::array<float, 4>> in, writes<float> out) {
        float sum = 0;
        for (int k = 0; k < 4; ++k) sum += in[i][k];
        out[i] = sum;
      });
}

template <typename View>
float mean(const View& in, long begin, long end) {
  float sum = 0;
  for (auto j = begin; j < end; ++j) sum += in[j];
  return sum / static_cast<float>(end - begin);
}

void in_a_helper(long w) {
  // CHECK-NEXT: read in[i-w:i+w], write out[i]
  launched<1, reads<float>, writes<float>>(
      [w](idx<1> i, const auto& in, const auto& out) { out[i] = mean(in, i - w, i + w + 1); });
}
// CHECK-NOT: {{.}}
