// A column of lists in a batch in Arrow's IPC format, some rows at a time; of its items all.
#pragma once

#include <arrow/type.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "formats/arrow/arrow_library.h"
#include "formats/arrow/library/ipc_bytes.h"
#include "formats/arrow/library/ipc_column.h"
#include "formats/arrow/library/ipc_messages.h"

namespace pappus::formats {

class ipc_list final : public arrow_rows {
 public:
  /// \param type        of lists that arrow_kind knows
  /// \param dictionary  of which the items are numbers; null: they aren't
  ipc_list(const byte_source& source, std::shared_ptr<charged_pool> pool, const ipc_batch& batch,
           ipc_place at, const arrow::DataType& type, std::shared_ptr<const arrow_piece> dictionary,
           std::int64_t rows_at_once);

  bool next(arrow_piece& piece) override;

 private:
  std::shared_ptr<arrow::Buffer> read_places(std::int64_t rows);
  std::shared_ptr<arrow::Buffer> equal_places(std::int64_t rows) const;

  std::shared_ptr<charged_pool> pool_;
  std::unique_ptr<ipc_column> all_items_;  // until they are read
  std::shared_ptr<const arrow_piece> items_;
  std::int64_t rows_at_once_, left_, done_ = 0;
  std::int32_t width_;  // bytes of a place; of lists of a fixed size how many items these have
  std::optional<ipc_bytes> presence_, places_;
  std::int64_t place_ = 0;  // of the next list's first item
};

}  // namespace pappus::formats
