// k-means over the sizes and dependencies of Debian's packages: what kinds of package are there?
//
// Lloyd's algorithm (1982): assign every package to the nearest centre, move each centre to the
// mean of its packages, and repeat until no centre moves. All features are counts over many
// magnitudes, so distances are taken between their logarithms, in standard deviations.
//
// The start is deterministic: packages at even steps through the order by the sum of the features.
#include "demo/queries/kmeans.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "pappus/pappus.h"

namespace demo {
namespace {

using centres_view = std::span<const features>;

features features_of(const package& p) {
  return {{std::log10(1 + p.installed_bytes / 1024.0), std::log10(1 + p.download_bytes / 1024.0),
           std::log10(1.0 + p.dependencies), std::log10(1.0 + p.dependents)}};
}

/// The mean and the standard deviation of every feature, as a reducer.
struct spread {
  std::array<pappus::reducers::variance<double>, 4> of;
  void accumulate(const features& f) {
    for (std::size_t d = 0; d < of.size(); ++d) of[d].accumulate(f.x[d]);
  }
  void merge(const spread& other) {
    for (std::size_t d = 0; d < of.size(); ++d) of[d].merge(other.of[d]);
  }
  double deviation(std::size_t d) const {  // 1 for a feature that never varies
    return of[d].squares > 0 ? std::sqrt(of[d].finalize()) : 1;
  }
  features standardised(features f) const {
    for (std::size_t d = 0; d < of.size(); ++d) f.x[d] = (f.x[d] - of[d].average) / deviation(d);
    return f;
  }
  features restored(features f) const {
    for (std::size_t d = 0; d < of.size(); ++d) f.x[d] = of[d].average + f.x[d] * deviation(d);
    return f;
  }
};

struct mean {
  features total{};
  std::int64_t count = 0;
  void accumulate(const features& f) { merge({f, 1}); }
  void merge(const mean& other) {
    for (std::size_t d = 0; d < total.x.size(); ++d) total.x[d] += other.total.x[d];
    count += other.count;
  }
};

double distance(const features& a, const features& b) {
  double squares = 0;
  for (std::size_t d = 0; d < a.x.size(); ++d) squares += (a.x[d] - b.x[d]) * (a.x[d] - b.x[d]);
  return squares;
}

std::int32_t nearest(const features& f, centres_view centres) {
  std::int32_t best = 0;
  for (std::int32_t c = 1; c < std::ssize(centres); ++c)
    if (distance(f, centres[c]) < distance(f, centres[best])) best = c;
  return best;
}

member assign(const pappus::indexed<features>& p, centres_view centres) {
  const std::int32_t cluster = nearest(p.value, centres);
  return {p.index, cluster, distance(p.value, centres[cluster])};
}

/// An empty cluster's centre stays where it was.
features moved(const pappus::pair<features, mean>& cluster) {
  auto [centre, members] = cluster;
  for (std::size_t d = 0; members.count > 0 && d < centre.x.size(); ++d)
    centre.x[d] = members.total.x[d] / static_cast<double>(members.count);
  return centre;
}

double sum(const features& f) { return std::accumulate(f.x.begin(), f.x.end(), 0.0); }

}  // namespace

clustering kmeans(pappus::session& s, const package_index& index, int k) {
  k = static_cast<int>(std::min(static_cast<std::int64_t>(k), std::ssize(index.packages)));
  const auto raw = s.borrow(index.packages).map(pappus::fn<features_of>);
  const spread all = raw.reduce<spread>();
  const auto points = raw.map([all](const features& f) { return all.standardised(f); }).cache();

  const auto by_sum = points.sort_by(pappus::fn<sum>).collect();
  std::vector<features> start;
  for (int c = 0; c < k; ++c) start.push_back(by_sum[by_sum.size() * (2 * c + 1) / (2 * k)]);

  const auto step = [&](const pappus::collection<features>& centres) {
    const auto members = points.group_by(pappus::fn<nearest>, centres.shared(), pappus::domain{k});
    const auto means = members.template reduce<mean>().values();
    return centres.zip(means).map(pappus::fn<moved>);
  };
  const auto centres =
      s.do_while(s.from(start), step,
                 [](centres_view before, centres_view after) {
                   return !std::ranges::equal(before, after, {}, &features::x, &features::x);
                 })
          .sort_by([](const features& f) { return f.x[0]; })
          .cache();

  const auto members = points.enumerate()
                           .map(pappus::fn<assign>, centres.shared())
                           .sort_by(&member::cluster, &member::distance);
  return {centres.map([all](const features& f) { return all.restored(f); }).collect(),
          members.collect()};
}

}  // namespace demo
