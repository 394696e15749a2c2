// Rows of text files that can't be read as records: left out instead of refused, and counted.
//
//     pappus::bad_row_log log;
//     auto flights = s.csv<flight>("flights.csv", pappus::csv_options{.bad_rows = log});
//     flights.group_by(&flight::carrier).mean(&flight::delay).show();
//     std::cout << log.count() << " bad rows\n";
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace pappus {

class bad_row_log;

namespace detail {

class bad_row_list;    // defined in src/formats/
class bad_row_source;  // of one call of csv() or json()

/// What such a call's readers tell.
std::shared_ptr<bad_row_source> tells(const bad_row_log& log);

}  // namespace detail

/// A row that was left out.
struct bad_row {
  std::string file;
  std::int64_t line = 0;  ///< of the file, counted from 1, where the row begins
  std::string column;     ///< empty where all of the row is wrong
  std::string reason;     ///< "expected a 32-bit integer, got "twelve""
};
/// As an error says it: flights.csv: line 19, column "delay": expected ...
std::ostream& operator<<(std::ostream& to, const bad_row& row);

/// Counts the bad rows of all files that are opened with it. Each is counted once, however often a
/// file is read. Copies are the same log. From any thread.
class bad_row_log {
 public:
  /// \param keep  so many of the rows are kept for first()
  explicit bad_row_log(std::size_t keep = 100);

  /// Rows that were left out by the queries that ran so far. The same, whatever the number of
  /// threads and the sizes of chunks, after a query that has read all rows; one that stops early,
  /// as take() does, may have read some more than it took.
  std::int64_t count() const;
  /// The first of them: by the calls that opened their files, names of files, and lines.
  std::vector<bad_row> first() const;

 private:
  friend std::shared_ptr<detail::bad_row_source> detail::tells(const bad_row_log& log);
  std::shared_ptr<detail::bad_row_list> list_;
};

}  // namespace pappus
