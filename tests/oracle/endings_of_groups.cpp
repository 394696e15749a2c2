// What is asked of groups.
#include <array>
#include <span>

#include "oracle/pipeline.h"

namespace pappus::oracle {
namespace {

std::string or_zero(const std::string& what) { return fmt::format("coalesce({}, 0)", what); }
std::string nan_if_none(const std::string& what) {
  return fmt::format("coalesce({}, 'nan'::double)", what);
}

/// A line a group, in the order of keys.
std::string grouped(const std::string& keys, const std::string& what, const std::string& order) {
  return fmt::format("select {}, {} from {{in}} group by {} order by {}", keys, what, keys, order);
}

template <typename Key>
made aggregates(pipeline& p, const rows& in) {
  const auto key = Key::drawn(p.d);
  const auto a = number_of::drawn(p.d);
  const auto b = maybe_of::drawn(p.d);
  const auto c = real_of::drawn(p.d);
  return {answer_of(in.group_by(key).aggregate(count(), sum(b), mean(c), min(b), max(a),
                                               first(&record::note))),
          grouped(key.sql(),
                  fmt::format("count(*), {}, avg({}), min({}), max({}), first(note order by pos)",
                              or_zero("sum(" + b.sql() + ")"), c.sql(), b.sql(), a.sql()),
                  ordered(key.sql()))};
}
/// By two keys, each a function.
made of_two_keys(pipeline& p, const rows& in) {
  const auto one = number_of::drawn_few(p.d);
  const auto other = maybe_text_of::drawn(p.d);
  const auto c = real_of::drawn_finite(p.d);
  return {answer_of(in.group_by(one, other).aggregate(count(), sum(c), variance(c))),
          grouped(one.sql() + ", " + other.sql(),
                  fmt::format("count(*), sum({0}), var_pop({0})", c.sql()),
                  ordered(one.sql()) + ", " + ordered(other.sql()))};
}
made of_a_pair(pipeline& p, const rows& in) {
  const auto one = day_of::drawn(p.d);
  const auto other = maybe_of::drawn(p.d);
  return {answer_of(in.group_by([one, other](const record& r) {
                        return pair(one(r), other(r));
                      }).count()),
          grouped(one.sql() + ", " + other.sql(), "count(*)",
                  ordered(one.sql()) + ", " + ordered(other.sql()))};
}
/// Pappus's rule for groups of a domain: those without records stay.
made of_a_domain(pipeline& p, const rows& in) {
  const auto k = p.d.between(1, 40);
  const auto of = real_of::drawn(p.d);
  const auto key = [k](const record& r) { return (r.id % k + k) % k; };
  return {answer_of(in.group_by(key, domain{k}).aggregate(count(), sum(of), max(&record::maybe))),
          fmt::format("select k, count(of), {1}, max(maybe) from range({0}) keys(k) left join "
                      "(select ((id % {0}) + {0}) % {0} as i, {2} as of, maybe from {{in}}) on i = "
                      "k group by k order by k",
                      k, or_zero("sum(of)"), of.sql())};
}
template <typename Key>
made quantiles_of_each(pipeline& p, const rows& in) {
  const auto key = Key::drawn(p.d);
  const auto of = maybe_real_of::drawn(p.d);
  const double at = p.d.number(0, 20) / 20.0;
  const auto sql = [&](double q) {
    return nan_if_none(fmt::format("quantile_cont({}, {})", of.sql(), q));
  };
  if (p.d.once_in(2))
    return {answer_of(in.group_by(key).median(of)),
            grouped(key.sql(), sql(0.5), ordered(key.sql()))};
  return {answer_of(in.group_by(key).quantiles(std::array{at, 0.75}, of)),
          grouped(key.sql(), sql(at) + ", " + sql(0.75), ordered(key.sql()))};
}
template <typename Key, typename Of>
made distinct_of_each(pipeline& p, const rows& in) {
  const auto key = Key::drawn(p.d);
  const auto of = Of::drawn(p.d);
  return {answer_of(in.group_by(key).count_distinct(of)),
          grouped(key.sql(), fmt::format("count(distinct {})", of.sql()), ordered(key.sql()))};
}
template <typename Key>
made greatest_of_each(pipeline& p, const rows& in) {
  const auto key = Key::drawn(p.d);
  const auto of = real_of::drawn(p.d);
  const auto arg = number_of::drawn(p.d);
  return {answer_of(in.group_by(key).aggregate(argmax(of, arg), count())),
          grouped(key.sql(),
                  fmt::format("max({0}), first({1} order by {2}, {1}), count(*)", of.sql(),
                              arg.sql(), ordered(of.sql(), true)),
                  ordered(key.sql()))};
}
/// A column for each weekday, as a pivot has it.
made pivoted(pipeline& p, const rows& in) {
  const auto key = text_of::drawn(p.d);
  const auto on = [](int day) {
    return [day](const record& r) { return r.day.weekday() == day ? r.price : 0; };
  };
  std::string columns;
  for (const int day : {1, 3, 7})
    columns += fmt::format("{}sum(case when isodow(day) = {} then price else 0 end)",
                           columns.empty() ? "" : ", ", day);
  return {answer_of(in.group_by(key).aggregate(sum(on(1)), sum(on(3)), sum(on(7)))),
          grouped(key.sql(), columns, ordered(key.sql()))};
}
template <typename Key>
made most_frequent(pipeline& p, const rows& in) {
  const auto key = Key::drawn(p.d);
  const auto n = p.d.between(0, 12);
  return {answer_of(in.group_by(key).count().top(n, by_value)),
          fmt::format("select {0}, count(*) as n from {{in}} group by {0} order by n desc, {1} "
                      "limit {2}",
                      key.sql(), ordered(key.sql()), n)};
}
template <typename Key>
made value_counts_of(pipeline& p, const rows& in) {
  const auto key = Key::drawn(p.d);
  return {answer_of(in.value_counts(key)),
          fmt::format("select {0}, count(*) as n from {{in}} group by {0} order by n desc, {1}",
                      key.sql(), ordered(key.sql()))};
}
/// Whatever a function makes of a group: how often its prices fall.
made map_groups_of(pipeline& p, const rows& in) {
  const auto key = maybe_of::drawn(p.d);
  const auto falls = [](std::optional<std::int64_t> of, std::span<const double> prices) {
    std::int64_t n = 0;
    for (std::size_t i = 1; i < prices.size(); ++i) n += prices[i] < prices[i - 1] ? 1 : 0;
    return pair(of, n);
  };
  return {answer_of(in.group_by(key).map_groups(falls, &record::price)),
          fmt::format("select k, count(*) filter (fell) from (select {0} as k, price < lag(price) "
                      "over (partition by {0} order by pos) as fell from {{in}}) group by k order "
                      "by {1}",
                      key.sql(), ordered("k"))};
}
/// What lies before the groups is fused with them.
made of_fused_rows(pipeline& p, const rows& in) {
  const auto is = condition::drawn(p.d);
  const auto key = text_of::drawn(p.d);
  const auto of = maybe_of::drawn(p.d);
  p.add("filter", "select * from {in} where " + is.sql());
  return {answer_of(in.filter(is)
                        .map([](const record& r) {
                          auto changed = r;
                          changed.name = str::trim(r.name);
                          return changed;
                        })
                        .group_by(key)
                        .aggregate(sum(of), max(&record::note), mean(&record::price))),
          fmt::format("select k, coalesce(sum({}), 0), max(note), avg(price) from (select *, "
                      "{} as k from (select * replace (trim(name, E' \\t\\n\\r\\f\\v') as "
                      "name) from {{in}})) group by k order by k",
                      of.sql(), key.sql())};
}
/// Of pairs of a join, by the left record.
made of_left_records(pipeline& p, const rows& in) {
  const auto key = number_of::drawn_few(p.d);
  const auto on = number_of::drawn_few(p.d);
  const auto price = [](const record&, const record& r) { return r.price; };
  return {answer_of(p.few(in, 3'000)
                        .join(p.other(), on, on, price)
                        .group_by(left(key))
                        .aggregate(sum(), count(), max())),
          fmt::format("select {0}, sum(r.price), count(*), max(r.price) from {{in}} l join t1 r on "
                      "{1} = {2} group by {0} order by {0}",
                      key.sql("l."), on.sql("l."), on.sql("r."))};
}
/// Whose keys are records that have missing fields.
made of_records(pipeline& p, const rows& in) {
  const auto number = maybe_of::drawn(p.d);
  const auto text = maybe_text_of::drawn(p.d);
  const auto key = pair_of<maybe_of, maybe_text_of>{number, text};
  const auto sql = fmt::format("{}, {}", number.sql(), text.sql());
  const auto order = ordered(number.sql()) + ", " + ordered(text.sql());
  if (p.d.once_in(2))
    return {answer_of(in.map(key).distinct()),
            fmt::format("select {0} from {{in}} group by {0} order by {1}", sql, order)};
  return {answer_of(in.group_by(key).aggregate(last(&record::id), min(&record::name))),
          grouped(sql, "last(id order by pos), min(name)", order)};
}
made described(pipeline& p, const rows& in) {
  const auto key = text_of::drawn(p.d);
  const auto x = real_of::drawn_finite(p.d);
  return {answer_of(in.group_by(key).describe(x)),
          grouped(key.sql(),
                  fmt::format("count(*), avg({0}), coalesce(stddev_samp({0}), 'nan'::double), "
                              "min({0}), quantile_cont({0}, 0.25), quantile_cont({0}, 0.5), "
                              "quantile_cont({0}, 0.75), max({0})",
                              x.sql()),
                  ordered(key.sql()))};
}
/// Groups of groups.
made of_groups(pipeline& p, const rows& in) {
  const auto key = number_of::drawn(p.d);
  return {
      answer_of(in.group_by(key).count().group_by([](const auto& g) { return g.value; }).count()),
      fmt::format("select n, count(*) from (select count(*) as n from {{in}} group by {}) group "
                  "by n order by n",
                  key.sql())};
}

}  // namespace

const std::vector<ending>& endings_of_groups() {
  static const std::vector<ending> all{
      {"of numbers", aggregates<number_of>},
      {"of texts", aggregates<text_of>},
      {"of maybes", aggregates<maybe_of>},
      {"of maybe texts", aggregates<maybe_text_of>},
      {"of reals", aggregates<real_of>},
      {"of days", aggregates<day_of>},
      {"of two keys", of_two_keys},
      {"of a pair", of_a_pair},
      {"of a domain", of_a_domain},
      {"quantiles of texts", quantiles_of_each<text_of>},
      {"quantiles of numbers", quantiles_of_each<number_of>},
      {"count_distinct of numbers", distinct_of_each<number_of, maybe_of>},
      {"count_distinct of texts", distinct_of_each<maybe_text_of, text_of>},
      {"argmax of numbers", greatest_of_each<number_of>},
      {"argmax of texts", greatest_of_each<text_of>},
      {"pivot", pivoted},
      {"top of texts", most_frequent<text_of>},
      {"value_counts of moments", value_counts_of<moment_of>},
      {"value_counts of maybe reals", value_counts_of<maybe_real_of>},
      {"map_groups", map_groups_of},
      {"of fused rows", of_fused_rows},
      {"of left records", of_left_records},
      {"of records", of_records},
      {"describe of texts", described},
      {"groups of groups", of_groups}};
  return all;
}

}  // namespace pappus::oracle
