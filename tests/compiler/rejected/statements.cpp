// Statements and types that devices lack.
// FLAGS: -mavx512f
#include <immintrin.h>

#include <atomic>
#include <cmath>
#include <coroutine>
#include <csetjmp>
#include <cstdio>
#include <iostream>

#include "compiler/thunks.h"

struct job {
  struct promise_type {
    int value = 0;
    job get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_value(int v) { value = v; }
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};
job twice(int x) { co_return 2 * x; }

void kernels(std::atomic<int>& hits) {
  using thunks::element;

  element<int, int>([](int x) {
    asm volatile("nop");
    return x;
  });

  element<int, int>([](int x) {
    volatile int y = x;
    return y + 1;
  });

  element<int, int>([&hits](int x) { return hits.fetch_add(x); });

  element<int, int>([&hits](int x) { return hits.load() + x; });

  element<int, int>([](int x) {
    int array[x];
    for (int i = 0; i < x; ++i) array[i] = i * i;
    int sum = 0;
    for (int i = 0; i < x; ++i) sum += array[x - 1 - i] * array[i];
    return sum;
  });

  element<int, int>([](int x) {
    std::jmp_buf back;
    return setjmp(back) + x;
  });

  element<int, int>([](int x) {
    static void* const labels[] = {&&one, &&two};
    goto* labels[x & 1];
  one:
    return 10;
  two:
    return 20;
  });

  element<int, int>([](int x) { return twice(x).handle.promise().value; });

  element<int, int>([](int x) {
    std::cout << x << '\n';
    return x;
  });

  element<int, int>([](int x) {
    std::printf("%d\n", x);
    return x;
  });

  element<long, long>([](long x) { return static_cast<long>(static_cast<__int128>(x) * x / 10); });

  element<double, double>(
      [](double x) { return static_cast<double>(std::sqrt(static_cast<long double>(x))); });

  element<double, double>([](double x) {
    const __m128d v = _mm_rcp14_sd(_mm_set1_pd(x), _mm_set1_pd(x));
    return v[0];
  });
}
