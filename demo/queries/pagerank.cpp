// PageRank over the dependencies of Debian's packages: which packages does everything rest on?
//
// Brin and Page (1998): a surfer follows one of the current page's links, or with probability 0.15
// jumps to any page; a page's rank is how often the surfer is there. Here pages are packages and a
// link leads to a dependency. How virtual packages and alternatives become links is said at
// read_package_index().
//
// Packages that depend on nothing are dangling: a surfer there has no link to follow and jumps to
// any package, so that their rank is spread evenly over all and the ranks always sum up to 1.
#include "demo/queries/pagerank.h"

#include <cmath>
#include <iomanip>
#include <ostream>
#include <span>

#include "pappus/pappus.h"

namespace demo {
namespace {

constexpr double damping = 0.85;

struct share {
  std::int32_t to;
  double value;
};

double distance(std::span<const rank> before, std::span<const rank> after) {
  double total = 0;
  for (std::size_t i = 0; i < before.size(); ++i)
    total += std::abs(after[i].value - before[i].value);
  return total;
}

}  // namespace

pappus::collection<rank> pagerank(pappus::session& s, const package_index& index) {
  const auto n = static_cast<std::int64_t>(index.packages.size());
  const double even = 1.0 / static_cast<double>(n);
  const auto links = s.borrow(index.dependencies);

  // A known domain keeps the groups without records: packages that depend on nothing.
  const auto start = links.group_by(&dependency::from, pappus::domain{n})
                         .count()
                         .map([even](const pappus::keyed<std::int32_t, std::int64_t>& group) {
                           return rank{group.key, static_cast<std::int32_t>(group.value), even};
                         });

  const auto step = [&](const pappus::collection<rank>& ranks) {
    const auto shares = links.join(ranks, &dependency::from, &rank::package,
                                   [](const dependency& link, const rank& from) {
                                     return share{link.to, from.value / from.degree};
                                   });
    const auto received = shares.group_by(&share::to, pappus::domain{n}).sum(&share::value);
    const auto dangling = ranks.filter([](const rank& r) { return r.degree == 0; })
                              .group_by([](const rank&) { return 0; }, pappus::domain{1})
                              .sum(&rank::value);
    return ranks.zip(received).map(
        [even](const pappus::pair<rank, pappus::keyed<std::int32_t, double>>& row,
               std::span<const pappus::keyed<int, double>> lost) {
          const auto& [r, in] = row;
          const double followed = in.value + lost[0].value * even;
          return rank{r.package, r.degree, (1 - damping) * even + damping * followed};
        },
        dangling.shared());
  };
  return s.do_while(start, step, [](std::span<const rank> before, std::span<const rank> after) {
    return distance(before, after) > 1e-9;
  });
}

void run_pagerank(pappus::session& s, const package_index& index, std::ostream& out) {
  out << "PageRank: what " << index.packages.size() << " packages rest on, by "
      << index.dependencies.size() << " dependencies\n\n"
      << "  rank  attention  dependents  package\n";
  std::ostream table(out.rdbuf());  // with a format of its own
  table << std::fixed << std::setprecision(2);
  int place = 0;
  for (const rank& r : pagerank(s, index).top(15, &rank::value).collect()) {
    const package& p = index.packages[static_cast<std::size_t>(r.package)];
    table << std::setw(6) << ++place << std::setw(9) << 100 * r.value << " %" << std::setw(12)
          << p.dependents << "  " << p.name << ": " << p.description << '\n';
  }
}

}  // namespace demo
