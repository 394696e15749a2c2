// A reducer of your own: the longest run of numbers below a million without a prime among them.
//
//   custom_reducer
//
// A run may begin in one part of the data and end in the next, so a part remembers the runs at its
// ends. merge() is always given the part that follows, so reducers may depend on the order.
#include <algorithm>
#include <iostream>

#include <pappus/pappus.h>

struct run {
  int first = 0;
  long length = 0;
};

struct longest_run {
  long numbers = 0;      // in this part
  run begin, end, best;  // at its first number, at its last, anywhere

  void accumulate(const pappus::pair<int, bool>& number) {
    const auto& [n, prime] = number;
    merge(prime ? longest_run{1, {}, {}, {}} : longest_run{1, {n, 1}, {n, 1}, {n, 1}});
  }
  void merge(const longest_run& next) {
    const run joined{end.length > 0 ? end.first : next.begin.first, end.length + next.begin.length};
    best = std::max({best, joined, next.best},
                    [](const run& a, const run& b) { return a.length < b.length; });
    if (begin.length == numbers) begin = joined;
    end = next.end.length == next.numbers ? joined : next.end;
    numbers += next.numbers;
  }
  run finalize() const { return best; }
};

bool is_prime(int n) {
  for (int d = 2; d * d <= n; ++d)
    if (n % d == 0) return false;
  return n >= 2;
}

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  const run found = s.range(2, 1'000'000)
                        .map([](int n) { return pappus::pair{n, is_prime(n)}; })
                        .reduce<longest_run>();
  std::cout << found.length << " numbers from " << found.first << "\n";
}
