// What libpappus-arrow.so exports.
#include "formats/arrow/arrow_library.h"
#include "formats/arrow/library/ipc_file.h"
#include "formats/arrow/library/ipc_output.h"
#include "formats/arrow/library/parquet_file.h"
#include "formats/arrow/library/parquet_output.h"

namespace pappus::formats {
namespace {

class real_arrow final : public arrow_library {
 public:
  std::unique_ptr<arrow_file> open_parquet(const byte_source& source, detail::memory_source& memory,
                                           std::int64_t rows_at_once) const override {
    return open_parquet_file(source, memory, rows_at_once);
  }
  std::unique_ptr<arrow_file_writer> create_parquet(arrow_sink& sink,
                                                    const std::vector<arrow_column>& columns,
                                                    std::int64_t page_bytes,
                                                    detail::memory_source& memory) const override {
    return create_parquet_file(sink, columns, page_bytes, memory);
  }
  std::unique_ptr<arrow_file> open_ipc(const byte_source& source, detail::memory_source& memory,
                                       std::int64_t rows_at_once) const override {
    return open_ipc_file(source, memory, rows_at_once);
  }
  std::unique_ptr<arrow_file_writer> create_ipc(arrow_sink& sink,
                                                const std::vector<arrow_column>& columns,
                                                detail::memory_source& memory) const override {
    return create_ipc_file(sink, columns, memory);
  }
};

}  // namespace
}  // namespace pappus::formats

extern "C" __attribute__((visibility("default"))) const pappus::formats::arrow_library*
PAPPUS_ARROW_ENTRY() {
  static const auto* const library = new pappus::formats::real_arrow;  // kept, like the file
  return library;
}
