#include "system/inputs.h"

#include <algorithm>

#include "system/generator.h"

namespace pappus::bench {
namespace {

constexpr std::int64_t piece = 1 << 16;

template <class T, class Element>
buffer<T> filled(std::int64_t n, team& workers, Element element) {
  buffer<T> values(n, workers);
  workers.run_pieces(n, piece, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t i = begin; i < end; ++i) values[i] = element(static_cast<std::uint64_t>(i));
  });
  return values;
}

}  // namespace

buffer<std::int32_t> make_mapfiltersum(std::int64_t n, team& workers) {
  return filled<std::int32_t>(n, workers,
                              [](std::uint64_t i) { return static_cast<std::int32_t>(i + 1); });
}

buffer<std::int32_t> make_numbers(std::int64_t n, std::uint64_t seed, team& workers) {
  return filled<std::int32_t>(n, workers, [numbers = stream(seed, 0)](std::uint64_t i) {
    return static_cast<std::int32_t>(numbers.bits(i));
  });
}

buffer<row> make_groupby(std::int64_t n, std::int64_t keys, std::uint64_t seed, team& workers) {
  const auto key_count = static_cast<std::uint64_t>(keys);
  return filled<row>(n, workers, [=, k = stream(seed, 0), v = stream(seed, 1)](std::uint64_t i) {
    return row{static_cast<std::int32_t>(k.below(i, key_count)), v.f64(i, 0, 1)};
  });
}

join_input make_join(std::int64_t n, std::uint64_t seed, team& workers) {
  const auto build_size = static_cast<std::uint64_t>(n / 10);
  const auto range = std::max<std::uint64_t>(static_cast<std::uint64_t>(n) / 8, 1);
  const stream build_key(seed, 0), build_pay(seed, 1), choice(seed, 2), other_key(seed, 3),
      probe_pay(seed, 4);
  join_input input;
  input.build = filled<item>(n / 10, workers, [&](std::uint64_t i) {
    return item{static_cast<std::int64_t>(build_key.bits(i) >> 1),
                static_cast<std::int64_t>(build_pay.below(i, 1000))};
  });
  input.probe = filled<item>(n, workers, [&](std::uint64_t i) {
    const std::uint64_t j = choice.below(i, range);
    const std::uint64_t key = j < build_size ? build_key.bits(j) : other_key.bits(i);
    return item{static_cast<std::int64_t>(key >> 1),
                static_cast<std::int64_t>(probe_pay.below(i, 1000))};
  });
  return input;
}

template <int D>
buffer<point<D>> make_kmeans(std::int64_t n, std::uint64_t seed, team& workers) {
  return filled<point<D>>(n, workers, [x = stream(seed, 0)](std::uint64_t i) {
    point<D> p;
    for (int j = 0; j < D; ++j) p.x[j] = x.f32(i * D + static_cast<std::uint64_t>(j), 0, 1);
    return p;
  });
}
template buffer<point<8>> make_kmeans<8>(std::int64_t, std::uint64_t, team&);
template buffer<point<20>> make_kmeans<20>(std::int64_t, std::uint64_t, team&);
template buffer<point<40>> make_kmeans<40>(std::int64_t, std::uint64_t, team&);

buffer<quote> make_blackscholes(std::int64_t n, std::uint64_t seed, team& workers) {
  const stream spot(seed, 0), strike(seed, 1), years(seed, 2);
  return filled<quote>(n, workers, [&](std::uint64_t i) {
    return quote{spot.f32(i, 5, 30), strike.f32(i, 1, 100), years.f32(i, 0.25, 10)};
  });
}

buffer<trip> make_haversine(std::int64_t n, std::uint64_t seed, team& workers) {
  const stream latitude1(seed, 0), longitude1(seed, 1), latitude2(seed, 2), longitude2(seed, 3);
  return filled<trip>(n, workers, [&](std::uint64_t i) {
    return trip{latitude1.f64(i, -90, 90), longitude1.f64(i, -180, 180), latitude2.f64(i, -90, 90),
                longitude2.f64(i, -180, 180)};
  });
}

buffer<order> make_orders(std::int64_t n, std::uint64_t seed, team& workers) {
  const stream cents(seed, 0), day(seed, 1), quantity(seed, 2), region(seed, 3), discount(seed, 4);
  return filled<order>(n, workers, [&](std::uint64_t i) {
    return order{static_cast<std::int64_t>(i),
                 static_cast<std::int64_t>(cents.below(i, 1'000'000)),
                 static_cast<std::int32_t>(day.below(i, 2557)),
                 static_cast<std::int32_t>(1 + quantity.below(i, 50)),
                 static_cast<std::int32_t>(region.below(i, 25)),
                 discount.f32(i, 0, 0.1)};
  });
}

buffer<double> make_doubles(std::int64_t n, std::uint64_t seed, team& workers) {
  return filled<double>(
      n, workers, [numbers = stream(seed, 0)](std::uint64_t i) { return numbers.f64(i, 0, 1); });
}

buffer<link> make_pagerank(std::int64_t pages, std::uint64_t seed, team& workers) {
  const auto page_count = static_cast<std::uint64_t>(pages);
  return filled<link>(20 * pages, workers, [=, target = stream(seed, 0)](std::uint64_t e) {
    const double u = target.f64(e, 0, 1);
    const auto to = static_cast<std::int64_t>(static_cast<double>(pages) * (u * u));
    return link{static_cast<std::int32_t>(e * 300007 % page_count),
                static_cast<std::int32_t>(std::min(pages - 1, to))};
  });
}

bm25f_input make_bm25f(std::int64_t documents, std::uint64_t seed, team& workers) {
  const stream length0(seed, 10), length1(seed, 11);
  bm25f_input input;
  input.documents = filled<document>(documents, workers, [&](std::uint64_t d) {
    return document{{0, 0},
                    {static_cast<std::int32_t>(4 + length0.below(d, 8)),
                     static_cast<std::int32_t>(32 + length1.below(d, 64))}};
  });
  for (int field = 0; field < 2; ++field) {
    std::int64_t tokens = 0;
    for (document& d : input.documents.all()) {
      d.begin[field] = tokens;
      tokens += d.length[field];
    }
    input.tokens[field] =
        filled<std::uint16_t>(tokens, workers, [words = stream(seed, 20 + field)](std::uint64_t i) {
          const double u = words.f64(i, 0, 1);
          return static_cast<std::uint16_t>(4096 * (u * u));
        });
  }
  return input;
}

}  // namespace pappus::bench
