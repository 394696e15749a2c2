// Lists of Arrow's columns as those of records, whose bytes are their items side by side, and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "formats/arrow/arrow_cells.h"
#include "formats/arrow/arrow_library.h"
#include "pappus/detail/base/columns.h"
#include "pappus/detail/base/memory.h"

namespace pappus::formats {

/// A piece of lists as one of texts, of which each is the bytes of a record's list.
/// \param codes   of the texts of the items' dictionary, for lists of categories
/// \param memory  must outlive what the piece owns
/// \param owner   which column it is, for errors
/// Throws arrow_cell_problem for an item that a list can't have, arrow_problem for lists beyond
/// their items, memory_error.
arrow_piece packed_lists(const arrow_binding& binding, const arrow_piece& lists,
                         std::span<const std::uint32_t> codes, detail::memory_source& memory,
                         const std::string& owner);

/// Gathers the lists of records as Arrow has them.
class list_gatherer {
 public:
  /// The lists of some of n records, as a piece that holds until the next call; which of them are
  /// there it doesn't say. The last list begins before the others have `bytes_max` bytes.
  /// Throws arrow_cell_problem for a list of 2 GiB less `bytes_max`, and a text not in UTF-8.
  arrow_piece gather(const detail::column_binding& field, const std::byte* records, std::int64_t n,
                     std::size_t record_bytes, std::size_t bytes_max, detail::memory_source& memory,
                     const std::string& owner);

 private:
  struct gathered;

  void gather_items(const gathered& from, arrow_piece& items);
  void gather_texts(const gathered& from, arrow_piece& items);

  detail::buffer places_, item_places_, items_;
};

}  // namespace pappus::formats
