// k-means over arrays: the centers of three clouds of points, as kmeans.cpp finds them by a query.
//
//   kmeans_arrays
//
// Each round a launch over the points adds each of them to the cluster of its nearest center, and a
// launch over the centers moves them. Rounds go on until no center moves, which the host looks at.
// Shows a reducer of yours in an array, to which all indices add at places that depend on data.
#include <iomanip>
#include <iostream>

#include <pappus/pappus.h>

using pappus::idx;
using pappus::reads;
using pappus::reduces;
using pappus::updates;
using pappus::writes;

struct point {
  double x, y;
};

/// The points of a cluster; their mean is its center.
struct cluster {
  point total{};
  long count = 0;
  void accumulate(const point& p) { merge({p, 1}); }
  void merge(const cluster& other) {
    total.x += other.total.x;
    total.y += other.total.y;
    count += other.count;
  }
};

double squared_distance(const point& a, const point& b) {
  return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  const long n = 30'000, k = 3;

  // Around (0, 0), (5, 0) and (0, 5) in turn, up to 4 away in x and in y.
  auto points = s.unwritten<point>({n});
  s.for_each(
      n,
      [](idx<1> i, writes<point> points) {
        const point clouds[] = {{0, 0}, {5, 0}, {0, 5}};
        points[i] = {clouds[i % 3].x + static_cast<double>(i * 37 % 71) / 10 - 3,
                     clouds[i % 3].y + static_cast<double>(i * 53 % 79) / 10 - 4};
      },
      points);
  auto centers = points[{0, k}].copy();  // where to start
  auto clusters = s.filled<cluster>({k}, {});
  auto moved = s.zeros<long>({1});

  do {
    clusters.fill({});
    moved.fill(0);
    s.for_each(
        n,
        [](idx<1> i, reads<point> points, reads<point> centers, reduces<cluster> clusters) {
          long best = 0;
          for (long c = 1; c < k; ++c)
            if (squared_distance(points[i], centers[c]) <
                squared_distance(points[i], centers[best]))
              best = c;
          clusters[best].accumulate(points[i]);
        },
        points, centers, clusters);
    s.for_each(
        k,
        [](idx<1> c, reads<cluster> clusters, updates<point> centers, reduces<long> moved) {
          const auto& [total, count] = clusters[c];
          const point mean{total.x / static_cast<double>(count),
                           total.y / static_cast<double>(count)};
          moved[0] += squared_distance(mean, centers[c]) > 0 ? 1 : 0;
          centers[c] = mean;
        },
        clusters, centers, moved);
  } while (moved.host()[0] > 0);

  std::cout << std::fixed << std::setprecision(2);
  for (const point& c : centers.host()) std::cout << c.x << " " << c.y << "\n";
}
