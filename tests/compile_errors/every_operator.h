// A function that uses every operator, as users would write it; no test runs it.
#pragma once

#include <pappus/footprint.h>
#include <pappus/pappus.h>
#include <pappus/view.h>

#include <array>
#include <cstdint>
#include <functional>
#include <iostream>
#include <ranges>
#include <string_view>
#include <vector>

#ifdef USE_BOTH_NAMESPACES
using namespace pappus;
using namespace std;
#endif

struct trade {
  std::int32_t stock;
  float price;
  std::uint16_t amount;
  std::string_view trader;
};
struct stock {
  std::int32_t id;
  double weight;
  bool listed;
};
struct spread {
  double least = 1e9, most = -1e9;
  void accumulate(const trade& x) {
    least = x.price < least ? x.price : least;
    most = x.price > most ? x.price : most;
  }
  void merge(const spread& other) {
    least = other.least < least ? other.least : least;
    most = other.most > most ? other.most : most;
  }
  double finalize() const { return most - least; }
};
struct operands {
  pappus::session s;
  std::vector<trade> trades;
};

inline double scaled(const trade& x) { return 2.0 * static_cast<double>(x.price); }

template <typename Trades>
void use_record_by_record(pappus::session& s, const Trades& trades) {
  const auto prices = trades.map(&trade::price);
  const auto weights = s.from({1.5, 2.5});
  const auto shared = weights.shared();
  const auto chain =
      trades.filter([](const trade& x) { return x.amount > 3; })
          .map([](const trade& x,
                  std::span<const double> w) { return static_cast<double>(x.price) * w[0]; },
               shared)
          .flat_map([](double x) { return std::array{x, -x}; })
          .enumerate();
  std::cout
      << chain.count() << prices.zip(s.range(0, std::size_t{9})).count()
      << prices.concat(prices, prices).skip(1).take(3).count()
      << trades.map(pappus::fn<scaled>).sum()
      << prices
             .map(pappus::batched<double>([](std::span<const float> in, std::span<double> out) {
               for (std::size_t i = 0; i < in.size(); ++i) out[i] = static_cast<double>(in[i]);
             }))
             .sum()
      << trades.flat_map([](const trade& x) { return std::views::split(x.trader, ' '); }).count();
}

template <typename Trades>
void use_aggregates(pappus::session& s, const Trades& trades) {
  const auto prices = trades.map(&trade::price);
  auto [n, total, average, spread_of] =
      s.run(trades.count(), trades.sum(&trade::price), prices.mean(), prices.variance());
  std::cout << n << total << average << spread_of << (trades.min)(&trade::price) << (prices.max)()
            << prices.first() << trades.first(&trade::amount)
            << trades.any([](const trade& x) { return x.amount == 7; })
            << trades.all([](const trade& x) { return x.price > 0; })
            << trades.template reduce<spread>()
            << get<0>(trades.aggregate(pappus::mean(&trade::price), pappus::count()).get())
            << trades.map(&trade::amount).reduce(0, std::plus<>{}) << trades.mean(&trade::amount)
            << trades.variance(&trade::stock) << trades.median(&trade::price)
            << trades.quantile(0.9, &trade::amount)
            << trades.quantiles(std::array{0.1, 0.9}, &trade::amount).get()[1]
            << trades.count_distinct(&trade::trader) << trades.value_counts(&trade::stock).count()
            << prices.rolling(7, pappus::mean()).count() << trades.sample(3).count()
            << prices.sample(0.5, 7).count() << prices.shuffle(7).reverse().count()
            << prices.histogram(10, 0, 1).count() << trades.describe(&trade::price).count()
            << get<0>(trades
                          .aggregate(pappus::approx_count_distinct(&trade::trader),
                                     pappus::approx_quantile(0.9, &trade::price))
                          .get());
}

