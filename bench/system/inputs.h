// The inputs of the benchmarks, at any size and seed. Generation is parallel and independent of the
// number of threads.
#pragma once

#include <array>
#include <cstdint>

#include "system/buffer.h"
#include "system/team.h"

namespace pappus::bench {

/// groupby: a key and what is summed by key.
struct row {
  std::int32_t key;
  double value;
};
static_assert(sizeof(row) == 16);

/// join: both sides.
struct item {
  std::int64_t key, pay;
};

/// kmeans.
template <int D>
struct point {
  std::array<float, D> x;
};

/// blackscholes: an option's price of the share now and at the end, and the time until then.
struct quote {
  float spot, strike, years;
};

/// haversine: two places, in degrees.
struct trip {
  double from_latitude, from_longitude, to_latitude, to_longitude;
};

/// generated: what a filter picks by two fields of.
struct order {
  std::int64_t id, cents;
  std::int32_t day, quantity, region;
  float discount;
};
static_assert(sizeof(order) == 32);

/// pagerank: one edge of the graph, page to page.
struct link {
  std::int32_t from, to;
};

/// bm25f: where each of a document's two fields lies in its field's token array, in tokens.
struct document {
  std::int64_t begin[2];
  std::int32_t length[2];
};

struct join_input {
  buffer<item> build, probe;
};

/// The vocabulary has 4096 words, so a token takes 16 bits. Documents are consecutive in both token
/// arrays.
struct bm25f_input {
  buffer<document> documents;
  std::array<buffer<std::uint16_t>, 2> tokens;
};

/// 1, 2, ..., n.
buffer<std::int32_t> make_mapfiltersum(std::int64_t n, team& workers);

/// n random 32-bit numbers, for scan and sort.
buffer<std::int32_t> make_numbers(std::int64_t n, std::uint64_t seed, team& workers);

/// n rows with keys in [0, keys).
buffer<row> make_groupby(std::int64_t n, std::int64_t keys, std::uint64_t seed, team& workers);

/// n probe items against n/10 build items; four fifths of the probes find a partner.
join_input make_join(std::int64_t n, std::uint64_t seed, team& workers);

/// n points in the unit cube. The flat index of coordinate j of point i is i*D + j.
template <int D>
buffer<point<D>> make_kmeans(std::int64_t n, std::uint64_t seed, team& workers);
extern template buffer<point<8>> make_kmeans<8>(std::int64_t, std::uint64_t, team&);
extern template buffer<point<20>> make_kmeans<20>(std::int64_t, std::uint64_t, team&);
extern template buffer<point<40>> make_kmeans<40>(std::int64_t, std::uint64_t, team&);

buffer<quote> make_blackscholes(std::int64_t n, std::uint64_t seed, team& workers);

/// n trips between any places on Earth.
buffer<trip> make_haversine(std::int64_t n, std::uint64_t seed, team& workers);

/// n orders of 1 to 50 pieces on any of 2557 days (7 years), the first numbered 0.
buffer<order> make_orders(std::int64_t n, std::uint64_t seed, team& workers);

/// n numbers in [0, 1), for sum.
buffer<double> make_doubles(std::int64_t n, std::uint64_t seed, team& workers);

/// 20 links a page; sources in a fixed order, targets skewed to low numbers.
buffer<link> make_pagerank(std::int64_t pages, std::uint64_t seed, team& workers);

bm25f_input make_bm25f(std::int64_t documents, std::uint64_t seed, team& workers);

}  // namespace pappus::bench
