// PRINTS: descriptor
// Which captured references launches may have copies of.
#include <array>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "compiler/footprints.h"

using pappus::idx;
using pappus::writes;
using thunks::launched;

struct alignas(64) padded {
  double value;
  char rest[100];
};

double opaque(const double& x);

void copied(const double& x, const std::array<int, 5>& table, const padded& wide, double* p) {
  // CHECK: {{.*}}"references":[],"reasons":[]{{.*}}
  launched<1, writes<double>>([](idx<1> i, writes<double> out) { out[i] = 1; });

  // CHECK-NEXT: {{.*}}"references":[{"align":8,"bytes":8,"offset":0}],"reasons":[]{{.*}}
  launched<1, writes<double>>([&](idx<1> i, writes<double> out) { out[i] = x; });

  // CHECK-NEXT: {{.*}}"references":[{"align":4,"bytes":20,"offset":0},{{.*}}"reasons":[]{{.*}}
  launched<1, writes<double>>(
      [&table, &x](idx<1> i, writes<double> out) { out[i] = x + table[i % 5]; });

  // CHECK-NEXT: {{.*}}"references":[{"align":64,"bytes":8,"offset":0}],"reasons":[]{{.*}}
  launched<1, writes<double>>([&](idx<1> i, writes<double> out) { out[i] = wide.value; });

  // CHECK-NEXT: {{.*}}"references":[{"align":8,"bytes":16,"offset":0}],"reasons":[]{{.*}}
  launched<1, writes<double>>([p](idx<1> i, writes<double> out) { out[i] = p ? p[0] + p[1] : 0; });

  // CHECK-NEXT: {{.*}}"references":[{"align":8,"bytes":8,"offset":8}],"reasons":[]{{.*}}
  const auto inner = [n = std::int64_t{7}, &x](double a) { return n + a * x; };
  launched<1, writes<double>>([inner](idx<1> i, writes<double> out) { out[i] = inner(2); });

  // CHECK-NEXT: {{.*}}"references":[{"align":8,"bytes":24,"offset":0}],"reasons":[]{{.*}}
  const std::vector<double> numbers;
  launched<1, writes<double>>([&](idx<1> i, writes<double> out) { out[i] = numbers.size(); });
}

void waited_for(double& x, const double& y, double* p, const std::vector<double>& numbers,
                const std::atomic<int>& shared, volatile int& changing) {
  // CHECK-NEXT: {{.*}}"narrow":false,"reasons":[{"id":"writes-reference"{{.*}}
  launched<1, writes<double>>([&](idx<1> i, writes<double> out) { out[i] = x = 1; });

  // CHECK-NEXT: {{.*}}"narrow":false,"reasons":[]{{.*}}
  launched<1, writes<double>>([p](idx<1> i, writes<double> out) { out[i] = p[i]; });

  // CHECK-NEXT: {{.*}}"narrow":false,"reasons":[]{{.*}}
  launched<1, writes<double>>([&](idx<1> i, writes<double> out) { out[i] = numbers[i]; });

  // CHECK-NEXT: {{.*}}"narrow":false,"reasons":[]{{.*}}
  const auto inner = [&y](double a) { return a * y; };
  launched<1, writes<double>>([&inner](idx<1> i, writes<double> out) { out[i] = inner(2); });

  // CHECK-NEXT: {{.*}}"narrow":false,"reasons":[]{{.*}}
  launched<1, writes<double>>(
      [p, &y](idx<1> i, writes<double> out) { out[i] = p == &y ? 1 : *p + y; });

  // CHECK-NEXT: {{.*}}"narrow":false,"reasons":[]{{.*}}
  launched<1, writes<double>>(
      [&y](idx<1> i, writes<double> out) { out[i] = y + reinterpret_cast<std::uintptr_t>(&y); });

  // CHECK-NEXT: {{.*}}"narrow":false,"reasons":[]{{.*}}
  launched<1, writes<double>>([&y](idx<1> i, writes<double> out) {
    if (y < 0) throw std::invalid_argument("negative");
    out[i] = y;
  });

  // CHECK-NEXT: {{.*}}"narrow":false,"reasons":[{"id":"unseen-body"{{.*}}
  launched<1, writes<double>>([&y](idx<1> i, writes<double> out) { out[i] = opaque(y); });

  // CHECK-NEXT: {{.*}}"narrow":false,"reasons":[{"id":"atomic"{{.*}}
  launched<1, writes<double>>([&shared](idx<1> i, writes<double> out) { out[i] = shared; });

  // CHECK-NEXT: {{.*}}"narrow":false,"reasons":[{"id":"volatile"{{.*}}
  launched<1, writes<double>>([&changing](idx<1> i, writes<double> out) { out[i] = changing; });
}
// CHECK-NOT: {{.}}
