// What readers tell a bad_row_log.
//
// A file is read from its beginning, perhaps several times and by several queries at a time: each
// reader tells what it has found in its next rows, in their order. Of rows up to the last that
// anybody has told of, everything is known: so that a row is counted once, and memory doesn't grow
// with the number of bad rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "formats/format.h"
#include "pappus/bad_rows.h"
#include "pappus/detail/base/columns.h"

namespace pappus::detail {

/// Thread-safe.
class bad_row_list {
 public:
  explicit bad_row_list(std::size_t keep) : keep_(keep) {}

  std::int64_t count() const;
  std::vector<bad_row> first() const;

 private:
  friend class bad_row_source;
  using place = std::tuple<std::size_t, std::string, std::int64_t>;  // source, file, row

  const std::size_t keep_;
  mutable std::mutex mutex_;
  std::size_t sources_ = 0;
  std::int64_t count_ = 0;
  std::map<place, bad_row> first_;  // keep_ at most
};

class bad_row_source {
 public:
  struct found {
    std::int64_t row = 0;  ///< its number in the file
    bad_row what;
  };

  explicit bad_row_source(std::shared_ptr<bad_row_list> list);

  /// These are the bad rows of a file from where its reader told last up to row `end`, in order.
  void add(const std::string& file, std::int64_t end, std::vector<found> bad);

 private:
  const std::shared_ptr<bad_row_list> list_;
  std::size_t number_ = 0;
  std::map<std::string, std::int64_t> known_to_;  // the row of a file
};

}  // namespace pappus::detail

namespace pappus::formats {

/// Where bad rows are left out, all columns decide which are: also those that nobody looks at.
detail::record_layout deciding(detail::record_layout layout);

/// The rows that reading comes to, from the first on. Rewinds.
std::int64_t count_read(reader& from, detail::workers& team, detail::memory_source& memory);

}  // namespace pappus::formats
