// A header of the user's.
#pragma once

#include <vector>

extern int verbosity;
void log_line(const char* text);

namespace helper {

inline int padded(int n) {
  const std::vector<int> room(n);
  return static_cast<int>(room.size());
}

template <typename T>
T traced(T x) {
  if (verbosity > 0) log_line("traced");
  return x;
}

template <typename F>
int twice(F f, int x) {
  return f(f(x));
}

}  // namespace helper
