// Writes records as JSON lines: an object a line, with a key for each column in their order.
//
// Columns whose names have dots, "user.id" and "user.name", are keys of an object at "user", which
// stands where the first of them does. What is missing is null, and so are floats that are NaN,
// which JSON lacks; infinite ones are refused. How text gets into the file: text_writer.h.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "formats/codecs/codec.h"
#include "formats/text_writer.h"
#include "pappus/detail/base/columns.h"

namespace pappus::formats {

class json_writer final : public text_writer {
 public:
  /// Creates the file. `memory` must outlive the writer. Throws format_error, usage_error for
  /// fields without a name, and for a name that is another's object, too.
  json_writer(const std::string& path, const detail::record_layout& layout,
              detail::memory_source& memory, codec_pointer compressed_by = nullptr,
              const file_end* behind = nullptr);

 private:
  /// A column, and what stands before its value.
  struct step {
    std::string before;
    detail::column_binding column;
  };

  void plan(const std::vector<detail::column_binding>& columns, std::size_t prefix,
            std::string& before);
  std::size_t text_bytes_max(const std::byte* record) const noexcept override;
  char* format_row(const std::byte* record, char* at) const override;
  char* print(const detail::column_binding& column, detail::cell type, const std::byte* value,
              char* at) const;

  const std::string path_;
  std::vector<step> steps_;
  std::string end_;
};

}  // namespace pappus::formats
