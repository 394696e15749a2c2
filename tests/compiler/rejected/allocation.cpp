// Memory that a function would have to ask for.
#include <cstdlib>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/thunks.h"

void kernels() {
  using thunks::element;

  element<int, int>([](int n) {
    std::vector<int> v(n, 1);
    return std::accumulate(v.begin(), v.end(), 0);
  });

  element<int, int>([](int n) {
    std::string s = std::to_string(n);
    return static_cast<int>(s.size());
  });

  element<int, int>([](int n) {
    std::map<int, int> m;
    m[n] = 1;
    return m[n / 2];
  });

  element<int, int>([](int n) {
    std::unordered_map<int, int> m;
    m[n] = 1;
    return m[n / 2];
  });

  element<int, int>([](int n) {
    std::deque<int> d(n);
    return d[n / 2];
  });

  element<int, int>([](int n) {
    const auto p = std::make_shared<int>(n);
    const std::weak_ptr<int> w = p;
    return *w.lock();
  });

  element<int, int>([](int n) {
    int* memory = static_cast<int*>(std::malloc(n * sizeof(int)));
    for (int i = 0; i < n; ++i) memory[i] = i;
    const int middle = memory[n / 2];
    std::free(memory);
    return middle;
  });
}
