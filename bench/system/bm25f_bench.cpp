#include "system/bm25f.h"
#include "system/inputs.h"
#include "system/suite.h"
#include "system/triad.h"

namespace pappus::bench {
namespace {

using counted = pair<document, bm25f::term_counts>;

struct statistics {
  bm25f::collection all;
  void accumulate(const counted& row) { all.add(row.first, row.second); }
  void merge(const statistics& other) { all.merge(other.all); }
};

}  // namespace

std::vector<result> run_bm25f(const stage& on, std::int64_t n) {
  const auto input = make_bm25f(n, on.asked.seed, on.workers);
  const bm25f::token_arrays tokens{input.tokens[0].data(), input.tokens[1].data()};
  bm25f::result sequential, handwritten, pappus;
  const auto search = [&] {
    const auto documents = on.engine.borrow(input.documents.all());
    const auto counts =
        documents
            .map(batched<bm25f::term_counts>(
                [tokens](std::span<const document> some, std::span<bm25f::term_counts> out) {
                  bm25f::count_block(some, tokens, out);
                }))
            .cache();
    const auto rows = documents.zip(counts);
    const statistics found = rows.reduce<statistics>();
    const bm25f::scorer score(found.all);
    const auto best =
        rows.enumerate()
            .filter([](const indexed<counted>& row) { return row.value.second.any(); })
            .map([score](const indexed<counted>& row) {
              return bm25f::hit{score(row.value.first, row.value.second),
                                static_cast<std::int32_t>(row.index)};
            })
            .top(bm25f::hits_kept, &bm25f::hit::score)
            .collect();
    pappus.hits.assign(best.begin(), best.end());
    bm25f::fill_up(pappus.hits, n);
  };
  return compare(on, "bm25f", n,
                 min_bytes::bm25f(n, input.tokens[0].size() + input.tokens[1].size()),
                 {{"sequential", [&] { sequential = bm25f::sequential(input.documents, tokens); },
                   [&] { return sequential.checksum(); }},
                  {"handwritten",
                   [&] { handwritten = bm25f::handwritten(input.documents, tokens, on.workers); },
                   [&] { return handwritten.checksum(); }},
                  {"pappus", search, [&] { return pappus.checksum(); }}});
}

}  // namespace pappus::bench
