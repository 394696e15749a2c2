// A random query: steps from records to records, and what is asked of those at the end. Each says
// what it does in SQL, too, as a table expression that reads the step before.
//
// Pappus's results have an order, so tables of the SQL have a column `pos`: each step says where
// its rows come, by numbers that only have to ascend.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "oracle/answer.h"
#include "oracle/expressions.h"
#include "oracle/record.h"
#include "oracle/tables.h"

namespace pappus::oracle {

using replacements = std::initializer_list<std::pair<std::string_view, std::string>>;

/// All fields, as those of table `of`, but for some.
std::string columns_of(std::string_view of, const replacements& other = {});

/// `key` as SQL sorts what Pappus sorts: what is missing comes last in both directions.
std::string ordered(const std::string& key, bool descending = false);

struct pipeline {
  /// \param in_folder  for files that steps write
  pipeline(session& made_in, draw& drawn, const world& tables, const std::string& in_folder)
      : s(made_in), d(drawn), from(tables), folder(in_folder), most_rows(tables.left.rows) {
    note(tables.left.kind);
  }

  session& s;
  draw& d;
  const world& from;
  const std::string folder;
  std::int64_t most_rows;  ///< that the last step yields

  rows read(const table& t) const { return t.open(s); }
  rows other() const { return read(from.right); }

  /// The step so far.
  std::string now() const { return expressions_.empty() ? "t0" : fmt::format("s{}", count_); }
  /// Adds a step: `sql` with {in} for the table that it reads.
  void add(std::string_view name, const std::string& sql) {
    const auto in = now();
    note(name);
    ++count_;
    expressions_ += fmt::format("{} s{} as ({})", expressions_.empty() ? "with" : ",\n", count_,
                                with_input(sql, in));
  }
  /// Has rows in a new order.
  void add_in_order(std::string_view name, const std::string& columns, const std::string& source,
                    const std::string& order) {
    add(name, fmt::format("select {}, row_number() over (order by {}) as pos from {}", columns,
                          order, source));
  }
  /// The query as a whole, which ends in `sql`.
  std::string query(const std::string& sql) const {
    return expressions_ + "\n" + with_input(sql, now());
  }
  void note(std::string_view name) {
    names_ += fmt::format("{}{}", names_.empty() ? "" : ", ", name);
  }
  const std::string& names() const { return names_; }

  /// The beginning of names of files that aren't there.
  std::string new_file() { return fmt::format("{}/between_{}", folder, ++files_); }

  /// At most so many rows, for steps that yield more than they take.
  rows few(const rows& in, std::int64_t most);

 private:
  static std::string with_input(const std::string& sql, const std::string& in);

  std::string expressions_, names_;
  int count_ = 0, files_ = 0;
};

struct step {
  const char* name;
  rows (*run)(pipeline&, const rows&);
};
struct ending {
  const char* name;
  /// The answer as JSON, and the last part of the SQL.
  std::pair<std::string, std::string> (*run)(pipeline&, const rows&);
};
using made = std::pair<std::string, std::string>;

const std::vector<step>& steps_of_rows();
const std::vector<step>& steps_of_order();
const std::vector<step>& steps_of_groups();
const std::vector<step>& steps_of_joins();
const std::vector<step>& steps_of_windows();
/// All fields of all records: what shows most of the steps before.
const std::vector<ending>& endings_of_records();
/// Of the file of lines, whatever the steps.
const std::vector<ending>& endings_of_lines();
const std::vector<ending>& endings_of_all();
const std::vector<ending>& endings_of_groups();
const std::vector<ending>& endings_of_values();

}  // namespace pappus::oracle
