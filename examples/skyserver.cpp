// Query 18 of SkyServer (Gray et al. 2002): objects in the sky beside others of the same colors.
//
//   skyserver [OBJECTS]        made up
//
// Shows joins one after the other, which are one pass over the pairs of neighbours.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>

#include <pappus/pappus.h>

struct object {
  std::int64_t id;
  float u, g, r, i;  // brightness from ultraviolet to infrared
};
struct neighbour {
  std::int64_t id, other;  // less than half a minute of arc apart
};
struct found {
  object first;
  std::int64_t other;
};

bool alike(const object& a, const object& b) {
  const auto near = [](float x, float y) { return std::abs(x - y) < 0.05f; };
  return near(a.u - a.g, b.u - b.g) && near(a.g - a.r, b.g - b.r) && near(a.r - a.i, b.r - b.i);
}

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  const auto count = argc > 1 ? std::atoll(argv[1]) : 100'000;
  const auto objects = s.range(0LL, count).map([](std::int64_t id) {
    const auto part = [id](std::int64_t by) {
      return static_cast<float>(id * id % 10007 * by % 251) / 512;
    };
    return object{id, 18 + part(131), 17 + part(241), 16 + part(353), 15 + part(463)};
  });
  const auto neighbours = s.range(0LL, 4 * count).map([count](std::int64_t i) {
    return neighbour{i / 4, (i / 4 + 1 + i % 4 * i * 7919 % 512) % count};
  });

  // SELECT DISTINCT id FROM neighbours n JOIN objects a USING (id) JOIN objects b ON n.other = b.id
  // WHERE n.id < n.other AND abs((a.u - a.g) - (b.u - b.g)) < 0.05
  //   AND abs((a.g - a.r) - (b.g - b.r)) < 0.05 AND abs((a.r - a.i) - (b.r - b.i)) < 0.05
  const auto similar =
      neighbours.filter([](const neighbour& n) { return n.id < n.other; })
          .join(objects, &neighbour::id, &object::id,
                [](const neighbour& n, const object& a) { return found{a, n.other}; })
          .join(objects, &found::other, &object::id,
                [](const found& f, const object& b) { return pappus::pair(f.first, b); })
          .filter([](const auto& pair) { return alike(pair.first, pair.second); })
          .map([](const auto& pair) { return pair.first.id; })
          .distinct();

  std::cout << similar.count() << " objects\n";
  similar.show(5);
}
