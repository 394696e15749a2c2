// Top k: the numbers below a million that take the most steps of Collatz's rule to reach 1.
//
//   top_k
//
// Shows top, which needs one pass and no sort; of equals the first come first.
#include <pappus/pappus.h>

struct start {
  int number, steps;
};

start follow(int number) {
  int steps = 0;
  for (long n = number; n != 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return {number, steps};
}

int main(int argc, char** argv) {
  pappus::session s{argc, argv};

  // SELECT number, steps ORDER BY steps DESC, number LIMIT 5
  s.range(1, 1'000'000).map(pappus::fn<follow>).top(5, &start::steps).show();
}
