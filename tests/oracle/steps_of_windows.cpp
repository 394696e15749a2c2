// Window functions, whose results become fields.
#include "oracle/pipeline.h"

namespace pappus::oracle {
namespace {

/// `over` as SQL has it, with the key of the groups.
std::string over_groups(const std::string& key) {
  return fmt::format("over (partition by {} order by pos)", key);
}

template <typename Key>
rows neighbours(pipeline& p, const rows& in) {
  const auto key = Key::drawn(p.d);
  const auto by = p.d.between(0, 4), behind = p.d.between(0, 4);
  const auto window = over_groups(key.sql());
  p.add_in_order("over neighbours",
                 columns_of("", {{"maybe", fmt::format("lag(key, {}) {}", by, window)},
                                 {"note", fmt::format("lead(name, {}) {}", behind, window)},
                                 {"big", "row_number() " + window}}),
                 "{in}", ordered(key.sql()) + ", pos");
  return in.group_by(key)
      .over(lag(&record::key, by), lead(&record::name, behind), row_number())
      .map([](const auto& row) {
        auto made = row.first;
        const auto& [before, after, number] = row.second;
        made.maybe = before;
        made.note = after;
        made.big = number;
        return made;
      });
}

template <typename Key, typename Rank>
rows ranks(pipeline& p, const rows& in) {
  const auto key = Key::drawn(p.d);
  const auto by = Rank::drawn(p.d);
  const auto window = [&](bool backwards) {
    return fmt::format("over (partition by {} order by {})", key.sql(),
                       ordered(by.sql(), backwards));
  };
  p.add_in_order("over ranks",
                 columns_of("", {{"maybe", fmt::format("(dense_rank() {})::int", window(false))},
                                 {"big", "rank() " + window(true)}}),
                 "{in}", ordered(key.sql()) + ", pos");
  return in.group_by(key)
      .over(pappus::rank(descending(by)), dense_rank(by))
      .map([](const auto& row) {
        auto made = row.first;
        const auto& [rank, dense] = row.second;
        made.big = rank;
        made.maybe = static_cast<std::int32_t>(dense);
        return made;
      });
}

/// Behind a sort: running, rolling and whole.
rows totals(pipeline& p, const rows& in) {
  const auto key = number_of::drawn_few(p.d);
  const auto time = moment_of::drawn(p.d);
  const auto n = p.d.between(1, 7);
  p.add_in_order("sort_by", columns_of(""), "{in}", ordered(time.sql()) + ", pos");
  p.add_in_order(
      "over totals",
      columns_of(
          "",
          {{"value", "sum(price) " + over_groups(key.sql())},
           {"part", fmt::format("max(price) over (partition by {} order by pos rows {} preceding)",
                                key.sql(), n - 1)},
           {"big", fmt::format("count(maybe) over (partition by {})", key.sql())},
           {"maybe", fmt::format("min(maybe) over (partition by {} order by pos rows {} preceding)",
                                 key.sql(), n - 1)}}),
      "{in}", ordered(key.sql()) + ", pos");
  return in.sort_by(time)
      .group_by(key)
      .over(cumulative(sum(&record::price)), rolling(n, max(&record::price)), count(&record::maybe),
            rolling(n, min(&record::maybe)))
      .map([](const auto& row) {
        auto made = row.first;
        const auto& [total, most, known, least] = row.second;
        made.value = total;
        made.part = most;
        made.big = known;
        made.maybe = least;
        return made;
      });
}

/// By time: what lies less than so many hours back.
rows rolling_by_time(pipeline& p, const rows& in) {
  const auto key = text_of::drawn(p.d);
  const auto hours = p.d.between(1, 60);
  const auto from = p.few(in, 3'000);
  p.add_in_order("sort_by", columns_of(""), "{in}", "moment, pos");
  p.add_in_order(
      "over time",
      columns_of("o.",
                 {{"value",
                   fmt::format("(select coalesce(sum(i.price), 0) from {{in}} i where {} = {} and "
                               "i.pos <= o.pos and i.moment > o.moment - interval {} hour)",
                               key.sql("i."), key.sql("o."), hours)}}),
      "{in} o", ordered(key.sql("o.")) + ", o.pos");
  return from.sort_by(&record::moment)
      .group_by(key)
      .over(rolling(std::chrono::hours(hours), &record::moment, sum(&record::price)))
      .map([](const auto& row) {
        auto made = row.first;
        made.value = row.second;
        return made;
      });
}

}  // namespace

const std::vector<step>& steps_of_windows() {
  static const std::vector<step> all{{"neighbours by number", neighbours<number_of>},
                                     {"neighbours by text", neighbours<maybe_text_of>},
                                     {"ranks of reals", ranks<text_of, real_of>},
                                     {"ranks of maybes", ranks<number_of, maybe_real_of>},
                                     {"totals", totals},
                                     {"rolling by time", rolling_by_time}};
  return all;
}

}  // namespace pappus::oracle
