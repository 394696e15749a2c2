// Loops over indices whose guards the plugin takes out for the rows and indices inside
// (compiler/loops/splitting.h), against calls one by one.
#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "pappus/detail/loops/launch.h"
#include "pappus/reduces.h"
#include "regions/made_up.h"

namespace pappus {
namespace {

/// Elements before and behind an array's, which nobody writes: at least so many.
constexpr std::int64_t margin = 3;

/// What is captured: the number of elements, and borders that may lie anywhere.
struct borders {
  std::int64_t n, low, high, width;
  int small;
};

/// Memory that begins with a cache line.
template <typename T>
struct line_allocator {
  using value_type = T;
  static constexpr std::align_val_t line{64};
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), line)); }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, line); }
  bool operator==(const line_allocator&) const = default;
};
using floats = std::vector<float, line_allocator<float>>;

/// Where an array begins in `floats`: with a line, as what goes past the caches has to, or not.
std::int64_t begin_of(std::uint64_t seed) { return seed % 3 == 0 ? margin : 16; }

floats values(std::size_t n, std::uint64_t seed) {
  floats made(n);
  for (std::size_t i = 0; i < n; ++i)
    made[i] = static_cast<float>((i * 2654435761U + seed * 40503U) % 1021) / 7;
  return made;
}

detail::view_place place_of(const floats& elements, std::int64_t begin, std::int64_t n) {
  detail::view_place place{};
  place.elements = reinterpret_cast<std::byte*>(const_cast<float*>(elements.data()) + begin);
  place.extents[0] = n;
  place.strides[0] = 1;
  return place;
}

/// Not inlined, so that the compiler knows of no index more than its number.
template <typename F, std::size_t N, typename... Views>
[[gnu::noinline]] void call(const F& f, idx<N> i, Views... views) {
  f(i, views...);
}

/// As a launch of f(index, reads, Last) does, and by calls one by one: what the last array holds.
template <typename Last, typename F>
void compare(const F& f, std::int64_t n, std::int64_t low, std::int64_t high, std::uint64_t seed) {
  const auto begin = begin_of(seed);
  const auto size = static_cast<std::size_t>(begin + n + margin);
  const auto in = values(size, seed);
  auto looped = values(size, seed + 1), called = looped;
  detail::view_place places[] = {place_of(in, begin, n), place_of(looped, begin, n)};
  detail::array_box box{};
  box.rank = 1;
  box.low[0] = low, box.high[0] = high;
  const bool reduces = Last::access == detail::view_access::reduce;
  if (low < high)
    detail::launch_loop_of<F, 1, reads<float>, Last>::run(
        &f, {box, box, places, !reduces, 0, nullptr, seed % 2 == 1});
  const detail::view_shape<1> shape{{n}, {1}};
  for (auto i = low; i < high; ++i)
    call(f, idx<1>(i), reads<float>(in.data() + begin, shape), Last(called.data() + begin, shape));
  ASSERT_EQ(looped, called) << "indices " << low << " to " << high << " of " << n;
}

