// PageRank: which of eleven pages would a random surfer be on?
//
//   pagerank
//
// The surfer follows one of the page's links, or, 15 times in 100 and where there is none, jumps to
// any page. Shows joins and groups in a loop, keys of a known domain, data shared with a lambda.
#include <cmath>
#include <iomanip>
#include <iostream>
#include <span>
#include <vector>

#include <pappus/pappus.h>

enum : int { A, B, C, D, E, F, G, H, I, J, K };

struct hyperlink {
  int from, to;
};
struct page {
  int number;
  long links;   // that lead away from it
  double rank;  // all add up to 1
};

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  const std::vector<hyperlink> all{{B, C}, {C, B}, {D, A}, {D, B}, {E, B}, {E, D},
                                   {E, F}, {F, B}, {F, E}, {G, B}, {G, E}, {H, B},
                                   {H, E}, {I, B}, {I, E}, {J, E}, {K, E}};
  auto links = s.borrow(all);
  const pappus::domain pages{11};
  const double even = 1.0 / 11;

  auto start = links.group_by(&hyperlink::from, pages).count().map([=](const auto& group) {
    return page{group.key, group.value, even};
  });

  auto surf = [&](const pappus::collection<page>& before) {
    auto shares = links.join(
        before, &hyperlink::from, &page::number,
        [](const hyperlink&, const page& p) { return p.rank / static_cast<double>(p.links); });
    auto received = shares.group_by(pappus::left(&hyperlink::to), pages).sum();
    auto jumping = before.filter([](const page& p) { return p.links == 0; })
                       .group_by([](const page&) { return 0; }, pappus::domain{1})
                       .sum(&page::rank);
    return before.zip(received).map(
        [=](const auto& both, std::span<const pappus::keyed<int, double>> jumps) {
          const auto& [p, in] = both;
          return page{p.number, p.links, 0.15 * even + 0.85 * (in.value + jumps[0].value * even)};
        },
        jumping.shared());
  };

  auto moved = [](std::span<const page> before, std::span<const page> after) {
    double total = 0;
    for (std::size_t i = 0; i < before.size(); ++i)
      total += std::abs(after[i].rank - before[i].rank);
    return total > 1e-9;
  };
  std::cout << std::fixed << std::setprecision(1);
  for (const page& p : s.do_while(start, surf, moved)
                           .sort_by(pappus::descending(&page::rank), &page::number)
                           .collect())
    std::cout << "ABCDEFGHIJK"[p.number] << " " << 100 * p.rank << " %\n";
}
