// FLAGS: -Rpass-missed=pappus
// PRINTS: remarks
// Remarks stand where lambdas are written; of text, whose functions follow pointers, one a file.
#include <string_view>
#include <vector>

#include "compiler/thunks.h"

struct line {
  std::string_view text;
};

void kernels() {
  using thunks::element;

  // CHECK: remarks.cpp:[[#@LINE+3]]:22: remark: (lambda at {{.*}}:22) runs on the CPU only:
  // CHECK-NEXT: remarks.cpp:[[#@LINE+2]]:49: follows a pointer stored in an object{{.*}}
  // CHECK-NEXT: instead: {{.*}}
  element<int, line>([](const line& l) { return l.text[0] + 1; });
  // CHECK-NEXT: of other functions in this file that do the same nothing is said{{.*}}

  element<int, line>([](const line& l) { return l.text[1] + 2; });

  // CHECK-NEXT: remarks.cpp:[[#@LINE+1]]:21: remark: (lambda at {{.*}}:21) runs {{.*}}
  element<int, int>([](const auto& x) { return std::vector<int>(x, 1)[0]; });
  // CHECK-NEXT: {{.*}}: allocates memory{{.*}}
}
