// PageRank as Dandelion writes it: a join of links and ranks, and a grouped sum.
#include "system/inputs.h"
#include "system/pagerank.h"
#include "system/suite.h"
#include "system/triad.h"

namespace pappus::bench {
namespace {

struct rank {
  std::int32_t page;
  std::int32_t degree;
  double value;
};
struct share {
  std::int32_t page;
  double value;
};

collection<rank> ranks_after(session& s, std::span<const link> edges, std::int64_t pages) {
  const auto links = s.borrow(edges);
  const domain all{pages};
  const auto start = 1.0 / static_cast<double>(pages);
  const double rest = (1 - pagerank::damping) / static_cast<double>(pages);
  const auto degrees = links.group_by(&link::from, all).count();
  const collection<rank> first =
      degrees.map([start](const keyed<std::int32_t, std::int64_t>& page) {
        return rank{page.key, static_cast<std::int32_t>(page.value), start};
      });
  const auto step = [&](const collection<rank>& ranks) {
    // Divided once a page, not once a link.
    const collection<share> shares = ranks.map(
        [](const rank& r) { return share{r.page, r.value / static_cast<double>(r.degree)}; });
    const auto sums = links
                          .join(
                              shares, &link::from, &share::page,
                              [](const link&, const share& s) { return s.value; }, all)
                          .group_by(left(&link::to), all)
                          .sum();
    return ranks.zip(sums).map([rest](const pair<rank, keyed<std::int32_t, double>>& page) {
      return rank{page.first.page, page.first.degree, rest + pagerank::damping * page.second.value};
    });
  };
  const auto always = [](std::span<const rank>, std::span<const rank>) { return true; };
  return s.do_while(first, step, always, max_iterations{pagerank::iterations});
}

}  // namespace

std::vector<result> run_pagerank(const stage& on, std::int64_t n) {
  const auto links = make_pagerank(n, on.asked.seed, on.workers);
  pagerank::workspace space(n, links.size(), on.workers);
  std::vector<double> sequential_ranks;
  pagerank::result sequential, handwritten;
  records<double> pappus;
  return compare(
      on, "pagerank", n, min_bytes::pagerank(n, links.size()),
      {{"sequential", [&] { sequential = pagerank::sequential(links, n, sequential_ranks); },
        [&] { return sequential.checksum(); }},
       {"handwritten", [&] { handwritten = pagerank::handwritten(links, space, on.workers); },
        [&] { return handwritten.checksum(); }},
       // The part of the one above that comes before its iterations.
       {"by hand, build", [&] { pagerank::partition(links, space, on.workers); },
        [&] { return pagerank::iterate_partitioned(space, on.workers).checksum(); }},
       {"pappus", [&] { pappus = ranks_after(on.engine, links, n).map(&rank::value).collect(); },
        [&] { return pagerank::result{pappus}.checksum(); }}});
}

}  // namespace pappus::bench
