// Writes records as columns of groups of rows: Parquet, compressed by zstd, or Arrow's own format,
// compressed by LZ4.
//
// Workers take columns: a worker gathers some rows of its column until all rows of the group are.
// As Parquet they are encoded and compressed at once, and pages stay in memory until their group is
// complete. Arrow's batches, which are smaller, are encoded when there is one for each worker. So
// groups end sooner where memory is short, or texts are long. The bytes of the file don't depend on
// the number of workers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "formats/arrow/arrow_library.h"
#include "formats/arrow/arrow_lists.h"
#include "formats/arrow/category_numbers.h"
#include "formats/format.h"
#include "formats/output_file.h"

namespace pappus::formats {

class arrow_writer : public writer {
 public:
  enum class kind { parquet, ipc };

  /// `memory` must outlive the writer. Throws format_error, usage_error for fields without a name,
  /// with the name of another, or with several values.
  arrow_writer(kind as, const std::string& path, const detail::record_layout& layout,
               detail::memory_source& memory);

  void append(detail::workers& team, const std::byte* records, std::int64_t n) override;
  void complete() override;
  void close() override;

 private:
  class file_sink final : public arrow_sink {
   public:
    explicit file_sink(const std::string& path) : file_(path) {}
    void append(const void* bytes, std::size_t n) override;
    void commit() { file_.commit(); }

   private:
    output_file file_;
    std::int64_t offset_ = 0;
  };
  /// Room for some rows of a column.
  struct gathered {
    detail::buffer values, valid, text;
    list_gatherer lists;
  };

  void plan_groups();
  bool gathers_text(detail::cell type) const noexcept;
  std::int64_t rows_for_group(const std::byte* records, std::int64_t n);
  void end_group(detail::workers& team);
  void put_dictionaries();
  void put(std::size_t column, const std::byte* records, std::int64_t n);
  std::int64_t gather(std::size_t column, const std::byte* records, std::int64_t n,
                      arrow_piece& piece);
  std::int64_t gather_categories(std::size_t column, const std::byte* records, std::int64_t n,
                                 arrow_piece& piece);
  std::int64_t gather_lists(std::size_t column, const std::byte* records, std::int64_t n,
                            std::int64_t first_row, arrow_piece& piece);
  std::int64_t gather_text(std::size_t column, const std::byte* records, std::int64_t n,
                           std::int64_t first_row, arrow_piece& piece);
  void gather_presence(std::size_t column, const std::byte* records, std::int64_t n,
                       arrow_piece& piece);
  void room_for(detail::buffer& buffer, std::size_t bytes) const;

  const kind kind_;
  std::string name_;
  detail::record_layout layout_;
  detail::memory_source& memory_;
  file_sink sink_;
  std::unique_ptr<arrow_file_writer> file_;  // before the sink goes
  std::vector<std::size_t> order_;           // of columns: text, which takes longest, first
  std::vector<gathered> gathered_;
  std::vector<category_numbers> numbers_;  // of columns that have a dictionary
  std::int64_t group_rows_max_ = 0, group_text_max_ = 0;
  std::size_t groups_waiting_max_ = 1;
  std::size_t text_gathered_ = 0;
  std::int64_t group_rows_ = 0, group_text_ = 0;  // of the group that is written
  std::int64_t rows_ = 0;
};

class parquet_writer final : public arrow_writer {
 public:
  parquet_writer(const std::string& path, const detail::record_layout& layout,
                 detail::memory_source& memory)
      : arrow_writer(kind::parquet, path, layout, memory) {}
};
class ipc_writer final : public arrow_writer {
 public:
  ipc_writer(const std::string& path, const detail::record_layout& layout,
             detail::memory_source& memory)
      : arrow_writer(kind::ipc, path, layout, memory) {}
};

}  // namespace pappus::formats
