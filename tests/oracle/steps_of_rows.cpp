// Steps that look at a record at a time, or at rows by their number.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "oracle/pipeline.h"

namespace pappus::oracle {
namespace {

/// A record with some field changed.
struct change {
  int what;
  std::int64_t by;

  static change drawn(draw& d) { return {d.number(0, 11), d.between(1, 9)}; }
  record operator()(const record& r) const {
    auto made = r;
    switch (what) {
      case 0:
        made.key = static_cast<std::int32_t>((r.key * 3 + by) % 50);
        break;
      case 1:
        made.value = r.value * 0.5 + static_cast<double>(by);
        break;
      case 2:
        made.name = str::piece(r.name, ',', 1);
        break;
      case 3:
        made.name = str::trim(r.name);
        break;
      case 4:
        made.name = r.note.value_or("none");
        break;
      case 5:
        if (r.flag) made.maybe.reset();
        break;
      case 6:
        made.maybe = static_cast<std::int32_t>(r.name.size());
        break;
      case 7:
        made.day = add_months(r.day, static_cast<int>(by) * 5 - 20);
        break;
      case 8:
        made.day = r.moment.date() + static_cast<int>(by);
        break;
      case 9:
        made.moment = floor_to(r.moment, std::chrono::minutes(by * 13));
        break;
      case 10:
        made.part = r.maybe ? std::optional(r.price * 0.5) : std::nullopt;
        break;
      default:
        made.note = r.flag ? std::optional(r.name) : std::nullopt;
    }
    return made;
  }
  std::string sql() const {
    switch (what) {
      case 0:
        return columns_of("", {{"key", fmt::format("((key::bigint * 3 + {}) % 50)::int", by)}});
      case 1:
        return columns_of("", {{"value", fmt::format("value * 0.5::double + {}", by)}});
      case 2:
        return columns_of("", {{"name", "split_part(name, ',', 2)"}});
      case 3:
        return columns_of("", {{"name", R"(trim(name, E' \t\n\r\f\v'))"}});
      case 4:
        return columns_of("", {{"name", "coalesce(note, 'none')"}});
      case 5:
        return columns_of("", {{"maybe", "case when not flag then maybe end"}});
      case 6:
        return columns_of("", {{"maybe", "strlen(name)::int"}});
      case 7:
        return columns_of(
            "",
            {{"day", fmt::format("(day + to_months({}))::date", static_cast<int>(by) * 5 - 20)}});
      case 8:
        return columns_of("", {{"day", fmt::format("moment::date + {}", by)}});
      case 9:
        return columns_of("", {{"moment", fmt::format("time_bucket(interval {} minute, moment, "
                                                      "timestamp '1970-01-01')",
                                                      by * 13)}});
      case 10:
        return columns_of("",
                          {{"part", "case when maybe is not null then price * 0.5::double end"}});
      default:
        return columns_of("", {{"note", "case when flag then name end"}});
    }
  }
};

rows filter(pipeline& p, const rows& in) {
  const auto is = condition::drawn(p.d);
  p.add("filter", "select * from {in} where " + is.sql());
  return in.filter(is);
}
rows map(pipeline& p, const rows& in) {
  const auto by = change::drawn(p.d);
  p.add("map", fmt::format("select {}, pos from {{in}}", by.sql()));
  return in.map(by);
}
/// Fused: what stands between is never materialised.
rows map_filter_map(pipeline& p, const rows& in) {
  const auto first = change::drawn(p.d), second = change::drawn(p.d);
  const auto is = condition::drawn(p.d);
  p.add("map", fmt::format("select {}, pos from {{in}}", first.sql()));
  p.add("filter", "select * from {in} where " + is.sql());
  p.add("map", fmt::format("select {}, pos from {{in}}", second.sql()));
  return in.map(first).filter(is).map(second);
}
rows flat_map(pipeline& p, const rows& in) {
  const auto from = p.few(in, 3'000);
  p.most_rows *= 3;
  p.add_in_order("flat_map", columns_of("", {{"id", "id"}, {"key", "key + i::int"}}),
                 "(select *, unnest(range(((id % 4) + 4) % 4)) as i from {in})", "pos, i");
  return from.flat_map([](const record& r) {
    std::vector<record> copies(static_cast<std::size_t>((r.id % 4 + 4) % 4), r);
    for (std::size_t i = 0; i < copies.size(); ++i) copies[i].key += static_cast<int>(i);
    return copies;
  });
}
/// The words of a name, a record each.
rows words_of(pipeline& p, const rows& in) {
  const auto from = p.few(in, 3'000);
  p.most_rows *= 10;
  p.add_in_order("pieces", columns_of("", {{"name", "piece"}, {"maybe", "i::int"}}),
                 "(select *, unnest(string_split(name, ',')) as piece, "
                 "generate_subscripts(string_split(name, ','), 1) as i from {in})",
                 "pos, i");
  return from.flat_map([](const record& r) {
    std::vector<record> made;
    for (const auto piece : str::split(r.name, ',')) {
      made.push_back(r);
      made.back().name = piece;
      made.back().maybe = static_cast<int>(made.size());
    }
    return made;
  });
}
rows take(pipeline& p, const rows& in) {
  const auto n = p.d.between(0, p.d.once_in(2) ? 20 : 10'000);
  p.most_rows = std::min(p.most_rows, n);
  p.add("take", fmt::format("select * from {{in}} order by pos limit {}", n));
  return in.take(n);
}
rows skip(pipeline& p, const rows& in) {
  const auto n = p.d.between(0, p.d.once_in(2) ? 20 : 10'000);
  p.add("skip", fmt::format("select * from {{in}} order by pos offset {}", n));
  return in.skip(n);
}
rows take_while_(pipeline& p, const rows& in) {
  auto is = condition::drawn(p.d);
  const bool takes = p.d.once_in(2);
  p.add(takes ? "take_while" : "skip_while",
        fmt::format("select * from {{in}} where pos {} coalesce((select min(pos) from {{in}} where "
                    "not ({})), 9e18::bigint)",
                    takes ? "<" : ">=", is.sql()));
  return takes ? rows(in.take_while(is)) : rows(in.skip_while(is));
}
rows concat(pipeline& p, const rows& in) {
  p.most_rows += p.from.right.rows;
  p.add_in_order("concat", columns_of(""),
                 fmt::format("(select 0 as side, * from {{in}} union all by name select 1 as side, "
                             "{}, pos from t1)",
                             columns_of("")),
                 "side, pos");
  return in.concat(p.other());
}
rows enumerate(pipeline& p, const rows& in) {
  p.add("enumerate",
        fmt::format("select {}, pos from {{in}}",
                    columns_of("", {{"big", "row_number() over (order by pos) - 1"}})));
  return in.enumerate().map([](const indexed<record>& r) {
    auto made = r.value;
    made.big = r.index;
    return made;
  });
}
/// Each record with the id of the one behind it.
rows zip(pipeline& p, const rows& in) {
  p.add("zip", fmt::format("select * exclude(next), from (select {}, pos, lead(id) over (order by "
                           "pos) as next from {{in}}) where next is not null",
                           columns_of("", {{"big", "lead(id) over (order by pos)"}})));
  return in.zip(in.skip(1)).map([](const auto& both) {
    auto made = both.first;
    made.big = both.second.id;
    return made;
  });
}
rows cache(pipeline& p, const rows& in) {
  p.note("cache");
  return in.cache();
}
/// To a file, and back.
rows file(pipeline& p, const rows& in) {
  static constexpr const char* suffixes[] = {".csv", ".tsv", ".csv.gz", ".csv.zst"};
  const auto path = p.new_file() + p.d.one_of(suffixes);
  p.note("file");
  in.write(path);
  return p.s.read<record>(path);
}
/// JSON has neither infinity nor NaN, which is written as what is missing.
rows json_file(pipeline& p, const rows& in) {
  const auto path = p.new_file() + (p.d.once_in(3) ? ".jsonl.gz" : ".jsonl");
  p.add("JSON file",
        fmt::format("select {}, pos from {{in}}",
                    columns_of("", {{"value", "case when isinf(value) then 0 else value end"},
                                    {"part", "case when not isnan(part) then part end"}})));
  in.map([](const record& r) {
      auto made = r;
      if (std::isinf(r.value)) made.value = 0;
      return made;
    }).write(path);
  return p.s.read<record>(path);
}
/// To a file for each key, and back: in the order of their names.
rows files_by_key(pipeline& p, const rows& in) {
  const auto kept = in.cache();
  if (kept.count().get() == 0) return in;  // no file would be there
  const auto key = number_of::drawn_few(p.d);
  const auto path = p.new_file();
  kept.write_by(key, path + "_{}.csv");
  p.add_in_order("write_by", columns_of(""), "{in}",
                 fmt::format("({})::varchar || '.csv', pos", key.sql()));
  return p.s.csv<record>(path + "_*.csv");
}
/// Backwards.
rows scatter(pipeline& p, const rows& in) {
  const auto kept = in.cache();
  const auto n = kept.count().get();
  p.add("scatter", fmt::format("select {}, -pos as pos from {{in}}", columns_of("")));
  return kept.enumerate().scatter([n](const indexed<record>& r) { return n - 1 - r.index; },
                                  [](const indexed<record>& r) { return r.value; }, n);
}
/// What functions of parts keep; sorted, where the order of parts is Pappus's own.
rows apply(pipeline& p, const rows& in) {
  const auto is = condition::drawn(p.d);
  const auto key = number_of::drawn(p.d);
  const auto parts = p.d.between(1, 9);
  const auto keep = [is](std::span<const record> part) {
    std::vector<record> made;
    for (const auto& r : part)
      if (is(r)) made.push_back(r);
    return made;
  };
  p.add("apply", "select * from {in} where " + is.sql());
  if (p.d.once_in(2)) return in.apply(keep, pieces{parts});
  p.add_in_order("sort_by", columns_of(""), "{in}", key.sql() + ", pos");
  if (p.d.once_in(2)) return in.apply(keep, hash_by(key, parts)).sort_by(key);
  return in.apply(keep, range_by(key, parts)).sort_by(key);
}
/// The same step some times over.
rows loop(pipeline& p, const rows& in) {
  const auto by = change::drawn(p.d);
  const auto is = condition::drawn(p.d);
  const auto most = p.d.between(1, 4);
  for (std::int64_t i = 0; i < most; ++i) {
    p.add("loop", fmt::format("select {}, pos from {{in}}", by.sql()));
    p.add("loop", "select * from {in} where " + is.sql());
  }
  const auto body = [by, is](const rows& at) { return rows(at.map(by).filter(is)); };
  const auto always = [](std::span<const record>, std::span<const record>) { return true; };
  return p.s.do_while(in, body, always, max_iterations{most});
}

}  // namespace

const std::vector<step>& steps_of_rows() {
  static const std::vector<step> all{{"filter", filter},
                                     {"map", map},
                                     {"map filter map", map_filter_map},
                                     {"flat_map", flat_map},
                                     {"words", words_of},
                                     {"take", take},
                                     {"skip", skip},
                                     {"take_while", take_while_},
                                     {"concat", concat},
                                     {"enumerate", enumerate},
                                     {"zip", zip},
                                     {"cache", cache},
                                     {"file", file},
                                     {"JSON file", json_file},
                                     {"write_by", files_by_key},
                                     {"scatter", scatter},
                                     {"apply", apply},
                                     {"do_while", loop}};
  return all;
}

}  // namespace pappus::oracle
