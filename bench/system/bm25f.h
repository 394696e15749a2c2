// BM25F: the ten documents of two fields that match a query of three words best (Robertson,
// Zaragoza and Taylor, CIKM 2004).
//
// The work is to find a few rare words among all tokens. count_block scans the tokens of
// consecutive documents as one array, 32 at a time, without looking where documents begin; only at
// a match, once in about fifty vectors, is the document looked up. All versions but the sequential
// one use it, and all use the same score.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "system/inputs.h"
#include "system/team.h"

namespace pappus::bench::bm25f {

inline constexpr int fields = 2;
inline constexpr int terms = 3;
inline constexpr int hits_kept = 10;
inline constexpr std::array<std::uint16_t, terms> query = {700, 1900, 3100};

/// How often each query term occurs in each field of a document.
struct term_counts {
  std::uint16_t in[fields][terms];

  bool any() const;
  bool has(int term) const { return (in[0][term] | in[1][term]) != 0; }
};

/// Where the token arrays of the fields begin.
using token_arrays = std::array<const std::uint16_t*, fields>;

/// Counts the query's terms in documents that are consecutive in both token arrays.
///
/// \param out  as long as `documents`.
void count_block(std::span<const document> documents, const token_arrays& tokens,
                 std::span<term_counts> out);

/// What the score needs to know of the whole collection.
struct collection {
  std::int64_t documents = 0;
  std::array<std::int64_t, fields> tokens = {};
  std::array<std::int64_t, terms> documents_with = {};

  void add(const document& d, const term_counts& counts);
  void merge(const collection& other);
};

/// Scores documents; made once per query.
class scorer {
 public:
  explicit scorer(const collection& all);
  double operator()(const document& d, const term_counts& counts) const;

 private:
  std::array<double, fields> average_length_;
  std::array<double, terms> weight_;
};

struct hit {
  double score;
  std::int32_t document;
  /// Higher scores first, then lower documents.
  friend bool operator<(const hit& a, const hit& b) {
    return a.score != b.score ? a.score > b.score : a.document < b.document;
  }
};

/// Documents without a query term score 0. They rank only where fewer than hits_kept have one: adds
/// the first of them until there are enough.
void fill_up(std::vector<hit>& hits, std::int64_t documents);

/// The hits in rank order.
struct result {
  std::vector<hit> hits;
  /// `position hash of the documents / sum of scores`
  std::string checksum() const;
};

result sequential(std::span<const document> documents, const token_arrays& tokens);
result handwritten(std::span<const document> documents, const token_arrays& tokens, team& workers);

}  // namespace pappus::bench::bm25f
