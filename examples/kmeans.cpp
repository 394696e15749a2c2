// k-means: the centers of three clouds of points.
//
//   kmeans
//
// Lloyd's algorithm: each point belongs to the nearest center, and each center moves to the mean of
// its points, until none moves. Shows do_while, data shared with a lambda, and a reducer of yours.
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <span>

#include <pappus/pappus.h>

struct point {
  double x, y;
  bool operator==(const point&) const = default;
};

struct mean {
  point total{};
  long count = 0;
  void accumulate(const point& p) { merge({p, 1}); }
  void merge(const mean& other) {
    total.x += other.total.x;
    total.y += other.total.y;
    count += other.count;
  }
  point finalize() const { return {total.x / count, total.y / count}; }
};

int nearest(const point& p, std::span<const point> centers) {
  const auto distance = [&](const point& c) {
    return (p.x - c.x) * (p.x - c.x) + (p.y - c.y) * (p.y - c.y);
  };
  int best = 0;
  for (int c = 1; c < std::ssize(centers); ++c)
    if (distance(centers[c]) < distance(centers[best])) best = c;
  return best;
}

/// Around (0, 0), (5, 0) and (0, 5) in turn, up to 4 away in x and in y.
point made_up(int i) {
  const point clouds[] = {{0, 0}, {5, 0}, {0, 5}};
  return {clouds[i % 3].x + i * 37 % 71 / 10.0 - 3, clouds[i % 3].y + i * 53 % 79 / 10.0 - 4};
}

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  const int k = 3;
  auto points = s.range(0, 30'000).map(pappus::fn<made_up>).cache();

  auto centers = s.do_while(
      points.take(k),  // where to start
      [&](const pappus::collection<point>& centers) {
        return points.group_by(pappus::fn<nearest>, centers.shared(), pappus::domain{k})
            .reduce<mean>()
            .values();
      },
      [](std::span<const point> before, std::span<const point> after) {
        return !std::ranges::equal(before, after);
      });

  std::cout << std::fixed << std::setprecision(2);
  for (const point& c : centers.collect()) std::cout << c.x << " " << c.y << "\n";
}
