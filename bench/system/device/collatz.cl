// How many steps of x/2 or 3x+1 lead to 1.

DEVICE int collatz(int start) {
  ulong x = (ulong)start;
  int steps = 0;
  while (x != 1) {
    x = (x & 1) ? 3 * x + 1 : x >> 1;
    ++steps;
  }
  return steps;
}
