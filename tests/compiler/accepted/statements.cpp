// Control flow.
#include "compiler/thunks.h"

int twice(int x) { return 2 * x; }
int next(int x) { return x + 1; }
struct operation {
  const char* name;
  int (*function)(int);
};
constexpr operation operations[] = {{"twice", twice}, {"next", next}, {"again", twice}};

enum class color : unsigned char { red, green, blue };

void kernels(int limit) {
  using thunks::element;

  // TEXT: one loop, no floats, no array
  element<int, unsigned>([](unsigned n) {
    int steps = 0;
    for (; n > 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    return steps;
  });

  // TEXT: no floats, no array
  element<int, int>([limit](int x) {
    int i = 0;
    while (i < limit) {
      if (x == i) break;
      if ((x & i) != 0) {
        ++i;
        continue;
      }
      x -= i++;
    }
    return x;
  });

  // TEXT: one loop, no floats, no array
  element<int, int>([](int x) {
    do {
      x /= 3;
    } while (x > 100);
    return x;
  });

  // TEXT: no loop, no floats, no array
  element<int, color>([](color c) {
    switch (c) {
      case color::red:
        return 10;
      case color::green:
        return 25;
      case color::blue:
        return 17;
    }
  });

  // TEXT: no loop, no array
  element<double, int>([](int x) {
    switch (x) {
      case 1:
        return 0.5;
      case 10:
      case 11:
        x += 3;
        [[fallthrough]];
      case 1000:
        return x * 1.5;
      default:
        return 0.;
    }
  });

  // TEXT: one loop, no floats, no array
  element<int, int>([](int x) {
    again:
      if (x > 100) {
        x /= 2;
        goto again;
      }
      if (x < 0) goto negative;
      return x;
    negative:
      return -1;
  });

  // TEXT: two loops, two counted loops, no floats, no array
  element<int, int>([](int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j)
        if (i % (j + 1) == 0) sum += j;
    return sum;
  });
}

// Variables that count, in loops that are left, continued and looked back at.
void counters(long by) {
  using thunks::element;

  // TEXT: one loop, one counted loop, no floats, no array
  element<int, int>([](int n) {
    int product = 1;
    for (int i = 30; i > n; i -= 7) product *= i;
    return product;
  });

  // TEXT: one loop, one counted loop, no floats, no array
  element<long, int>([by](int n) {
    long sum = 0;
    for (long i = n; i < 100; i += by) {
      if (i % 3 == 0) continue;
      if (i == 77) return -1L;
      switch (i & 3) {
        case 1:
          continue;
        case 2:
          sum += 5;
      }
      sum += i;
    }
    return sum;
  });

  // Its end can return, which the text has no other jump for.
  // TEXT: one loop, one counted loop, no floats, no array
  element<int, int>([](int n) {
    int i = 2;
    for (; i * i <= n; ++i)
      if (n % i == 0) return -i;
    return 3 * i;
  });

  // TEXT: one loop, one counted loop, no floats, no array
  element<int, int>([](int n) {
    int i = 2, sum = 0;
    for (; i * i <= n; ++i) sum += n % i;
    return 3 * i + sum;
  });

  // Each turn takes what the counter and another variable were.
  // TEXT: one loop, one counted loop, no floats, no array
  element<unsigned, int>([](int n) {
    unsigned last = 1, before = 0;
    for (int i = 0; i < n; ++i) {
      const unsigned next = last + before + static_cast<unsigned>(i);
      before = last;
      last = next ^ static_cast<unsigned>(i);
    }
    return last - before;
  });

  // What is added changes.
  // TEXT: one loop, no counted loop, no floats, no array
  element<int, int>([](int n) {
    int step = 1, turns = 0;
    for (int i = 0; i < n; i += step, ++turns) step += i;
    return turns * 100 + step;
  });
}

void choices() {
  using thunks::element;

  // Which function it is becomes a number.
  // TEXT: no floats, no array, no branch
  element<int, int>([](int x) { return operations[x].function(x); }, {0, 1, 2});
  // TEXT: no floats, no array, no branch
  element<int, int>([](int x) {
    int (*const chosen)(int) = x % 2 == 0 ? twice : next;
    return chosen(x);
  });

  // TEXT: no loop, no floats, no array
  element<bool, int>([](int x) { return x > 3 && (x < 10 || x == 20) && !(x % 7 == 0); });
}

// Duff's device: a loop that is entered in several places.
void entered_in_between() {
  // TEXT: one loop, no floats, no array
  thunks::element<int, int>([](int x) {
    int left = (x & 15) + 4, sum = 0;
    switch (x & 3) {
      case 0:
        do {
          sum += 3;
          [[fallthrough]];
          case 3:
            sum ^= left;
            [[fallthrough]];
          case 2:
            sum += x;
            [[fallthrough]];
          case 1:
            sum *= 5;
        } while (--left > 0);
    }
    return sum;
  });
}
