// The hand-written version reads the tokens once. Documents with a query term are few (some
// percent), so the first pass keeps them in a list, together with what the score needs to know of
// the whole collection; the second pass scores the list.
#include "system/bm25f.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "system/checksum.h"
#include "system/generator.h"
#include "system/lanes.h"

namespace pappus::bench::bm25f {
namespace {

constexpr std::int64_t block = 1024;
constexpr std::array<double, fields> field_weight = {2, 1};
constexpr std::array<double, fields> b = {0.5, 0.75};
constexpr double k1 = 1.2;

// The document of the block that holds token `position` of `field`.
std::size_t owner(std::span<const document> documents, int field, std::int64_t position) {
  const auto after =
      std::upper_bound(documents.begin(), documents.end(), position,
                       [=](std::int64_t at, const document& d) { return at < d.begin[field]; });
  return static_cast<std::size_t>(after - documents.begin()) - 1;
}

void count_field(std::span<const document> documents, int field, const std::uint16_t* tokens,
                 std::span<term_counts> out) {
  const std::int64_t end = documents.back().begin[field] + documents.back().length[field];
  std::int64_t at = documents.front().begin[field];
  const u16v wanted[] = {u16v{} + query[0], u16v{} + query[1], u16v{} + query[2]};
  for (; at + 32 <= end; at += 32) {
    __builtin_prefetch(tokens + at + 1024);
    if (!line_has(tokens + at, wanted)) [[likely]]
      continue;
    for (int v = 0; v < line_vectors; ++v) {
      const std::int64_t first = at + v * lanes_of<std::uint16_t>;
      for (int t = 0; t < terms; ++t) {
        auto found = equal_bits(load<u16v>(tokens + first), wanted[t]);
        for (; found; found &= found - 1)
          ++out[owner(documents, field, first + std::countr_zero(found))].in[field][t];
      }
    }
  }
  for (; at < end; ++at) {
    for (int t = 0; t < terms; ++t) {
      if (tokens[at] == query[t]) ++out[owner(documents, field, at)].in[field][t];
    }
  }
}

// Keeps the best hits of those shown to it, in rank order.
void keep_best(std::vector<hit>& best, const hit& h) {
  if (best.size() == hits_kept && !(h < best.back())) return;
  if (best.size() == hits_kept) best.pop_back();
  best.insert(std::upper_bound(best.begin(), best.end(), h), h);
}

struct candidate {
  std::int32_t document;
  term_counts counts;
};

struct alignas(128) partial {
  collection seen;
  std::vector<candidate> candidates;
  std::vector<hit> best;
};

void read_block(std::span<const document> documents, const token_arrays& tokens, std::int64_t first,
                partial& to) {
  std::array<term_counts, block> storage;
  const std::span<term_counts> counts = std::span(storage).first(documents.size());
  count_block(documents, tokens, counts);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    to.seen.add(documents[i], counts[i]);
    if (!counts[i].any()) continue;
    to.candidates.push_back(
        {static_cast<std::int32_t>(first) + static_cast<std::int32_t>(i), counts[i]});
  }
}

}  // namespace

void fill_up(std::vector<hit>& hits, std::int64_t documents) {
  const std::vector<hit> matching = hits;
  for (std::int32_t d = 0; d < documents && hits.size() < hits_kept; ++d) {
    if (std::ranges::find(matching, d, &hit::document) == matching.end()) hits.push_back({0, d});
  }
}

bool term_counts::any() const {
  std::uint64_t first;
  std::uint32_t rest;
  static_assert(sizeof(term_counts) == sizeof(first) + sizeof(rest));
  std::memcpy(&first, in, sizeof first);
  std::memcpy(&rest, reinterpret_cast<const char*>(in) + sizeof first, sizeof rest);
  return (first | rest) != 0;
}

void count_block(std::span<const document> documents, const token_arrays& tokens,
                 std::span<term_counts> out) {
  std::ranges::fill(out, term_counts{});
  if (documents.empty()) return;
  for (int field = 0; field < fields; ++field) count_field(documents, field, tokens[field], out);
}