template <typename Trades>
void use_keys(pappus::session& s, const Trades& trades, const std::vector<stock>& list) {
  const auto stocks = s.borrow(list);
  const auto groups = trades.group_by(&trade::stock);
  const auto by_trader = trades.group_by(&trade::trader);
  const auto dense = trades.group_by(&trade::stock, pappus::domain{10}).expect(10);
  const auto pairs = trades.group_by(
      [](const trade& x) { return pappus::pair<std::int32_t, std::uint16_t>{x.stock, x.amount}; });
  std::cout << groups.sum(&trade::price).sort_by([](const auto& g) { return g.value; }).count()
            << by_trader.count().keys().sort().count() << dense.mean(&trade::price).values().sum()
            << (groups.min)(&trade::price).count() << (groups.max)(&trade::amount).count()
            << groups.median(&trade::price).count() << dense.quantile(0.5, &trade::price).count()
            << groups.quantiles(std::array{0.1, 0.9}, &trade::price).count()
            << groups.count_distinct(&trade::price).count()
            << by_trader.count_distinct(&trade::trader).count()
            << groups.describe(&trade::price).count() << groups.top(3, &trade::price).count()
            << groups.bottom(3, &trade::price).count() << by_trader.take(2).count()
            << groups
                   .flat_map_groups(
                       [](std::int32_t, std::span<const float> prices) { return prices.first(1); },
                       &trade::price)
                   .count()
            << groups.first(&trade::amount).count() << groups.variance(&trade::price).count()
            << groups.template reduce<spread>().count() << pairs.keys().count()
            << groups.aggregate((pappus::min)(&trade::price), (pappus::max)(&trade::price)).count()
            << groups
                   .map_groups([](std::int32_t key, std::span<const trade> rows) {
                     return pappus::keyed<std::int32_t, std::size_t>{key, rows.size()};
                   })
                   .count()
            << trades.group_by(&trade::trader, &trade::stock).count().count()
            << trades.map(&trade::trader).distinct().count()
            << trades.map(&trade::trader).union_with(trades.map(&trade::trader)).count()
            << trades.map(&trade::stock).intersect(stocks.map(&stock::id)).count()
            << trades.map(&trade::stock).except(stocks.map(&stock::id)).count()
            << trades.sort_by(&trade::stock, pappus::descending(&trade::price)).count()
            << trades.top(3, &trade::price).count() << trades.map(&trade::stock).bottom(2).count()
            << trades
                   .join(stocks, &trade::stock, &stock::id,
                         [](const trade& x, const stock& y) {
                           return static_cast<double>(x.price) * y.weight;
                         })
                   .sum()
            << trades
                   .left_join(
                       stocks, &trade::trader,
                       [](const stock& y) { return std::string_view(y.listed ? "a" : "b"); },
                       [](const trade& x, const stock* y) { return y ? y->id : x.stock; })
                   .sum()
            << trades
                   .right_join(stocks, &trade::stock, &stock::id,
                               [](const trade* x, const stock& y) { return x ? x->stock : y.id; })
                   .sum()
            << trades
                   .full_join(
                       stocks, &trade::stock, &stock::id,
                       [](const trade* x, const stock* y) { return x ? x->stock : y->id; },
                       pappus::domain{99})
                   .sum()
            << trades.semi_join(stocks, &trade::stock, &stock::id, pappus::domain{99}).count()
            << trades.anti_join(stocks, &trade::stock, &stock::id).count();
}

template <typename Trades>
void use_neighbours(pappus::session& s, const Trades& trades, const std::vector<stock>& list) {
  const auto stocks = s.borrow(list);
  const auto weighed = [](const trade& x, const stock* y) { return y ? y->weight : x.price; };
  const auto price = [](const trade& x) { return static_cast<double>(x.price); };
  const auto traders = [](const trade& x) { return pappus::pair(x.trader, x.stock); };
  const auto above = [price](const trade& x) { return price(x) + 1; };
  const auto ids = [](const trade& x, const stock& y) { return x.stock + y.id; };
  const auto groups = trades.sort_by(&trade::amount).group_by(&trade::stock);
  using pappus::count, pappus::mean, pappus::sum;
  std::cout << trades
                   .asof_join(stocks, &trade::stock, &stock::id, price, &stock::weight, weighed,
                              pappus::asof::nearest, 0.5)
                   .sum()
            << trades.asof_join(stocks, price, &stock::weight, weighed).sum()
            << trades
                   .asof_join(
                       trades, traders, traders, &trade::amount, &trade::amount,
                       [](const trade& x, const trade* y) { return y ? y->price : x.price; },
                       pappus::asof::before, 3)
                   .sum()
            << trades.range_join(stocks, price, above, &stock::weight, ids).sum()
            << trades
                   .range_join(stocks, &trade::stock, &stock::id, price, above, &stock::weight, ids)
                   .sum()
            << trades.cross_join(stocks, ids).sum()
            << groups
                   .over(pappus::lag(&trade::price), pappus::lead(&trade::price, 2),
                         pappus::row_number(), pappus::rank(&trade::amount),
                         pappus::dense_rank(pappus::descending(&trade::price)),
                         pappus::cumulative(sum(&trade::price), count()),
                         pappus::rolling(3, mean(&trade::price)),
                         pappus::rolling(10, &trade::amount, count()), sum(&trade::price))
                   .count()
            << trades.take_while([](const trade& x) { return x.stock > 0; }).count()
            << trades.skip_while([](const trade& x) { return x.stock > 0; }).count()
            << trades.value_counts(&trade::stock, &trade::trader).count()
            << trades.map(&trade::trader)
                   .flat_map([](std::string_view x) {
                     return pappus::str::words(x, pappus::str::is_letter);
                   })
                   .count();
}