/// All of 1 to 70 indices, and some of more; borders where they should be and anywhere else.
template <typename Last = writes<float>, typename Make>
void check(Make make) {
  regions::made_up random(7);
  const auto somewhere = [&](std::int64_t n) -> std::int64_t {
    if (random.one_in(20)) return random.one_in(2) ? INT64_MAX : INT64_MIN;
    return random.between(-5, n + 5);
  };
  for (std::int64_t round = 0; round < 300; ++round) {
    const auto n = round < 70 ? round + 1 : random.between(1, 400);
    const bool all = round < 70 || random.one_in(3);
    const auto low = all ? 0 : random.between(0, n), high = all ? n : random.between(low, n);
    const borders of{n, somewhere(n), somewhere(n), random.between(0, 5),
                     static_cast<int>(random.between(-5, n + 5))};
    compare<Last>(make(of), n, low, high, static_cast<std::uint64_t>(round));
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(guards, of_neighbours_hold) {
  check([](const borders& of) {
    return [n = of.n](idx<1> i, reads<float> in, writes<float> out) {
      const std::int64_t j = i;
      const float left = j > 0 ? in[j - 1] : in[j], right = j + 1 < n ? in[j + 1] : in[j];
      out[j] = left - 2 * in[j] + 3 * right;
    };
  });
  check([](const borders& of) {
    return [n = of.n](idx<1> i, reads<float> in, writes<float> out) {
      const std::int64_t j = i;
      const float left = j < 1 ? 7 : in[j - 1], right = j >= n - 1 ? 8 : in[j + 1];
      const float far = j >= 3 && j <= n - 4 ? in[j - 3] * in[j + 3] : 1;
      out[j] = left - 2 * in[j] + 3 * right + far;
    };
  });
  check([](const borders& of) {
    return [n = of.n](idx<1> i, reads<float> in, writes<float> out) {
      const std::int64_t j = i;
      if (j == 0 || j == n - 1)
        out[j] = in[j];
      else
        out[j] = in[j - 1] - in[j + 1];
    };
  });
}

TEST(guards, that_leave_elements_alone_hold) {
  check([](const borders& of) {
    return [n = of.n](idx<1> i, reads<float> in, writes<float> out) {
      if (i > 0 && i < n - 1) out[i] = in[i - 1] + in[i + 1];
    };
  });
  check([](const borders& of) {
    return [low = of.low, high = of.high](idx<1> i, reads<float> in, writes<float> out) {
      if (i >= low && i < high) out[i] = 2 * in[i];
    };
  });
  check([](const borders& of) {
    return [low = of.low, high = of.high](idx<1> i, reads<float> in, writes<float> out) {
      if (i != low && !(i > high)) out[i] = 2 * in[i];
    };
  });
}

TEST(guards, of_unsigned_numbers_hold) {
  check([](const borders& of) {
    return [n = static_cast<std::size_t>(of.n)](idx<1> i, reads<float> in, writes<float> out) {
      const auto j = static_cast<std::size_t>(i[0]);
      const float left = j - 1 < n ? in[i - 1] : 0, right = j + 1 < n ? in[i + 1] : 0;
      out[i] = left - 2 * in[i] + 3 * right;
    };
  });
  check([](const borders& of) {
    return
        [high = static_cast<std::size_t>(of.high)](idx<1> i, reads<float> in, writes<float> out) {
          const auto j = static_cast<std::size_t>(i[0]);
          out[i] = (j <= high ? 2 : 3) * in[i] + (j > high ? 1 : 0);
        };
  });
}

TEST(guards, of_narrow_numbers_hold) {
  check([](const borders& of) {
    return [n = static_cast<int>(of.n), small = of.small](idx<1> i, reads<float> in,
                                                          writes<float> out) {
      const int j = static_cast<int>(i[0]);
      const float left = j > 0 ? in[j - 1] : 0, right = j + 1 < n ? in[j + 1] : 0;
      out[j] = (j < small ? left : 2) - 2 * in[j] + 3 * right;
    };
  });
}

TEST(guards, that_clamp_hold) {
  check([](const borders& of) {
    return [n = of.n](idx<1> i, reads<float> in, writes<float> out) {
      out[i] = in[std::max<std::int64_t>(i - 1, 0)] - 2 * in[std::min<std::int64_t>(i + 1, n - 1)];
    };
  });
  check([](const borders& of) {
    return [n = of.n, w = of.width](idx<1> i, reads<float> in, writes<float> out) {
      const std::int64_t j = i;
      out[j] = in[std::clamp<std::int64_t>(j - w, 0, n - 1)] -
               2 * in[std::clamp<std::int64_t>(j + w, 0, n - 1)] + (j - w >= 0 ? in[j - w] : 5) +
               (j + w < n ? 3 * in[j + w] : 4);
    };
  });
}

TEST(guards, within_functions_loops_hold) {
  check([](const borders& of) {
    return [n = of.n, w = of.width](idx<1> i, reads<float> in, writes<float> out) {
      float sum = 0;
      for (std::int64_t j = i - w; j <= i + w; ++j)
        if (j >= 0 && j < n) sum = sum * 0.5f + in[j];
      out[i] = sum;
    };
  });
}

/// Of a rank-2 array of `rows` rows, as launches of f(index, reads, writes) do and by calls.
template <typename Make>
void check_rows(Make make) {
  regions::made_up random(11);
  for (std::uint64_t round = 0; round < 200; ++round) {
    const auto rows = random.between(1, 6), n = random.between(1, 90);
    const auto some = [&](std::int64_t below) {
      const auto low = random.one_in(3) ? random.between(0, below) : 0;
      return std::pair(low, random.one_in(3) ? random.between(low, below) : below);
    };
    const auto [low_row, high_row] = some(rows);
    const auto [low, high] = some(n);
    const borders of{n, random.between(-2, rows + 2), random.between(-2, rows + 2), rows,
                     random.one_in(2) ? 1 : 0};
    const auto f = make(of);
    const auto begin = begin_of(round);
    const auto in = values(static_cast<std::size_t>(begin + rows * n + margin), round);
    auto looped = values(in.size(), round + 1), called = looped;
    detail::view_place places[] = {place_of(in, begin, rows), place_of(looped, begin, rows)};
    for (auto& place : places) place.extents[1] = n, place.strides[0] = n, place.strides[1] = 1;
    detail::array_box box{};
    box.rank = 2, box.low = {low_row, low}, box.high = {high_row, high};
    using in_view = reads<float, 2>;
    using out_view = writes<float, 2>;
    if (low_row < high_row && low < high)
      detail::launch_loop_of<std::decay_t<decltype(f)>, 2, in_view, out_view>::run(
          &f, {box, box, places, true, 0, nullptr, round % 2 == 1});
    const detail::view_shape<2> shape{{rows, n}, {n, 1}};
    for (auto r = low_row; r < high_row; ++r)
      for (auto i = low; i < high; ++i)
        call(f, idx<2>(r, i), in_view(in.data() + begin, shape),
             out_view(called.data() + begin, shape));
    ASSERT_EQ(looped, called) << "rows " << low_row << " to " << high_row << " of " << rows
                              << ", indices " << low << " to " << high << " of " << n;
  }
}

TEST(guards, of_rows_hold) {
  check_rows([](const borders& of) {
    return [n = of.n, rows = of.width](idx<2> p, reads<float, 2> in, writes<float, 2> out) {
      const auto i = p[0], j = p[1];
      const float up = i > 0 ? in(i - 1, j) : 1, down = i + 1 < rows ? in(i + 1, j) : 2;
      const float left = j > 0 ? in(i, j - 1) : 3, right = j + 1 < n ? in(i, j + 1) : 4;
      out[p] = up + 2 * down - 3 * left + 5 * right;
    };
  });
  check_rows([](const borders& of) {
    return [n = of.n, rows = of.width](idx<2> p, reads<float, 2> in, writes<float, 2> out) {
      const auto i = p[0], j = p[1];
      if (i == 0 || rows - 1 <= i || j == 0 || n - 1 <= j) return;
      out[p] = in(i - 1, j) + 2 * in(i + 1, j) - 3 * in(i, j - 1) + 5 * in(i, j + 1);
    };
  });
  check_rows([](const borders& of) {
    return [first = of.low, last = of.high, flag = of.small != 0](idx<2> p, reads<float, 2> in,
                                                                  writes<float, 2> out) {
      const bool own = p[0] >= first && !(p[0] > last);
      if (flag) out[p] = (own ? 2 : 3) * in[p];
      if (own != flag && p[1] != 5) out[p] += p[0] == last ? 1 : 4;
    };
  });
}

TEST(guards, of_what_is_carried_from_index_to_index_hold) {
  check<reduces<float>>([](const borders& of) {
    return [n = of.n](idx<1> i, reads<float> in, reduces<float> out) {
      out[0] += (i > 0 ? in[i - 1] : 1) * (i + 1 < n ? in[i + 1] : 3);
    };
  });
  check<reduces<float>>([](const borders& of) {
    return [low = of.low, high = of.high](idx<1> i, reads<float> in, reduces<float> out) {
      if (i >= low && i < high) out[0] += in[i];
      if (i != high) out[i] += 2;
    };
  });
}

}  // namespace
}  // namespace pappus
