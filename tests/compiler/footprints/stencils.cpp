// FLAGS: -g
// PRINTS: footprint
// Neighbours of an element, in one, two and three dimensions.
#include "compiler/footprints.h"

using pappus::idx;
using pappus::reads;
using pappus::updates;
using pappus::writes;
using thunks::launched;

void three_points() {
  // CHECK: read in[i-1:i+1], write out[i]
  launched<1, reads<float>, writes<float>>([](idx<1> i, reads<float> in, writes<float> out) {
    out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3;
  });
}

void guards_at_the_edges(int n) {
  // CHECK-NEXT: read in[i-1:i+1], write out[i]
  launched<1, reads<float>, writes<float>>([n](idx<1> i, reads<float> in, writes<float> out) {
    const float left = i > 0 ? in[i - 1] : 0, right = i + 1 < n ? in[i + 1] : 0;
    out[i] = (left + in[i] + right) / 3;
  });
}

void captured_width(int w) {
  // CHECK-NEXT: read in[i-w:i+w], write out[i]
  launched<1, reads<float>, writes<float>>([w](idx<1> i, reads<float> in, writes<float> out) {
    float sum = 0;
    for (int j = -w; j <= w; ++j) sum += in[i + j];
    out[i] = sum;
  });
}

void captured_width_by_reference(const long& w) {
  // CHECK-NEXT: read in[i-w:i+w], write out[i]
  launched<1, reads<float>, writes<float>>([&w](idx<1> i, reads<float> in, writes<float> out) {
    float sum = 0;
    for (long j = i - w; j <= i + w; ++j) sum += in[j];
    out[i] = sum;
  });
}

void int_index(int w) {
  // CHECK-NEXT: read in[i-w:i+w], write out[i]
  launched<1, reads<float>, writes<float>>([w](int i, reads<float> in, writes<float> out) {
    float sum = 0;
    for (int j = i - w; j <= i + w; j++) sum += in[j];
    out[i] = sum;
  });
}

void unsigned_index() {
  // CHECK-NEXT: read in[i-1:i+1], write out[i]
  launched<1, reads<float>, writes<float>>([](unsigned i, reads<float> in, writes<float> out) {
    out[i] = (i > 0 ? in[i - 1] : 0) + in[i + 1];
  });
}

void five_points() {
  // CHECK-NEXT: read in[i-1:i+1,j], read in[i,j-1:j+1], write out[i,j]
  launched<2, reads<float, 2>, writes<float, 2>>(
      [](idx<2> p, reads<float, 2> in, writes<float, 2> out) {
        const auto i = p[0], j = p[1];
        out[p] = in(i - 1, j) + in(i + 1, j) + in(i, j - 1) + in(i, j + 1) - 4 * in[p];
      });
}

void nine_points() {
  // CHECK-NEXT: read in[i-1:i+1,j-1:j+1], write out[i,j]
  launched<2, reads<float, 2>, writes<float, 2>>(
      [](idx<2> p, reads<float, 2> in, writes<float, 2> out) {
        float sum = 0;
        for (int y = -1; y <= 1; ++y)
          for (int x = -1; x <= 1; ++x) sum += in[p + idx<2>(y, x)];
        out[p] = sum / 9;
      });
}

void seven_points_in_space() {
  // CHECK-NEXT: read in[i,j,k-1:k+1], read in[i,j-1:j+1,k], read in[i-1:i+1,j,k], write out[i,j,k]
  launched<3, reads<float, 3>, writes<float, 3>>(
      [](idx<3> p, reads<float, 3> in, writes<float, 3> out) {
        const idx<3> x(0, 0, 1), y(0, 1, 0), z(1, 0, 0);
        out[p] = in[p - x] + in[p + x] + in[p - y] + in[p + y] + in[p - z] + in[p + z] - 6 * in[p];
      });
}

void only_the_neighbours() {
  // CHECK-NEXT: read in[i-1:i+1], write out[i]
  launched<1, reads<float>, writes<float>>(
      [](idx<1> i, reads<float> in, writes<float> out) { out[i] = in[i + 1] - in[i - 1]; });
}

void far_apart() {
  // CHECK-NEXT: read in[i], read in[i+1000], write out[i]
  launched<1, reads<float>, writes<float>>(
      [](idx<1> i, reads<float> in, writes<float> out) { out[i] = in[i] + in[i + 1000]; });
}

void symmetric(int r) {
  // CHECK-NEXT: read in[i], read in[i-r:i-1], read in[i+1:i+r], write out[i]
  launched<1, reads<float>, writes<float>>([r](idx<1> i, reads<float> in, writes<float> out) {
    float sum = in[i];
    for (int d = 1; d <= r; ++d) sum += in[i - d] + in[i + d];
    out[i] = sum;
  });
}
// CHECK-NOT: {{.}}