template <typename Trades>
void use_the_rest(pappus::session& s, const Trades& trades) {
  const auto halves = [](std::span<const trade> rows) {
    return std::vector<std::size_t>{rows.size()};
  };
  const auto by_stock = pappus::hash_by(&trade::stock, 4);
  const auto steps = s.do_while(
      s.from({1, 2, 3}), [](const auto& now) { return now.map([](int x) { return x / 2; }); },
      [](std::span<const int>, std::span<const int> after) { return after[0] > 0; },
      pappus::max_iterations{9});
  std::cout << trades.map(&trade::amount).inclusive_scan().count()
            << trades.map(&trade::stock).inclusive_scan(std::bit_or<>{}).count()
            << trades.map(&trade::stock).exclusive_scan(std::int64_t{0}, std::plus<>{}).count()
            << trades.scatter(&trade::amount, 9).count()
            << trades.scatter(&trade::stock, &trade::price, 9, 0.5f).sum()
            << trades.apply(halves, pappus::pieces{2}).sum() << trades.apply(halves, by_stock).sum()
            << trades.apply(halves, pappus::range_by(&trade::price, 2)).sum()
            << trades.partition(by_stock).count() << steps.sum()
            << trades.on(pappus::place::cpu()).count() << trades.cache().materialise().count();
  for (const trade& x : trades.collect()) std::cout << x.price;
  trades.for_each_chunk([](std::span<const trade> rows) { std::cout << rows.size(); });
  trades.map(&trade::price).write("prices.npy");
  const auto stocks =
      s.csv<stock>("stocks.csv", pappus::csv_options{.delimiter = ';', .header = false},
                   pappus::column("id", &stock::id), pappus::column("weight", &stock::weight));
  trades.plot("prices.svg", &trade::price);
  stocks.write_by(&stock::id, "stocks/{}.csv", pappus::column("id", &stock::id));
  stocks.write("stocks.tsv", pappus::column("id", &stock::id),
               pappus::column("listed", &stock::listed));
  stocks.append_to("stocks.tsv", pappus::column("id", &stock::id),
                   pappus::column("listed", &stock::listed));
  stocks.append_by(&stock::id, "stocks/{}.csv", pappus::column("id", &stock::id));
  std::cout << s.npy<float>("prices.npy").count() << s.raw<stock>("stocks.raw").count()
            << s.parquet<stock>("stocks.parquet", pappus::column("id", &stock::id)).count()
            << s.arrow<stock>("stocks.arrow", pappus::column("id", &stock::id)).count()
            << s.read<float>("prices.npy").explain() << stocks.count().explain_analyze();
  const auto code = pappus::device_text("twice", "DEVICE float twice(float x) { return 2 * x; }");
  std::cout << trades.map(&trade::price)
                   .map(pappus::with_device_code([](float x) { return 2 * x; }, code))
                   .on("opencl:0")
                   .sum();
}

inline void use_every_operator(operands& in) {
  const auto trades = in.s.from(in.trades);
  const std::vector<stock> list{{1, 0.5, true}};
  use_record_by_record(in.s, trades);
  use_record_by_record(in.s, trades.filter([](const trade& x) { return x.stock != 0; }));
  use_aggregates(in.s, trades);
  use_aggregates(in.s, trades.flat_map([](const trade& x) { return std::array{x, x}; }));
  use_keys(in.s, trades, list);
  use_neighbours(in.s, trades, list);
  use_the_rest(in.s, trades);
}
