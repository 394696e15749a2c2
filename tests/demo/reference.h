// The demo's algorithms once more, as sequential loops over plain vectors.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "demo/support/package_index.h"

namespace demo::reference {

inline std::vector<double> pagerank(const package_index& index) {
  const std::size_t n = index.packages.size();
  const double even = 1.0 / static_cast<double>(n);
  std::vector<double> ranks(n, even);
  for (double moved = 1; moved > 1e-9;) {
    std::vector<double> received(n, 0.0);
    for (const auto& [from, to] : index.dependencies)
      received[static_cast<std::size_t>(to)] +=
          ranks[static_cast<std::size_t>(from)] /
          index.packages[static_cast<std::size_t>(from)].dependencies;
    double lost = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (index.packages[i].dependencies == 0) lost += ranks[i];
    moved = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double next = 0.15 * even + 0.85 * (received[i] + lost * even);
      moved += std::abs(next - ranks[i]);
      ranks[i] = next;
    }
  }
  return ranks;
}

inline std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> found(1);
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) || static_cast<unsigned char>(c) >= 0x80)
      found.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!found.back().empty())
      found.emplace_back();
  }
  if (found.back().empty()) found.pop_back();
  return found;
}

/// (score, name) of the ten best, best first.
inline std::vector<std::pair<double, std::string>> search(const package_index& index,
                                                          const std::vector<std::string>& query) {
  constexpr std::array<double, 2> weight{2, 1}, b{0.5, 0.75};
  std::vector<std::array<std::vector<std::string>, 2>> documents;
  std::array<double, 2> average{};
  std::map<std::string, double> having;
  for (const package& p : index.packages) {
    auto& fields = documents.emplace_back();
    fields = {words(p.name), words(p.description)};
    std::set<std::string> distinct;
    for (std::size_t f = 0; f < 2; ++f) {
      average[f] += static_cast<double>(fields[f].size());
      distinct.insert(fields[f].begin(), fields[f].end());
    }
    for (const std::string& word : distinct) ++having[word];
  }
  const auto n = static_cast<double>(documents.size());
  for (double& length : average) length /= n;

  std::vector<std::pair<double, std::string>> hits;
  for (std::size_t d = 0; d < documents.size(); ++d) {
    double score = 0;
    for (const std::string& word : query) {
      double tf = 0;
      for (std::size_t f = 0; f < 2; ++f) {
        const auto& field = documents[d][f];
        const auto count = static_cast<double>(std::count(field.begin(), field.end(), word));
        if (count > 0)
          tf += weight[f] * count /
                (1 - b[f] + b[f] * static_cast<double>(field.size()) / average[f]);
      }
      score += std::log(1 + (n - having[word] + 0.5) / (having[word] + 0.5)) * tf / (1.2 + tf);
    }
    if (score > 0) hits.emplace_back(score, index.packages[d].name);
  }
  std::ranges::sort(hits, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  hits.resize(std::min<std::size_t>(10, hits.size()));
  return hits;
}

using vector4 = std::array<double, 4>;

inline double squared_distance(const vector4& a, const vector4& b) {
  double total = 0;
  for (std::size_t d = 0; d < 4; ++d) total += (a[d] - b[d]) * (a[d] - b[d]);
  return total;
}

inline std::size_t nearest(const vector4& point, const std::vector<vector4>& centres) {
  std::size_t best = 0;
  for (std::size_t c = 1; c < centres.size(); ++c)
    if (squared_distance(point, centres[c]) < squared_distance(point, centres[best])) best = c;
  return best;
}

/// Packages as standardised features.
struct kmeans_points {
  std::vector<vector4> points;
  vector4 mean{}, deviation{};

  explicit kmeans_points(const package_index& index) {
    for (const package& p : index.packages)
      points.push_back({std::log10(1 + p.installed_bytes / 1024.0),
                        std::log10(1 + p.download_bytes / 1024.0), std::log10(1.0 + p.dependencies),
                        std::log10(1.0 + p.dependents)});
    const auto n = static_cast<double>(points.size());
    for (std::size_t d = 0; d < 4; ++d) {
      for (const vector4& p : points) mean[d] += p[d] / n;
      for (const vector4& p : points) deviation[d] += (p[d] - mean[d]) * (p[d] - mean[d]) / n;
      deviation[d] = deviation[d] > 0 ? std::sqrt(deviation[d]) : 1;
      for (vector4& p : points) p[d] = (p[d] - mean[d]) / deviation[d];
    }
  }
};

/// The standardised centres, in ascending order of installed size.
inline std::vector<vector4> kmeans(const kmeans_points& data, std::size_t k) {
  k = std::min(k, data.points.size());
  std::vector<std::pair<double, std::size_t>> by_sum;
  for (const vector4& p : data.points)
    by_sum.emplace_back(p[0] + p[1] + p[2] + p[3], by_sum.size());
  std::ranges::sort(by_sum);
  std::vector<vector4> centres;
  for (std::size_t c = 0; c < k; ++c)
    centres.push_back(data.points[by_sum[by_sum.size() * (2 * c + 1) / (2 * k)].second]);
  for (bool moved = true; moved;) {
    std::vector<vector4> sums(k, vector4{});
    std::vector<double> counts(k, 0);
    for (const vector4& p : data.points) {
      const std::size_t c = nearest(p, centres);
      for (std::size_t d = 0; d < 4; ++d) sums[c][d] += p[d];
      ++counts[c];
    }
    const auto before = centres;
    for (std::size_t c = 0; c < k; ++c)
      for (std::size_t d = 0; counts[c] > 0 && d < 4; ++d) centres[c][d] = sums[c][d] / counts[c];
    moved = centres != before;
  }
  std::ranges::sort(centres, {}, [](const vector4& c) { return c[0]; });
  return centres;
}

}  // namespace demo::reference
