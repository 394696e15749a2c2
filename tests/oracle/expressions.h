// Functions of a record that are drawn when the program runs: what a query calls, and what stands
// in the SQL for it.
//
// A function of each type looks at its drawn `what` for every record: types are those of the
// compiled queries, all else is free.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "oracle/record.h"
#include "oracle/words.h"

namespace pappus::oracle {

struct number_of {
  int what;
  std::int64_t modulo;  ///< 0: none

  static number_of drawn(draw& d) { return {d.number(0, 7), d.once_in(3) ? d.between(1, 9) : 0}; }
  /// One of few different values.
  static number_of drawn_few(draw& d) { return {d.number(0, 7), d.between(1, 12)}; }
  static number_of id() { return {0, 0}; }

  std::int64_t operator()(const record& r) const {
    const auto n = whole(r);
    return modulo == 0 ? n : n % modulo;
  }
  std::string sql(std::string_view of = "") const {
    static constexpr const char* texts[] = {"{0}id",
                                            "{0}key",
                                            "{0}big",
                                            "{0}flag::bigint",
                                            "({0}day - date '1970-01-01')",
                                            "epoch_us({0}moment)",
                                            "strlen({0}name)",
                                            "(isodow({0}day) * 3 - {0}key)"};
    const auto n = fmt::format(fmt::runtime(texts[what]), of);
    return modulo == 0 ? fmt::format("({})::bigint", n) : fmt::format("(({}) % {})", n, modulo);
  }

 private:
  std::int64_t whole(const record& r) const {
    switch (what) {
      case 0:
        return r.id;
      case 1:
        return r.key;
      case 2:
        return r.big;
      case 3:
        return r.flag ? 1 : 0;
      case 4:
        return r.day.days;
      case 5:
        return r.moment.micros;
      case 6:
        return static_cast<std::int64_t>(r.name.size());
      default:
        return r.day.weekday() * 3 - r.key;
    }
  }
};

struct real_of {
  int what;

  static real_of drawn(draw& d) { return {d.number(0, 2)}; }
  /// One that is always finite.
  static real_of drawn_finite(draw& d) { return {d.number(1, 2)}; }

  double operator()(const record& r) const {
    return what == 0 ? r.value : what == 1 ? r.price : r.price * 0.5 - r.key;
  }
  std::string sql(std::string_view of = "") const {
    static constexpr const char* texts[] = {"{0}value", "{0}price", "({0}price * 0.5 - {0}key)"};
    return fmt::format("({})::double", fmt::format(fmt::runtime(texts[what]), of));
  }
};

struct text_of {
  int what;

  static text_of drawn(draw& d) { return {d.number(0, 3)}; }

  std::string_view operator()(const record& r) const {
    switch (what) {
      case 0:
        return r.name;
      case 1:
        return str::piece(r.name, ',', 0);
      case 2:
        return str::trim(r.name);
      default:
        return r.note.value_or("");
    }
  }
  std::string sql(std::string_view of = "") const {
    static constexpr const char* texts[] = {"{0}name", "split_part({0}name, ',', 1)",
                                            R"(trim({0}name, E' \t\n\r\f\v'))",
                                            "coalesce({0}note, '')"};
    return fmt::format(fmt::runtime(texts[what]), of);
  }
};

struct maybe_of {
  int what;

  static maybe_of drawn(draw& d) { return {d.number(0, 2)}; }

  std::optional<std::int64_t> operator()(const record& r) const {
    if (what == 0) return r.maybe;
    if (what == 1) return r.flag ? std::optional<std::int64_t>(r.key) : std::nullopt;
    return r.note ? std::optional(static_cast<std::int64_t>(r.note->size())) : std::nullopt;
  }
  std::string sql(std::string_view of = "") const {
    static constexpr const char* texts[] = {"{0}maybe", "case when {0}flag then {0}key end",
                                            "strlen({0}note)"};
    return fmt::format("({})::bigint", fmt::format(fmt::runtime(texts[what]), of));
  }
};

struct maybe_real_of {
  bool halved;

  static maybe_real_of drawn(draw& d) { return {d.once_in(2)}; }

  std::optional<double> operator()(const record& r) const {
    if (halved && r.part) return *r.part * 0.5;
    return r.part;
  }
  std::string sql(std::string_view of = "") const {
    return fmt::format("({}part{})::double", of, halved ? " * 0.5" : "");
  }
};

struct maybe_text_of {
  static maybe_text_of drawn(draw&) { return {}; }
  std::optional<std::string_view> operator()(const record& r) const { return r.note; }
  std::string sql(std::string_view of = "") const { return fmt::format("{}note", of); }
};

struct day_of {
  int what;

