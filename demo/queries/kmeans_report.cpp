// What the k-means example shows: a table of the clusters and a scatter plot.
//
// The plot has the installed size on one axis and the number of dependents on the other, both on
// logarithmic scales that include 0. Dependents are small integers, so that dots would fall on each
// other in rows: each is moved within its row by a pseudo-random amount that depends on the package
// alone.
#include <algorithm>
#include <cmath>
#include <functional>
#include <iomanip>
#include <ostream>
#include <span>
#include <sstream>
#include <string_view>
#include <vector>

#include "demo/queries/kmeans.h"
#include "demo/support/scatter_plot.h"

namespace demo {
namespace {

constexpr int clusters = 6;
constexpr std::array<const char*, clusters> colours{"#0072b2", "#e69f00", "#009e73",
                                                    "#cc79a7", "#d55e00", "#56b4e9"};

std::string in_bytes(double kib) {
  constexpr std::array<const char*, 3> units{" KiB", " MiB", " GiB"};
  std::size_t unit = 0;
  for (; kib >= 1000 && unit + 1 < units.size(); ++unit) kib /= 1024;
  std::ostringstream text;
  text << std::fixed << std::setprecision(kib < 9.95 && kib != std::floor(kib) ? 1 : 0) << kib
       << units[unit];
  return text.str();
}

std::string grouped(std::size_t n) {
  std::string digits = std::to_string(n);
  for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(static_cast<std::size_t>(i), ",");
  return digits;
}

/// The members of one cluster, nearest its centre first.
std::span<const member> members_of(const clustering& result, std::int32_t cluster) {
  const auto range = std::ranges::equal_range(result.members, cluster, {}, &member::cluster);
  return {range.begin(), range.end()};
}

/// The names of the members nearest the centre.
std::vector<std::string> typical(const package_index& index, std::span<const member> members) {
  std::vector<std::string> names;
  for (const member& m : members.first(std::min<std::size_t>(3, members.size())))
    names.emplace_back(index.packages[static_cast<std::size_t>(m.package)].name);
  return names;
}

void print(const clustering& result, const package_index& index, std::ostream& to) {
  std::ostream out(to.rdbuf());  // with a format of its own
  out << "k-means: " << result.centres.size() << " kinds among " << grouped(index.packages.size())
      << " packages, and what is at their centres\n\n"
      << "  packages  installed  download  dependencies  dependents  typical members\n";
  for (std::size_t c = 0; c < result.centres.size(); ++c) {
    const auto members = members_of(result, static_cast<std::int32_t>(c));
    const auto at = [&](std::size_t d) { return std::pow(10, result.centres[c].x[d]) - 1; };
    out << std::setw(10) << grouped(members.size()) << std::setw(11) << in_bytes(at(0))
        << std::setw(10) << in_bytes(at(1)) << std::fixed << std::setprecision(1) << std::setw(14)
        << at(2) << std::setw(12) << at(3);
    const char* separator = "  ";
    for (const std::string& name : typical(index, members)) {
      out << separator << name;
      separator = ", ";
    }
    out << '\n';
  }
}

/// Ticks at 0, 1, 10, ... on the scale log10(1 + x), up to the first beyond `greatest`.
std::vector<tick> count_ticks(double greatest) {
  std::vector<tick> ticks{{0, "0"}};
  for (double n = 1; n < 10 * greatest; n *= 10)
    ticks.push_back({std::log10(1 + n), grouped(static_cast<std::size_t>(n))});
  return ticks;
}

/// Ticks at 0, 1, 10, 100 KiB, 1 MiB, ... on the scale log10(1 + KiB).
std::vector<tick> size_ticks(double greatest_kib) {
  std::vector<tick> ticks{{0, "0"}};
  for (double unit = 1; unit < 10 * greatest_kib; unit *= 1024)
    for (double n = 1; n <= 100 && n * unit < 10 * greatest_kib; n *= 10)
      ticks.push_back({std::log10(1 + n * unit), in_bytes(n * unit)});
  return ticks;
}

/// In [-0.45, 0.45], by the multiplicative hash of Knuth (The Art of Computer Programming, 6.4).
double jitter(std::int64_t package) {
  const auto bits = static_cast<std::uint32_t>(package) * 2654435769U;
  return 0.9 * (bits / 4294967296.0 - 0.5);
}

/// The position of a package in the plot, but for the jitter.
point position(const package& p, double jitter = 0) {
  return {std::log10(1 + p.installed_bytes / 1024.0), std::log10(1 + p.dependents + jitter)};
}

/// The packages with the most dependents, most first.
std::vector<label> famous(const package_index& index) {
  std::vector<const package*> packages;
  for (const package& p : index.packages) packages.push_back(&p);
  const auto n = static_cast<std::ptrdiff_t>(std::min<std::size_t>(24, packages.size()));
  std::ranges::partial_sort(packages, packages.begin() + n, std::greater<>(), &package::dependents);
  std::vector<label> labels;
  for (const package* p : std::span(packages).first(static_cast<std::size_t>(n)))
    labels.push_back({position(*p), std::string(p->name)});
  return labels;
}

scatter_plot plot(const clustering& result, const package_index& index) {
  scatter_plot p;
  p.title = "What kinds of package is Debian made of?";
  p.subtitle =
      grouped(index.packages.size()) + " packages in " + std::to_string(result.centres.size()) +
      " clusters (k-means by installed and download size, dependencies and dependents), with the "
      "members nearest each centre";
  double kib_max = 1, dependents_max = 1;
  for (const package& q : index.packages) {
    kib_max = std::max(kib_max, q.installed_bytes / 1024.0);
    dependents_max = std::max(dependents_max, static_cast<double>(q.dependents));
  }
  p.x = {"installed size", size_ticks(kib_max), -0.05, std::log10(1 + kib_max) + 0.1};
  p.y = {"packages that depend on it", count_ticks(dependents_max), std::log10(0.5),
         std::log10(1 + dependents_max) + 0.1};
  for (std::size_t c = 0; c < result.centres.size(); ++c) {
    const auto members = members_of(result, static_cast<std::int32_t>(c));
    series& dots = p.series.emplace_back();
    dots.colour = colours[c];
    dots.name = grouped(members.size()) + " packages";
    dots.notes = typical(index, members);
    dots.centre = {result.centres[c].x[0], result.centres[c].x[3]};
    for (const member& m : members) {
      const package& q = index.packages[static_cast<std::size_t>(m.package)];
      dots.points.push_back(position(q, jitter(m.package)));
    }
  }
  p.labels = famous(index);
  return p;
}

}  // namespace

void run_kmeans(pappus::session& s, const package_index& index, const std::string& svg_file,
                std::ostream& out) {
  const clustering result = kmeans(s, index, clusters);
  print(result, index, out);
  write_svg(plot(result, index), svg_file);
  out << "\nscatter plot: " << svg_file << '\n';
}

}  // namespace demo
