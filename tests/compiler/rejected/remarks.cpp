// FLAGS: -Rpass-missed=pappus
// PRINTS: remarks
// Remarks stand where lambdas are written; of text, whose functions all follow pointers, one a file.
#include <string_view>
#include <vector>

#include "compiler/thunks.h"

struct line {
  std::string_view text;
};

void kernels() {
  using thunks::element;

  // CHECK: remarks.cpp:[[#@LINE+3]]:22: remark: (lambda at remarks.cpp:[[#@LINE+3]]:22) runs on the CPU only:
  // CHECK-NEXT:   remarks.cpp:[[#@LINE+2]]:49: follows a pointer stored in an object, to memory that a device doesn't have
  // CHECK-NEXT: instead: {{.*}}
  element<int, line>([](const line& l) { return l.text[0] + 1; });
  // CHECK-NEXT:   of other functions in this file that do the same nothing is said [-Rpass-missed=pappus]

  element<int, line>([](const line& l) { return l.text[1] + 2; });

  // CHECK-NEXT: remarks.cpp:[[#@LINE+1]]:21: remark: (lambda at remarks.cpp:[[#@LINE+1]]:21) runs on the CPU only:
  element<int, int>([](const auto& x) { return std::vector<int>(x, 1)[0]; });
  // CHECK-NEXT: {{.*}}: allocates memory{{.*}}
}
