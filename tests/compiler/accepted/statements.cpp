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

  // TEXT: two loops, no floats, no array
  element<int, int>([](int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j)
        if (i % (j + 1) == 0) sum += j;
    return sum;
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
