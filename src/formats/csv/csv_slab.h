// The stretch of a CSV file that lies in memory, cut into pieces at row ends.
//
// load() reads the next stretch in parallel, piece by piece, each piece scanned for row ends while
// it is still in cache; one prefix pass over the pieces then fixes which row every piece begins
// with. What follows the last row end is an incomplete row: it is moved to the front and completed
// by the next load. If not even one row is complete, the slab doubles.
//
// Positions are offsets into text(). Lines are counted from 1 in the file, header included; rows
// from 1 without it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "formats/csv/csv_scan.h"
#include "formats/text_stream.h"
#include "pappus/detail/base/memory.h"
#include "pappus/detail/base/parallel.h"

namespace pappus::formats {

class csv_slab {
 public:
  /// Some rows of the slab that one worker parses.
  struct piece {
    scan_result scan = {};
    std::int64_t first_row = 0;    ///< its number in the slab
    std::int64_t rows = 0;         ///< how many rows end in this piece
    std::int64_t first_begin = 0;  ///< the position of its first row, maybe in an earlier piece
  };

  /// Where in the file the rows lie: after the header, up to `end`.
  struct extent {
    std::int64_t begin;
    std::int64_t end;
    std::int64_t first_line;  ///< the line number of `begin`
  };

  /// \param incomplete  called with an incomplete row before the slab grows for its sake, and with
  ///                    `at_end` when the file ends inside quotes; throws if the row is already
  ///                    known to be bad, and always if `at_end`.
  using incomplete_row = std::function<void(std::string_view text, bool at_end)>;

  /// Of a text's rows, the first of which is on line `first_line`.
  /// \param drops_blank_end  whether blank lines at the end of the text are no rows
  csv_slab(text_stream& text, detail::memory_source& memory, std::int64_t first_line,
           bool drops_blank_end, std::size_t slab_bytes, std::size_t piece_bytes);

  /// Drops the rows held and loads the next ones; false if there are none.
  bool load(detail::workers& team, const incomplete_row& incomplete);

  /// Starts over at the first row of the file.
  void rewind() noexcept;

  std::int64_t rows() const noexcept { return rows_; }
  const std::vector<piece>& pieces() const noexcept { return pieces_; }
  /// The rows and what follows them; at least 63 more bytes may be loaded behind it.
  std::string_view text() const noexcept { return {data_.as<const char>(), size_}; }

  /// Rows of the file before this slab.
  std::int64_t rows_before() const noexcept { return rows_before_; }

  /// The line number of a position.
  std::int64_t line_of(std::int64_t position) const noexcept;

  /// The most bytes that the slab takes, unless a row is longer.
  std::size_t bytes_max() const noexcept;

 private:
  void drop_rows() noexcept;
  void fill(detail::workers& team);
  bool settle_pieces();
  void hold_back_blank_rows();
  void grow();

  text_stream& source_;
  detail::memory_source& memory_;
  const std::int64_t first_line_;
  const bool drops_blank_end_;
  std::size_t slab_bytes_;
  std::size_t piece_bytes_;

  detail::buffer data_;
  std::size_t capacity_ = 0;  // of text; data_ has a little slack behind it
  std::size_t size_ = 0;      // bytes of text held
  std::size_t complete_ = 0;  // bytes up to the last row end
  std::int64_t line_ = 1;     // of the first byte
  std::int64_t rows_before_ = 0;
  std::int64_t rows_ = 0;
  std::vector<piece> pieces_;
};

}  // namespace pappus::formats
