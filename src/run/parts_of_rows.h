// Puts rows, as they come, into parts that may rest (graph/kept_rows.h), with the text that they
// point to where that is found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/text_copies.h"
#include "graph/kept_rows.h"
#include "pappus/detail/base/chunks.h"
#include "pappus/detail/base/memory.h"
#include "run/executor.h"

namespace pappus::run {

class parts_of_rows {
 public:
  /// \param layout  of the rows.
  /// \param owner   who is named where memory is short.
  parts_of_rows(const detail::record_type& layout, const resources& with, std::string owner);

  /// Adds copies of rows, which may go. Throws memory_error and spill_error.
  void add(const detail::row_set& rows);
  /// All that were added.
  std::shared_ptr<graph::kept_rows> take();

 private:
  std::int64_t fill(const detail::row_set& rows, std::int64_t first);
  void keep(detail::buffer records, std::int64_t rows, const detail::row_set& of);
  void end_part();
  bool has_text() const noexcept { return layout_.text == detail::text_in::views; }

  const detail::record_type layout_;
  const resources& with_;
  const std::string owner_;
  const std::size_t part_bytes_;  ///< about, of records and their text
  std::vector<std::shared_ptr<graph::kept_rows>> parts_;
  detail::missing_counts missing_;  ///< of all that were added
  // The last part, of what is less than one: its rows come from several calls.
  detail::row_set owners_;  ///< no rows: what its rows point into, where text can't be found
  detail::buffer records_;
  std::int64_t rows_ = 0;
  std::size_t text_bytes_ = 0;
  algorithms::text_copies texts_;
};

}  // namespace pappus::run