  static day_of drawn(draw& d) { return {d.number(0, 5)}; }

  date operator()(const record& r) const {
    switch (what) {
      case 0:
        return r.day;
      case 1:
        return first_of_week(r.day);
      case 2:
        return first_of_month(r.day);
      case 3:
        return first_of_quarter(r.day);
      case 4:
        return first_of_year(r.day);
      default:
        return r.moment.date();
    }
  }
  std::string sql(std::string_view of = "") const {
    static constexpr const char* texts[] = {"{0}day",
                                            "date_trunc('week', {0}day)::date",
                                            "date_trunc('month', {0}day)::date",
                                            "date_trunc('quarter', {0}day)::date",
                                            "date_trunc('year', {0}day)::date",
                                            "{0}moment::date"};
    return fmt::format(fmt::runtime(texts[what]), of);
  }
};

struct moment_of {
  std::int64_t hours;  ///< 0: as it is

  static moment_of drawn(draw& d) { return {d.once_in(2) ? 0 : d.between(1, 100)}; }

  timestamp operator()(const record& r) const {
    return hours == 0 ? r.moment : floor_to(r.moment, std::chrono::hours(hours));
  }
  std::string sql(std::string_view of = "") const {
    if (hours == 0) return fmt::format("{}moment", of);
    return fmt::format("time_bucket(interval {} hour, {}moment, timestamp '1970-01-01')", hours,
                       of);
  }
};

/// A pair of both, a key of several fields.
template <typename First, typename Second>
struct pair_of {
  First first;
  Second second;

  static pair_of drawn(draw& d) {
    const auto one = First::drawn(d);
    return {one, Second::drawn(d)};
  }
  auto operator()(const record& r) const { return pair(first(r), second(r)); }
  std::string sql(std::string_view of = "") const {
    return fmt::format("row({}, {})", first.sql(of), second.sql(of));
  }
};

/// A condition of up to two comparisons. Where a field is missing a comparison doesn't hold.
struct condition {
  struct comparison {
    int what, op, text;
    std::int64_t number;
    bool negated;

    bool operator()(const record& r) const { return plain(r) != negated; }
    std::string sql() const { return fmt::format("{}({})", negated ? "not " : "", plain_sql()); }

   private:
    template <typename T>
    bool compares(const T& a, const T& b) const {
      return op == 0 ? a < b : op == 1 ? a > b : a == b;
    }
    bool plain(const record& r) const {
      switch (what) {
        case 0:
          return compares<std::int64_t>(r.key, number);
        case 1:
          return compares(r.value, static_cast<double>(number));
        case 2:
          return compares(r.name, words[text]);
        case 3:
          return str::contains(r.name, words[text]);
        case 4:
          return r.maybe && compares<std::int64_t>(*r.maybe, number);
        case 5:
          return r.note.has_value();
        case 6:
          return r.day.day() <= static_cast<unsigned>(number + 20);
        case 7:
          return r.moment.hour() < number + 12;
        case 8:
          return r.flag;
        default:
          return r.id % 7 < number % 7;
      }
    }
    std::string plain_sql() const {
      static constexpr const char* ops[] = {"<", ">", "="};
      switch (what) {
        case 0:
          return fmt::format("key {} {}", ops[op], number);
        case 1:  // no comparison with NaN holds
          return fmt::format("value {} {} and not isnan(value)", ops[op], number);
        case 2:
          return fmt::format("name {} {}", ops[op], quoted(words[text]));
        case 3:
          return fmt::format("contains(name, {})", quoted(words[text]));
        case 4:
          return fmt::format("coalesce(maybe {} {}, false)", ops[op], number);
        case 5:
          return "note is not null";
        case 6:
          return fmt::format("day(day) <= {}", number + 20);
        case 7:
          return fmt::format("hour(moment) < {}", number + 12);
        case 8:
          return "flag";
        default:
          return fmt::format("id % 7 < {}", number % 7);
      }
    }
  };
  comparison first, second;
  int joined;  ///< 0: the first alone, 1: both, 2: either

  static condition drawn(draw& d) {
    const auto one = [&] {
      return comparison{d.number(0, 9), d.number(0, 2),
                        d.number(0, static_cast<int>(std::size(words)) - 1), d.between(-12, 12),
                        d.once_in(3)};
    };
    return {one(), one(), d.number(0, 2)};
  }
  bool operator()(const record& r) const {
    return joined == 0 ? first(r) : joined == 1 ? first(r) && second(r) : first(r) || second(r);
  }
  std::string sql() const {
    if (joined == 0) return first.sql();
    return fmt::format("({} {} {})", first.sql(), joined == 1 ? "and" : "or", second.sql());
  }
};

}  // namespace pappus::oracle
