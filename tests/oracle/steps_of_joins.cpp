// Joins with the right table, or with rows of the query's own.
#include "oracle/pipeline.h"

namespace pappus::oracle {
namespace {

/// A left record with something of a right one.
record both(const record& l, const record& r) {
  auto made = l;
  made.key = r.key;
  made.value = l.value + r.price;
  made.maybe = r.maybe;
  made.name = r.name;
  made.big = r.id;
  return made;
}
std::string both_columns() {
  return columns_of("l.", {{"key", "r.key"},
                           {"value", "l.value + r.price"},
                           {"maybe", "r.maybe"},
                           {"name", "r.name"},
                           {"big", "r.id"}});
}
record left_alone(const record& l) {
  auto made = l;
  made.maybe.reset();
  made.note = "alone";
  return made;
}
/// Of a left join: `both` where there is a right record, else as left_alone.
std::string both_or_left(const char* there = "r.id is not null") {
  const auto either = [&](const char* then, const char* otherwise) {
    return fmt::format("case when {} then {} else {} end", there, then, otherwise);
  };
  return columns_of("l.", {{"key", either("r.key", "l.key")},
                           {"value", either("l.value + r.price", "l.value")},
                           {"maybe", either("r.maybe", "null")},
                           {"name", either("r.name", "l.name")},
                           {"note", either("l.note", "'alone'")},
                           {"big", either("r.id", "l.big")}});
}

struct of_pair {
  record operator()(const record& l, const record& r) const { return both(l, r); }
};
struct of_left {
  record operator()(const record& l, const record* r) const {
    return r != nullptr ? both(l, *r) : left_alone(l);
  }
};
struct of_right {
  record operator()(const record* l, const record& r) const {
    return l != nullptr ? both(*l, r) : r;
  }
};
struct of_either {
  record operator()(const record* l, const record* r) const {
    return l == nullptr ? *r : r == nullptr ? left_alone(*l) : both(*l, *r);
  }
};

/// Rows to be joined with, and their name in SQL.
struct right_rows {
  rows of;
  std::string table;
};
right_rows right_of(pipeline& p) {
  if (p.d.once_in(3)) {
    const auto is = condition::drawn(p.d);
    return {p.other().filter(is), fmt::format("(select * from t1 where {})", is.sql())};
  }
  return {p.other(), "t1"};
}

template <typename LeftKey, typename RightKey = LeftKey>
rows join(pipeline& p, const rows& in) {
  const auto left_key = LeftKey::drawn(p.d);
  const auto right_key = RightKey::drawn(p.d);
  const auto left = p.few(in, 2'000);
  const auto right = right_of(p);
  const auto on = fmt::format("{} = {}", left_key.sql("l."), right_key.sql("r."));
  const auto source = [&](const char* kind) {
    return fmt::format("{{in}} l {} join {} r on ({})", kind, right.table, on);
  };
  switch (p.d.number(0, 5)) {
    case 0:
      p.most_rows *= p.from.right.rows;
      p.add_in_order("join", both_columns(), source(""), "l.pos, r.pos");
      return left.join(right.of, left_key, right_key, of_pair());
    case 1:
      p.most_rows *= 1 + p.from.right.rows;
      p.add_in_order("left_join", both_or_left(), source("left"), "l.pos, r.pos");
      return left.left_join(right.of, left_key, right_key, of_left());
    case 2: {
      p.most_rows = (1 + p.most_rows) * p.from.right.rows;
      std::string columns;
      for (const char* name : fields) {
        const std::string of = name;
        const bool rights = of == "key" || of == "maybe" || of == "name";
        const auto joined = of == "value" ? "l.value + r.price"
                            : of == "big" ? std::string("r.id")
                            : rights      ? "r." + of
                                          : "l." + of;
        columns += fmt::format("{}case when l.id is null then r.{} else {} end as {}",
                               columns.empty() ? "" : ", ", of, joined, of);
      }
      p.add_in_order("right_join", columns, source("right"), "r.pos, l.pos");
      return left.right_join(right.of, left_key, right_key, of_right());
    }
    case 3: {
      p.most_rows = (1 + p.most_rows) * (1 + p.from.right.rows);
      p.add("full_join",
            fmt::format("select {0}, row_number() over (order by side, a, b) as pos from (select "
                        "{1}, 0 as side, l.pos as a, r.pos as b from {2} union all by name select "
                        "{3}, 1 as side, r.pos as a, 0 as b from {4} r where not exists (select 1 "
                        "from {{in}} l where {5}))",
                        columns_of(""), both_or_left(), source("left"), columns_of("r."),
                        right.table, on));
      return left.full_join(right.of, left_key, right_key, of_either());
    }
    default: {
      const bool semi = p.d.once_in(2);
      p.add(semi ? "semi_join" : "anti_join",
            fmt::format("select * from {{in}} l where {} exists (select 1 from {} r where {})",
                        semi ? "" : "not", right.table, on));
      return semi ? rows(left.semi_join(right.of, left_key, right_key))
                  : rows(left.anti_join(right.of, left_key, right_key));
    }
  }
}

/// With rows of its own, by numbers that are nearly all different.
rows join_itself(pipeline& p, const rows& in) {
  const auto left = p.few(in, 500);
  p.add_in_order("join itself", both_columns(), "{in} l join {in} r on l.id = r.id - 1",
                 "l.pos, r.pos");
  p.most_rows *= 100;
  return left.join(left, &record::id, [](const record& r) { return r.id - 1; }, of_pair());
}

rows asof_join(pipeline& p, const rows& in) {
  const auto left_key = number_of::drawn_few(p.d), right_key = number_of::drawn_few(p.d);
  const auto left_time = number_of::drawn(p.d), right_time = number_of::drawn(p.d);
  const auto direction =
      p.d.one_of({asof::backward, asof::forward, asof::before, asof::after, asof::nearest});
  const auto left = p.few(in, 3'000);
  const auto l = left_time.sql("l."), r = right_time.sql("r.");
  std::string near, order;
  switch (direction) {
    case asof::backward:
    case asof::before:
      near = fmt::format("{} {} {}", r, direction == asof::before ? "<" : "<=", l);
      order = fmt::format("{} desc, r.pos desc", r);
      break;
    case asof::forward:
    case asof::after:
      near = fmt::format("{} {} {}", r, direction == asof::after ? ">" : ">=", l);
      order = fmt::format("{}, r.pos", r);
      break;
    case asof::nearest:
      near = "true";
      order =
          fmt::format("abs({0} - {1}), {0}, case when {0} > {1} then r.pos else -r.pos end", r, l);
  }
  p.add("asof_join",
        fmt::format("select {}, l.pos as pos from {{in}} l left join t1 r on ({} = {} and {}) "
                    "qualify row_number() over (partition by l.pos order by {}) = 1",
                    both_or_left(), left_key.sql("l."), right_key.sql("r."), near, order));
  return left.asof_join(p.other(), left_key, right_key, left_time, right_time, of_left(),
                        direction);
}

rows range_join(pipeline& p, const rows& in) {
  const auto key = text_of::drawn(p.d);
  const auto from = number_of::drawn(p.d);
  const auto point = number_of::drawn(p.d);
  const auto width = p.d.between(0, 20);
  const auto left = p.few(in, 1'000);
  p.most_rows *= p.from.right.rows;
  p.add_in_order(
      "range_join", both_columns(),
      fmt::format("{{in}} l join t1 r on ({} = {} and {} between {} and {} + {})", key.sql("l."),
                  key.sql("r."), point.sql("r."), from.sql("l."), from.sql("l."), width),
      fmt::format("l.pos, {}, r.pos", point.sql("r.")));
  return left.range_join(
      p.other(), key, key, from, [from, width](const record& r) { return from(r) + width; }, point,
      of_pair());
}

rows cross_join(pipeline& p, const rows& in) {
  const auto left = p.few(in, 40);
  const auto n = p.d.between(0, 20);
  p.most_rows *= n;
  p.add_in_order("cross_join", both_columns(),
                 fmt::format("{{in}} l cross join (select * from t1 order by pos limit {}) r", n),
                 "l.pos, r.pos");
  return left.cross_join(p.other().take(n), of_pair());
}

}  // namespace

const std::vector<step>& steps_of_joins() {
  static const std::vector<step> all{{"join by number", join<number_of>},
                                     {"join by text", join<text_of>},
                                     {"join by maybe", join<maybe_of>},
                                     {"join by real", join<real_of>},
                                     {"join by day", join<day_of>},
                                     {"join by two", join<pair_of<number_of, day_of>>},
                                     {"join missing left", join<maybe_of, number_of>},
                                     {"join missing right", join<number_of, maybe_of>},
                                     {"join itself", join_itself},
                                     {"asof_join", asof_join},
                                     {"range_join", range_join},
                                     {"cross_join", cross_join}};
  return all;
}

}  // namespace pappus::oracle
