// What is asked of all records.
#include <array>
#include <span>

#include "oracle/pipeline.h"

namespace pappus::oracle {
namespace {

/// A table expression that reads the last step.
std::string select(const std::string& what, const std::string& behind = "") {
  return fmt::format("select {} from {{in}}{}", what, behind);
}
/// Sums and means of nothing, as Pappus has them.
std::string sum_sql(const std::string& of) { return fmt::format("coalesce(sum({}), 0)", of); }
std::string or_nan(const std::string& what) {
  return fmt::format("coalesce({}, 'nan'::double)", what);
}

made collect(pipeline&, const rows& in) {
  return {answer_of(in), select(columns_of(""), " order by pos")};
}
made for_each_chunk(pipeline&, const rows& in) {
  answer all;
  in.for_each_chunk([&](std::span<const record> chunk) { all.add(chunk); });
  return {all.json(), select(columns_of(""), " order by pos")};
}
made few_columns(pipeline& p, const rows& in) {
  const auto a = number_of::drawn(p.d);
  const auto b = maybe_text_of::drawn(p.d);
  const auto c = real_of::drawn(p.d);
  return {answer_of(in.map([a, b, c](const record& r) { return pair(pair(a(r), b(r)), c(r)); })),
          select(fmt::format("{}, {}, {}", a.sql(), b.sql(), c.sql()), " order by pos")};
}
/// Of files no more is read than that needs.
made one_member(pipeline&, const rows& in) {
  return {answer_of(in.map(&record::name)), select("name", " order by pos")};
}
made count_all(pipeline&, const rows& in) {
  return {answer_of_one(in.count()), select("count(*)")};
}
made aggregate(pipeline& p, const rows& in) {
  const auto a = number_of::drawn(p.d);
  const auto b = maybe_of::drawn(p.d);
  const auto c = real_of::drawn(p.d);
  const auto e = maybe_real_of::drawn(p.d);
  const auto finite = real_of::drawn_finite(p.d);
  return {answer_of_one(in.aggregate(count(), count(b), sum(b), sum(c), sum(e), mean(c), mean(a),
                                     variance(finite), min(b), max(e), variance(b))),
          select(fmt::format(
              "count(*), count({1}), {5}, {6}, {7}, {8}, {9}, {10}, min({1}), max({3}), {11}",
              a.sql(), b.sql(), c.sql(), e.sql(), finite.sql(), sum_sql(b.sql()), sum_sql(c.sql()),
              sum_sql(e.sql()), or_nan("avg(" + c.sql() + ")"), or_nan("avg(" + a.sql() + ")"),
              or_nan("var_pop(" + finite.sql() + ")"), or_nan("var_pop(" + b.sql() + ")")))};
}
/// Each a query of its own, in one run.
made folds(pipeline& p, const rows& in) {
  const auto b = maybe_text_of::drawn(p.d);
  const auto c = real_of::drawn(p.d);
  const auto is = condition::drawn(p.d);
  const auto [n, total, least, any, all] =
      p.s.run(in.count(b), in.sum(c), in.min(&record::maybe), in.any(is), in.all(is));
  answer made;
  made.add_row(results<std::int64_t, double, std::optional<std::int32_t>, bool, bool>(
      n, total, least, any, all));
  return {made.json(), select(fmt::format("count({}), {}, min(maybe), coalesce(bool_or({}), "
                                          "false), coalesce(bool_and({}), true)",
                                          b.sql(), sum_sql(c.sql()), is.sql(), is.sql()))};
}
made extremes(pipeline& p, const rows& in) {
  const auto a = maybe_of::drawn(p.d);
  const auto b = number_of::drawn(p.d);
  const auto c = maybe_real_of::drawn(p.d);
  const auto of = [](const std::string& value, const std::string& arg, bool greatest) {
    return fmt::format("{0}({1}), first({2} order by {3}, {2}) filter ({1} is not null)",
                       greatest ? "max" : "min", value, arg, ordered(value, greatest));
  };
  // Of nothing there is no arg: Pappus has a zero there, which nobody looks at.
  const auto filled = in.concat(p.s.from({record{.id = -7,
                                                 .key = 0,
                                                 .big = 0,
                                                 .value = 0,
                                                 .price = 0,
                                                 .maybe = 0,
                                                 .part = 0,
                                                 .flag = true,
                                                 .day = {},
                                                 .moment = {},
                                                 .name = "",
                                                 .note = ""}}));
  p.add("one more",
        "select * from {in} union all by name select -7 as id, 0 as key, 0 as big, 0::double as "
        "value, 0::double as price, 0 as maybe, 0::double as part, true as flag, date "
        "'1970-01-01' as day, timestamp '1970-01-01' as moment, '' as name, '' as note, "
        "coalesce((select max(pos) from {in}), 0) + 1 as pos");
  return {answer_of_one(filled.aggregate(argmax(a, b), argmin(c, b))),
          select(of(a.sql(), b.sql(), true) + ", " + of(c.sql(), b.sql(), false))};
}
made quantiles(pipeline& p, const rows& in) {
  const auto a = number_of::drawn(p.d);
  const auto b = maybe_real_of::drawn(p.d);
  const auto c = real_of::drawn(p.d);
  const double at = p.d.number(0, 20) / 20.0, high = p.d.number(0, 8) / 8.0;
  const auto [median, one, two] =
      p.s.run(in.median(a), in.quantile(at, b), in.quantiles(std::array{0.25, high}, c));
  answer made;
  made.add_row(results<double, double, std::array<double, 2>>(median, one, two));
  const auto sql = [](const std::string& of, double q) {
    return or_nan(fmt::format("quantile_cont({}, {})", of, q));
  };
  return {made.json(), select(fmt::format("{}, {}, {}, {}", sql(a.sql(), 0.5), sql(b.sql(), at),
                                          sql(c.sql(), 0.25), sql(c.sql(), high)))};
}
made count_distinct(pipeline& p, const rows& in) {
  const auto a = number_of::drawn(p.d);
  const auto b = maybe_real_of::drawn(p.d);
  const auto c = maybe_text_of::drawn(p.d);
  const auto [numbers, reals, texts] =
      p.s.run(in.count_distinct(a), in.count_distinct(b), in.count_distinct(c));
  answer made;
  made.add_row(results<std::int64_t, std::int64_t, std::int64_t>(numbers, reals, texts));
  // -0.0 and 0.0 are one value.
  return {made.json(), select(fmt::format("count(distinct {}), count(distinct {} + 0.0), "
                                          "count(distinct {})",
                                          a.sql(), b.sql(), c.sql()))};
}
made histogram(pipeline& p, const rows& in) {
  const auto of = real_of::drawn(p.d);
  const auto n = p.d.between(1, 12);
  const auto width = p.d.one_of({0.25, 1.0, 8.0});
  const auto low = static_cast<double>(p.d.between(-10, 10));
  const auto high = low + width * static_cast<double>(n);
  return {answer_of(in.histogram(n, low, high, of)),
          fmt::format("select i * {1} + {2}, (i + 1) * {1} + {2}, count(x) from range({3}) bins(i) "
                      "left join (select {0} as x from {{in}}) on (x >= {2} and x <= {4} and not "
                      "isnan(x) and least(floor((x - {2}) / {1}), {3} - 1) = i) group by i order "
                      "by i",
                      of.sql(), fmt::format("{}::double", width), fmt::format("({}::double)", low),
                      n, high)};
}
made scans(pipeline& p, const rows& in) {
  const auto a = number_of::drawn_few(p.d);
  const auto b = number_of::drawn_few(p.d);
  answer all;
  const auto greater = [](std::int64_t x, std::int64_t y) { return x > y ? x : y; };
  all.add(in.map(a)
              .inclusive_scan()
              .zip(in.map(b).exclusive_scan(std::int64_t{-5}, greater))
              .collect());
  return {all.json(),
          select(fmt::format("sum({}) over (order by pos), greatest(-5, coalesce(max({}) over "
                             "(order by pos rows between unbounded preceding and 1 preceding), "
                             "-5))",
                             a.sql(), b.sql()),
                 " order by pos")};
}
made rolling_rows(pipeline& p, const rows& in) {
  const auto n = p.d.between(1, 30);
  const auto of = real_of::drawn_finite(p.d);
  const auto b = maybe_of::drawn(p.d);
  const auto window = fmt::format("over (order by pos rows {} preceding)", n - 1);
  return {answer_of(in.rolling(n, sum(of), max(b), count())),
          select(fmt::format("sum({}) {}, max({}) {}, count(*) {}", of.sql(), window, b.sql(),
                             window, window),
                 " order by pos")};
}
made first_and_top(pipeline& p, const rows& in) {
  const auto key = number_of::drawn(p.d);
  return {answer_of(in.map(key).top(5)), select(key.sql() + " as x", " order by x desc limit 5")};
}

template <typename F>
made sets(pipeline& p, const rows& in) {
  const auto a = F::drawn(p.d), b = F::drawn(p.d);
  const auto left = in.map(a);
  const auto right = p.other().map(b);
  const auto sql = [&](const char* kind) {
    return fmt::format(
        "select * from (select {} as x from {{in}} {} select {} as x from t1) order "
        "by x",
        a.sql(), kind, b.sql());
  };
  switch (p.d.number(0, 4)) {
    case 0:
      return {answer_of(left.union_with(right)), sql("union")};
    case 1:
      return {answer_of(left.intersect(right)), sql("intersect")};
    case 2:
      return {answer_of(left.except(right)), sql("except")};
    case 3:
      return {answer_of(left.distinct()),
              select(fmt::format("distinct {} as x", a.sql()), " order by x")};
    default:
      return {answer_of(left.concat(right).sort()), sql("union all")};
  }
}
made distinct_pairs(pipeline& p, const rows& in) {
  const auto a = number_of::drawn_few(p.d);
  const auto b = text_of::drawn(p.d);
  return {answer_of(in.map([a, b](const record& r) { return pair(a(r), b(r)); }).distinct()),
          select(fmt::format("distinct {} as x, {} as y", a.sql(), b.sql()), " order by x, y")};
}
made describe_all(pipeline& p, const rows& in) {
  const auto of = real_of::drawn_finite(p.d);
  const auto q = [&](double at) {
    return or_nan(fmt::format("quantile_cont({}, {})", of.sql(), at));
  };
  const auto x = of.sql();
  return {answer_of(in.describe(of)),
          select(fmt::format("count(*), {}, {}, {}, {}, {}, {}, {}", or_nan("avg(" + x + ")"),
                             or_nan("stddev_samp(" + x + ")"), or_nan("min(" + x + ")"), q(0.25),
                             q(0.5), q(0.75), or_nan("max(" + x + ")")))};
}

/// Files without text.
struct stored {
  std::int64_t id, big;
  double value, price;
  std::int32_t key;
};
made numbers_of_a_file(pipeline& p, const rows& in) {
  const auto path = p.new_file() + (p.d.once_in(2) ? ".npy" : ".raw");
  in.map([](const record& r) { return stored{r.id, r.big, r.value, r.price, r.key}; }).write(path);
  return {answer_of(p.s.read<stored>(path)), select("id, big, value, price, key", " order by pos")};
}
/// The words of a file of lines.
made words_of_lines(pipeline& p, const rows&) {
  const auto words =
      p.s.lines(p.from.lines).flat_map([](std::string_view line) { return str::words(line); });
  return {answer_of(words.value_counts()),
          "select w, count(*) as n from (select unnest(regexp_extract_all(line, "
          "'[^ \\t\\n\\v\\f\\r]+')) as w from lines) group by w order by n desc, w"};
}
made lines_of_a_file(pipeline& p, const rows&) {
  return {answer_of(p.s.lines(p.from.lines)), "select line from lines order by pos"};
}

}  // namespace

const std::vector<ending>& endings_of_records() {
  static const std::vector<ending> all{{"collect", collect}, {"for_each_chunk", for_each_chunk}};
  return all;
}
const std::vector<ending>& endings_of_lines() {
  static const std::vector<ending> all{{"words of lines", words_of_lines},
                                       {"lines", lines_of_a_file}};
  return all;
}
const std::vector<ending>& endings_of_all() {
  static const std::vector<ending> all{{"few columns", few_columns},
                                       {"a member", one_member},
                                       {"count", count_all},
                                       {"aggregate", aggregate},
                                       {"folds", folds},
                                       {"argmax", extremes},
                                       {"quantiles", quantiles},
                                       {"count_distinct", count_distinct},
                                       {"describe", describe_all},
                                       {"a file of numbers", numbers_of_a_file}};
  return all;
}
const std::vector<ending>& endings_of_values() {
  static const std::vector<ending> all{{"histogram", histogram},
                                       {"scans", scans},
                                       {"rolling", rolling_rows},
                                       {"top values", first_and_top},
                                       {"sets of numbers", sets<number_of>},
                                       {"sets of texts", sets<text_of>},
                                       {"distinct pairs", distinct_pairs}};
  return all;
}

}  // namespace pappus::oracle
