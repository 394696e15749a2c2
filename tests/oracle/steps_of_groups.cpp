// Records of groups, and groups as records.
#include "oracle/pipeline.h"

namespace pappus::oracle {
namespace {

/// The n records of each group with the greatest or least rank, or its first ones.
template <typename Key, typename Rank>
rows some_of_each(pipeline& p, const rows& in) {
  const auto key = Key::drawn(p.d);
  const auto rank = Rank::drawn(p.d);
  const auto n = p.d.between(0, p.d.once_in(3) ? 40 : 4);
  const int what = p.d.number(0, 2);
  const auto by = what == 0 ? "pos" : ordered(rank.sql(), what == 1) + ", pos";
  p.add_in_order(
      what == 0   ? "take of groups"
      : what == 1 ? "top of groups"
                  : "bottom of groups",
      columns_of(""),
      fmt::format("(select * from {{in}} qualify row_number() over (partition by {} order by {}) "
                  "<= {})",
                  key.sql(), by, n),
      ordered(key.sql()) + ", " + by);
  const auto groups = in.group_by(key);
  if (what == 0) return groups.take(n);
  return what == 1 ? rows(groups.top(n, rank)) : rows(groups.bottom(n, rank));
}

/// A record for each group: of numbers.
rows counts(pipeline& p, const rows& in) {
  const auto key = number_of::drawn_few(p.d);
  const auto of = number_of::drawn(p.d);
  p.add("groups", fmt::format("select {}, {} as pos from {{in}} group by {}",
                              columns_of("", {{"id", "count(*)"},
                                              {"key", key.sql() + "::int"},
                                              {"big", fmt::format("max({})", of.sql())},
                                              {"value", "sum(price)"},
                                              {"price", "max(price)"},
                                              {"maybe", "min(maybe)"},
                                              {"part", "max(part)"},
                                              {"flag", "bool_or(flag)"},
                                              {"day", "min(day)"},
                                              {"moment", "max(moment)"},
                                              {"name", "first(name order by pos)"},
                                              {"note", "last(note order by pos)"}}),
                              key.sql(), key.sql()));
  const auto flagged = [](const record& r) { return r.flag; };
  return in.group_by(key)
      .aggregate(count(), max(of), sum(&record::price), max(&record::price), min(&record::maybe),
                 max(&record::part), reduced<reducers::any>(flagged), min(&record::day),
                 max(&record::moment), first(&record::name), last(&record::note))
      .map([](const auto& g) {
        const auto& [n, most, total, price, maybe, part, flag, day, moment, name, note] = g.value;
        return record{n,     static_cast<std::int32_t>(g.key),
                      most,  total,
                      price, maybe,
                      part,  flag,
                      day,   moment,
                      name,  note};
      });
}
/// By text: what has it as its name, counted.
rows count_names(pipeline& p, const rows& in) {
  const auto key = text_of::drawn(p.d);
  p.add_in_order(
      "value_counts",
      columns_of("", {{"id", "n"},
                      {"key", "n::int"},
                      {"big", "0"},
                      {"value", "0.5::double"},
                      {"price", "1::double"},
                      {"maybe", "null::int"},
                      {"part", "null::double"},
                      {"flag", "false"},
                      {"day", "date '1970-01-01'"},
                      {"moment", "timestamp '1970-01-01'"},
                      {"name", "of"},
                      {"note", "of"}}),
      fmt::format("(select {} as of, count(*) as n from {{in}} group by all)", key.sql()),
      "n desc, of");
  return in.value_counts(key).map([](const auto& g) {
    return record{.id = g.value,
                  .key = static_cast<std::int32_t>(g.value),
                  .big = 0,
                  .value = 0.5,
                  .price = 1,
                  .maybe = {},
                  .part = {},
                  .flag = false,
                  .day = {},
                  .moment = {},
                  .name = g.key,
                  .note = g.key};
  });
}

}  // namespace

const std::vector<step>& steps_of_groups() {
  static const std::vector<step> all{{"some of each number", some_of_each<number_of, real_of>},
                                     {"some of each text", some_of_each<text_of, maybe_of>},
                                     {"some of each maybe", some_of_each<maybe_of, number_of>},
                                     {"groups", counts},
                                     {"value_counts", count_names}};
  return all;
}

}  // namespace pappus::oracle