void collection::add(const document& d, const term_counts& counts) {
  ++documents;
  for (int f = 0; f < fields; ++f) tokens[f] += d.length[f];
  if (!counts.any()) return;
  for (int t = 0; t < terms; ++t) documents_with[t] += counts.has(t);
}

void collection::merge(const collection& other) {
  documents += other.documents;
  for (int f = 0; f < fields; ++f) tokens[f] += other.tokens[f];
  for (int t = 0; t < terms; ++t) documents_with[t] += other.documents_with[t];
}

scorer::scorer(const collection& all) {
  const auto count = static_cast<double>(all.documents);
  for (int f = 0; f < fields; ++f) average_length_[f] = static_cast<double>(all.tokens[f]) / count;
  for (int t = 0; t < terms; ++t) {
    const auto with = static_cast<double>(all.documents_with[t]);
    weight_[t] = std::log(1 + (count - with + 0.5) / (with + 0.5));
  }
}

double scorer::operator()(const document& d, const term_counts& counts) const {
  std::array<double, fields> per_occurrence;
  for (int f = 0; f < fields; ++f) {
    per_occurrence[f] = field_weight[f] / (1 - b[f] + b[f] * d.length[f] / average_length_[f]);
  }
  double score = 0;
  for (int t = 0; t < terms; ++t) {
    const double tf = counts.in[0][t] * per_occurrence[0] + counts.in[1][t] * per_occurrence[1];
    score += weight_[t] * tf / (k1 + tf);
  }
  return score;
}

std::string result::checksum() const {
  std::uint64_t hash = 0;
  double sum = 0;
  for (std::size_t rank = 0; rank < hits.size(); ++rank) {
    hash += position_hash(static_cast<std::uint32_t>(hits[rank].document), rank);
    sum += hits[rank].score;
  }
  return hex_digits(hash) + "/" + scientific(sum, 9);
}

result sequential(std::span<const document> documents, const token_arrays& tokens) {
  std::vector<term_counts> counts(documents.size());
  collection all;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const document& d = documents[i];
    for (int f = 0; f < fields; ++f) {
      for (const std::uint16_t word :
           std::span(tokens[f] + d.begin[f], static_cast<std::size_t>(d.length[f]))) {
        for (int t = 0; t < terms; ++t) counts[i].in[f][t] += word == query[t];
      }
    }
    all.add(d, counts[i]);
  }
  const scorer score(all);
  std::vector<hit> hits;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    hits.push_back({score(documents[i], counts[i]), static_cast<std::int32_t>(i)});
  }
  const auto kept = hits.begin() + std::min<std::ptrdiff_t>(hits_kept, std::ssize(hits));
  std::partial_sort(hits.begin(), kept, hits.end());
  return {{hits.begin(), kept}};
}

result handwritten(std::span<const document> documents, const token_arrays& tokens, team& workers) {
  std::vector<partial> partials(static_cast<std::size_t>(workers.threads()));
  for (partial& mine : partials) mine.candidates.reserve(documents.size() / 16);
  workers.run_pieces(std::ssize(documents), block,
                     [&](std::int64_t begin, std::int64_t end, int worker) {
                       read_block(documents.subspan(static_cast<std::size_t>(begin),
                                                    static_cast<std::size_t>(end - begin)),
                                  tokens, begin, partials[static_cast<std::size_t>(worker)]);
                     });
  collection all;
  for (const partial& mine : partials) all.merge(mine.seen);
  const scorer score(all);
  workers.run(std::ssize(partials), [&](std::int64_t list, int) {
    partial& mine = partials[static_cast<std::size_t>(list)];
    for (const candidate& c : mine.candidates) {
      keep_best(mine.best,
                {score(documents[static_cast<std::size_t>(c.document)], c.counts), c.document});
    }
  });
  result found;
  for (const partial& mine : partials) {
    for (const hit& h : mine.best) keep_best(found.hits, h);
  }
  fill_up(found.hits, std::ssize(documents));
  return found;
}

}  // namespace pappus::bench::bm25f
