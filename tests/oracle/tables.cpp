#include "oracle/tables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "oracle/answer.h"
#include "oracle/words.h"

#ifndef PAPPUS_TEST_ARROW
#define PAPPUS_TEST_ARROW 0
#endif

namespace pappus::oracle {
namespace {

constexpr bool have_parquet = PAPPUS_TEST_ARROW;

/// Records, with the text that they show.
struct drawn_rows {
  std::vector<record> records;
  std::vector<std::string> texts;
};

std::string drawn_text(draw& d) {
  if (!d.once_in(3)) return std::string(d.one_of(words));
  std::string made;
  for (auto n = d.number(0, 9); n > 0; --n) made += d.one_of({'a', 'b', ',', '"', ' ', 'Z', '0'});
  return made;
}

/// Records of a table: how many keys and texts there are, and how much is missing, differs.
drawn_rows drawn(draw& d, std::int64_t n, std::int64_t first_id) {
  drawn_rows made;
  const auto texts = d.number(1, 60);
  for (int i = 0; i < texts; ++i) made.texts.push_back(drawn_text(d));
  const std::int64_t keys = d.one_of({1, 3, 20, 1000});
  const int missing = d.one_of({1, 2, 5, 1000}), odd = d.one_of({4, 50, 100'000});
  const std::int64_t days = d.one_of({3, 100, 4000});
  const auto text = [&] { return std::string_view(made.texts[d.number(0, texts - 1)]); };
  const auto eighths = [&](std::int64_t most) {
    return static_cast<double>(d.between(-8 * most, 8 * most)) / 8;
  };
  const double odd_values[] = {std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity(), -0.0, 0.0};
  for (std::int64_t i = 0; i < n; ++i) {
    record r{};
    r.id = first_id + i;
    r.key = static_cast<std::int32_t>(d.between(-keys / 2, keys));
    r.big = d.between(-1'000'000'000'000, 1'000'000'000'000);
    r.value = d.once_in(odd) ? d.one_of(odd_values) : eighths(keys);
    r.price = std::abs(eighths(500));
    if (!d.once_in(missing)) r.maybe = d.number(-20, 20);
    if (!d.once_in(missing)) r.part = d.once_in(odd) ? odd_values[0] : eighths(4);
    r.flag = d.once_in(2);
    r.day = {static_cast<std::int32_t>(10'000 + d.between(-days, days))};
    r.moment = {d.between(0, days) * 3'600'000'000 * 7 + d.between(0, 3) * 1'500'000'250};
    r.name = text();
    if (!d.once_in(missing)) r.note = text();
    made.records.push_back(r);
  }
  return made;
}

std::string literal_of(double value) {
  return std::isnan(value)   ? "nan"
         : std::isinf(value) ? (value < 0 ? "-inf" : "inf")
                             : fmt::format("{}", value);
}
std::string printed(date day) {
  return fmt::format("{:04}-{:02}-{:02}", day.year(), day.month(), day.day());
}
std::string printed(timestamp t, char between) {
  const auto micros = ((t.micros % 1'000'000) + 1'000'000) % 1'000'000;
  return fmt::format("{}{}{:02}:{:02}:{:02}{}", printed(t.date()), between, t.hour(), t.minute(),
                     t.second(), micros == 0 ? "" : fmt::format(".{:06}", micros));
}

/// How a CSV file is written, for both readers.
struct dialect {
  csv_options ours;
  std::string oracles;  ///< further arguments of read_csv
  char delimiter = ',';
  bool crlf = false, quotes_all = false, day_first = false;
};

dialect drawn_dialect(draw& d) {
  dialect made;
  made.delimiter = d.one_of({',', ';', '|', '\t'});
  made.ours.delimiter = made.delimiter;
  made.crlf = d.once_in(3);
  made.quotes_all = d.once_in(4);
  made.day_first = d.once_in(3);
  if (d.once_in(2)) made.ours.missing = {"NA", "null"};
  if (made.delimiter != ',' && d.once_in(2)) made.ours.decimal = ',';
  if (made.day_first) made.ours.date = "%d/%m/%Y";
  made.ours.header = !d.once_in(4);
  if (made.ours.header && d.once_in(5)) made.ours.skip = 2;
  made.oracles = fmt::format(
      "delim={}, quote='\"', escape='\"', header={}, skip={}, auto_detect=false, "
      "allow_quoted_nulls=false, nullstr=[{}], decimal_separator='{}', dateformat='{}', "
      "new_line='{}'",
      made.delimiter == '\t' ? R"(E'\t')" : fmt::format("'{}'", made.delimiter), made.ours.header,
      made.ours.skip, made.ours.missing.empty() ? "''" : "'', 'NA', 'null'", made.ours.decimal,
      made.day_first ? "%d/%m/%Y" : "%Y-%m-%d", made.crlf ? R"(\r\n)" : R"(\n)");
  return made;
}

/// Writes CSV files without Pappus's writer.
class csv_text {
 public:
  csv_text(draw& d, const dialect& as) : d_(d), as_(as) {
    for (std::int64_t i = 0; i < as.ours.skip; ++i) text_ += "a line, before the header" + end();
    if (!as.ours.header) return;
    for (const char* name : fields) cell(name, false);
    end_row();
  }
  void row(const record& r) {
    cell(std::to_string(r.id), true);
    cell(std::to_string(r.key), true);
    cell(std::to_string(r.big), true);
    cell(std::isnan(r.value) && d_.once_in(2) ? "" : number(r.value), true);
    cell(number(r.price), true);
    r.maybe ? cell(std::to_string(*r.maybe), true) : missing();
    r.part ? cell(number(*r.part), true) : missing();
    cell(r.flag ? "true" : "false", true);
    cell(as_.day_first ? fmt::format("{:02}/{:02}/{:04}", r.day.day(), r.day.month(), r.day.year())
                       : printed(r.day),
         true);
    cell(printed(r.moment, ' '), true);
    cell(r.name, r.name.empty());
    if (!r.note)
      missing();
    else
      cell(*r.note, false);
    end_row();
  }
  const std::string& text() const { return text_; }

 private:
  std::string end() const { return as_.crlf ? "\r\n" : "\n"; }
  std::string number(double value) const {
    auto made = literal_of(value);
    std::ranges::replace(made, '.', as_.ours.decimal);
    return made;
  }
  void missing() {
    const auto& texts = as_.ours.missing;
    if (!first_) text_ += as_.delimiter;
    first_ = false;
    if (!texts.empty() && d_.once_in(2)) text_ += d_.one_of(texts);
  }
  /// \param bare  whether it may stand without quotes where it is empty
  void cell(std::string_view value, bool bare) {
    if (!first_) text_ += as_.delimiter;
    first_ = false;
    const auto& texts = as_.ours.missing;
    const bool means_other = (value.empty() && !bare) ||
                             std::ranges::find(texts, value) != texts.end() ||
                             value.starts_with('#');
    const bool breaks = value.find_first_of(std::string("\"\r\n ") + as_.delimiter) != value.npos;
    const bool empty = value.empty() && bare;
    if (!means_other && !breaks && (empty || !(as_.quotes_all || d_.once_in(8)))) {
      text_ += value;
      return;
    }
    text_ += '"';
    for (const char c : value) text_ += c == '"' ? std::string("\"\"") : std::string(1, c);
    text_ += '"';
  }
  void end_row() {
    text_ += end();
    first_ = true;
  }

  draw& d_;
  const dialect& as_;
  std::string text_;
  bool first_ = true;
};

/// A line of JSON: keys in any order, with others between them.
std::string json_line(draw& d, const record& r) {
  std::vector<std::string> members;
  const auto add = [&](std::string_view name, std::string_view value) {
    members.push_back(fmt::format("\"{}\":{}{}", name, d.once_in(4) ? " " : "", value));
  };
  const auto text = [](std::string_view of) {
    std::string made;
    add_json_text(made, of);
    return made;
  };
  const auto maybe = [&](std::string_view name, bool there, std::string_view value) {
    if (there)
      add(name, value);
    else if (d.once_in(2))
      add(name, "null");
  };
  add("id", std::to_string(r.id));
  add("key", std::to_string(r.key));
  add("big", std::to_string(r.big));
  add("value", std::isfinite(r.value) ? literal_of(r.value) : "null");
  add("price", d.once_in(3) ? fmt::format("{:e}", r.price) : literal_of(r.price));
  maybe("maybe", r.maybe.has_value(), r.maybe ? std::to_string(*r.maybe) : "");
  maybe("part", r.part && !std::isnan(*r.part), r.part ? literal_of(*r.part) : "");
  add("flag", r.flag ? "true" : "false");
  add("day", text(printed(r.day)));
  add("moment", text(printed(r.moment, 'T') + "Z"));
  add("name", text(r.name));
  maybe("note", r.note.has_value(), r.note ? text(*r.note) : "");
  if (d.once_in(6)) add("other", R"({"key":[1,{"id":"}"}],"name":null})");
  for (auto i = members.size(); i > 1; --i)
    std::swap(members[i - 1], members[d.number(0, static_cast<int>(i) - 1)]);
  return fmt::format("{{{}}}\n", fmt::join(members, d.once_in(2) ? ", " : ","));
}

void put(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

constexpr const char* columns_typed =
    "{'id': 'BIGINT', 'key': 'INTEGER', 'big': 'BIGINT', 'value': 'DOUBLE', 'price': 'DOUBLE', "
    "'maybe': 'INTEGER', 'part': 'DOUBLE', 'flag': 'BOOLEAN', 'day': 'DATE', 'moment': "
    "'TIMESTAMP', 'name': 'VARCHAR', 'note': 'VARCHAR'}";

/// The oracle's statement. What fields that can't be missing make of an empty cell, or of null, is
/// Pappus's rule: NaN, and an empty text.
std::string load_statement(const std::string& name, const std::string& source) {
  return fmt::format(
      "create or replace temp table {} as select id, key, big, coalesce(value, 'nan'::double) as "
      "value, price, maybe, part, flag, day, moment::timestamp as moment, coalesce(name, '') as "
      "name, note, id as pos from {} order by id",
      name, source);
}

/// Splits rows in up to three.
std::vector<std::span<const record>> parts_of(draw& d, const std::vector<record>& all) {
  const std::span<const record> whole(all);
  if (all.size() < 3 || !d.once_in(4)) return {whole};
  const auto a = static_cast<std::size_t>(d.between(0, static_cast<std::int64_t>(all.size())));
  return {whole.first(a), whole.subspan(a, (all.size() - a) / 2),
          whole.subspan(a + (all.size() - a) / 2)};
}

/// Has `write(path, rows)` write each part, and returns a pattern for all files.
template <typename Write>
std::string written(draw& d, const std::string& path, const std::string& suffix,
                    const std::vector<record>& all, Write write) {
  const auto parts = parts_of(d, all);
  for (std::size_t i = 0; i < parts.size(); ++i)
    write(fmt::format("{}_{}{}", path, i, suffix), parts[i]);
  return parts.size() == 1 ? fmt::format("{}_0{}", path, suffix)
                           : fmt::format("{}_*{}", path, suffix);
}

table csv_table(draw& d, const std::string& path, const std::vector<record>& all) {
  const auto as = drawn_dialect(d);
  const auto pattern = written(d, path, ".csv", all, [&](const std::string& to, auto part) {
    csv_text text(d, as);
    for (const auto& r : part) text.row(r);
    put(to, text.text());
  });
  return {
      .name{},
      .kind = "csv",
      .rows = 0,
      .open = [pattern, options = as.ours](session& s) { return s.csv<record>(pattern, options); },
      .load = fmt::format("read_csv('{}', columns={}, {})", pattern, columns_typed, as.oracles)};
}

table json_table(draw& d, const std::string& path, const std::vector<record>& all) {
  const auto pattern = written(d, path, ".jsonl", all, [&](const std::string& to, auto part) {
    std::string text;
    for (const auto& r : part) text += json_line(d, r);
    put(to, text);
  });
  return {.name{},
          .kind = "json",
          .rows = 0,
          .open = [pattern](session& s) { return s.json<record>(pattern); },
          .load = fmt::format("read_json('{}', columns={}, format='newline_delimited')", pattern,
                              columns_typed)};
}

/// Written by Pappus, in a format that has all values.
table own_table(draw& d, const std::string& path, const std::vector<record>& all,
                const std::string& suffix) {
  const auto pattern = written(d, path, suffix, all, [&](const std::string& to, auto part) {
    session s(options{.threads = 2, .devices = "cpu"});
    s.from(part).write(to);
  });
  const auto source =
      suffix == ".parquet"
          ? fmt::format("read_parquet('{}')", pattern)
          : fmt::format(
                "read_csv('{}', columns={}, delim=',', quote='\"', escape='\"', "
                "header=true, auto_detect=false, allow_quoted_nulls=false, nullstr='')",
                pattern, columns_typed);
  return {.name{},
          .kind = "own" + suffix,
          .rows = 0,
          .open = [pattern](session& s) { return s.read<record>(pattern); },
          .load = source};
}

table drawn_table(draw& d, const std::string& name, const std::string& path, std::int64_t n,
                  std::int64_t first_id) {
  const auto rows = drawn(d, n, first_id);
  table made;
  switch (d.number(0, 6)) {
    case 0:
    case 1:
      made = csv_table(d, path, rows.records);
      break;
    case 2:
    case 3:
      made = json_table(d, path, rows.records);
      break;
    case 4:
      made = own_table(d, path, rows.records, d.once_in(2) ? ".csv.gz" : ".csv.zst");
      break;
    case 5:
      made = own_table(d, path, rows.records, ".csv");
      break;
    default:
      made = own_table(d, path, rows.records, have_parquet ? ".parquet" : ".csv");
  }
  made.name = name;
  made.rows = n;
  made.load = load_statement(name, made.load);
  return made;
}

/// Lines end in \n or \r\n, the last one maybe in nothing. In SQL a file is the texts between \n.
void draw_lines(draw& d, world& made, const std::string& path) {
  std::string text;
  for (auto n = d.number(0, 40); n > 0; --n) {
    for (auto words = d.number(0, 5); words > 0; --words)
      for (const char c : std::string(d.one_of(oracle::words)) + (d.once_in(3) ? "\t" : " "))
        text += c == '\n' ? ' ' : c;
    if (n > 1 || d.once_in(2)) text += d.once_in(4) ? "\r\n" : "\n";
  }
  put(path, text);
  made.lines = path;
  made.load_lines = fmt::format(
      "create or replace temp table lines as select rtrim(line, chr(13)) as line, pos from (select "
      "unnest(string_split(content, chr(10))) as line, "
      "generate_subscripts(string_split(content, chr(10)), 1) as pos, "
      "len(string_split(content, chr(10))) as n from read_text('{}')) where line <> '' or pos < n",
      path);
}

}  // namespace

world drawn_world(draw& d, const std::string& folder, std::uint64_t number) {
  static constexpr std::int64_t sizes[] = {0, 3, 60, 300, 300, 2'000, 2'000, 20'000, 20'000};
  const auto left = d.one_of(sizes);
  const auto path = fmt::format("{}/world{}", folder, number);
  auto first = drawn_table(d, "t0", path + "_left", left, d.once_in(2) ? 0 : -1'000);
  auto second = drawn_table(d, "t1", path + "_right", d.between(0, 60), 1'000'000);
  world made{std::move(first), std::move(second), {}, {}};
  draw_lines(d, made, path + "_lines.txt");
  return made;
}

}  // namespace pappus::oracle
