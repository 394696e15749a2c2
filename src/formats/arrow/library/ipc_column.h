// A column of a batch in Arrow's IPC format, some rows at a time.
#pragma once

#include <arrow/type.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "formats/arrow/arrow_library.h"
#include "formats/arrow/library/arrow_streams.h"
#include "formats/arrow/library/ipc_bytes.h"
#include "formats/arrow/library/ipc_messages.h"

namespace pappus::formats {

/// Buffers that a piece keeps.
using ipc_buffers = std::vector<std::shared_ptr<arrow::Buffer>>;

/// Sets which of a piece's next values are there, of bits from the buffer `from`.
void take_presence(std::optional<ipc_bytes>& from, arrow_piece& piece, ipc_buffers& kept);

/// Where a column begins among the nodes, buffers and columns of views of its batch.
struct ipc_place {
  std::size_t node = 0, buffer = 0, views = 0;
};

/// The type of a column's own values: with a dictionary they are numbers.
const arrow::DataType& own_type(const arrow::DataType& type);

class ipc_column final : public arrow_rows {
 public:
  /// \param rows        how many values it has
  /// \param type        that arrow_kind knows, no lists; of a dictionary's numbers, theirs
  /// \param dictionary  whose texts the values are numbers of; else null
  ipc_column(const byte_source& source, std::shared_ptr<charged_pool> pool, const ipc_batch& batch,
             ipc_place at, std::int64_t rows, const arrow::DataType& type,
             std::shared_ptr<const arrow_piece> dictionary, std::int64_t rows_at_once);

  bool next(arrow_piece& piece) override;

 private:
  void take_numbers(arrow_piece& piece, ipc_buffers& kept);
  void take_texts(arrow_piece& piece, ipc_buffers& kept);
  void take_views(arrow_piece& piece);
  void own_text(arrow_piece& piece, std::shared_ptr<arrow::Buffer> text) const;

  const byte_source& source_;
  std::shared_ptr<charged_pool> pool_;
  const ipc_batch& batch_;
  const ipc_place at_;
  const arrow::Type::type type_;
  const std::shared_ptr<const arrow_piece> dictionary_;
  std::int64_t rows_at_once_, left_;
  std::int32_t width_ = 0;  // bytes of a value, or of a place in a text; 0: bits
  std::optional<ipc_bytes> presence_, values_, text_;
  std::int64_t text_at_ = 0;  // the next text's place
  bool began_ = false;        // text_at_ is known
  ipc_buffers view_texts_;
};

}  // namespace pappus::formats
