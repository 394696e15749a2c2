#include "formats/arrow/library/parquet_file.h"

#include <arrow/record_batch.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "formats/arrow/library/arrow_pieces.h"
#include "formats/arrow/library/arrow_streams.h"
#include "formats/arrow/library/parquet_column.h"
#include "formats/arrow/library/parquet_extents.h"
#include "formats/arrow/library/parquet_pages.h"

namespace pappus::formats {
namespace {

constexpr std::int64_t read_bytes = std::int64_t{256} << 10;  // of a column's pages at a time

/// Text that repeats comes as numbers of a dictionary's values.
parquet::ArrowReaderProperties arrow_properties(const parquet::FileMetaData& file,
                                                std::int64_t rows_at_once) {
  parquet::ArrowReaderProperties properties(/*use_threads=*/false);
  properties.set_pre_buffer(false);
  properties.set_batch_size(rows_at_once);
  properties.set_coerce_int96_timestamp_unit(arrow::TimeUnit::MICRO);
  for (int column = 0; column < file.num_columns(); ++column) {
    if (file.schema()->Column(column)->physical_type() != parquet::Type::BYTE_ARRAY) continue;
    bool dictionary = file.num_row_groups() > 0;
    for (int group = 0; dictionary && group < file.num_row_groups(); ++group)
      dictionary = all_in_dictionary(*file.RowGroup(group)->ColumnChunk(column));
    properties.set_read_dictionary(column, dictionary);
  }
  return properties;
}

class parquet_rows final : public arrow_rows {
 public:
  parquet_rows(std::shared_ptr<charged_pool> pool, std::unique_ptr<arrow::RecordBatchReader> reader)
      : pool_(std::move(pool)), reader_(std::move(reader)) {}

  bool next(arrow_piece& piece) override {
    bool there = false;
    calling_arrow([&] {
      std::shared_ptr<arrow::RecordBatch> batch;
      check(reader_->ReadNext(&batch));
      if (!batch) return;
      if (batch->num_columns() != 1) throw arrow_problem("the column isn't there");
      piece = describe_piece(batch->column(0), pool_);
      there = true;
    });
    return there;
  }

 private:
  std::shared_ptr<charged_pool> pool_;
  std::unique_ptr<arrow::RecordBatchReader> reader_;
};

class parquet_file final : public arrow_file {
 public:
  parquet_file(const byte_source& source, detail::memory_source& memory, std::int64_t rows_at_once)
      : pool_(std::make_shared<charged_pool>(memory, source.name() + ": columns")),
        rows_at_once_(rows_at_once),
        properties_(pool_.get()),
        source_(std::make_shared<source_file>(source, *pool_)) {
    properties_.enable_buffered_stream();
    properties_.set_buffer_size(read_bytes);
    properties_.set_page_checksum_verification(true);
    auto raw = parquet::ParquetFileReader::Open(source_, properties_);
    const auto metadata = raw->metadata();
    file_ = check(parquet::arrow::FileReader::Make(pool_.get(), std::move(raw),
                                                   arrow_properties(*metadata, rows_at_once)));
    for (const auto& field : file_->manifest().schema_fields) {
      columns_.push_back(describe_column(*field.field));
      const bool list = columns_.back().kind == arrow_kind::list && field.children.size() == 1;
      leaves_.push_back(list ? field.children.front().column_index : field.column_index);
      if (leaves_.back() < 0) columns_.back().kind = arrow_kind::other;
    }
    for (int i = 0; i < metadata->num_row_groups(); ++i) add(*metadata->RowGroup(i));
  }

  const std::vector<arrow_column>& columns() const noexcept override { return columns_; }
  const std::vector<arrow_group>& groups() const noexcept override { return groups_; }

  std::unique_ptr<arrow_rows> rows(std::size_t group, std::size_t column,
                                   std::int64_t first_row) override {
    std::unique_ptr<arrow_rows> result;
    calling_arrow([&] {
      const std::lock_guard alone(opening_);
      const auto chunk = chunk_of(group, column);
      result = plain_parquet_column(
          pool_, chunk.file.RowGroup(chunk.group), chunk.leaf, columns_[column], rows_at_once_,
          first_row, [&] { return open_at(chunk, first_row, *source_, properties_); });
      if (result) return;
      result =
          rows_behind(std::make_unique<parquet_rows>(
                          pool_, check(file_->GetRecordBatchReader({chunk.group}, {chunk.leaf}))),
                      first_row);
    });
    return result;
  }

  std::vector<arrow_page> pages(std::size_t group, std::size_t column) override {
    std::vector<arrow_page> result;
    if (leaves_[column] < 0 || columns_[column].kind == arrow_kind::list) return result;
    calling_arrow([&] {
      const std::lock_guard alone(opening_);
      const auto chunk = chunk_of(group, column);
      result = pages_of(chunk, columns_[column]);
      if (!may_begin_at_page(*chunk.file.metadata()->schema()->Column(chunk.leaf),
                             columns_[column]))
        for (auto& page : result) page.stored_bytes = 0;
    });
    return result;
  }

 private:
  parquet_chunk chunk_of(std::size_t group, std::size_t column) const {
    return {*file_->parquet_reader(), static_cast<int>(group), leaves_[column]};
  }

  /// Writers end pages at a mebibyte or with the group, and have a dictionary of as much.
  void add(const parquet::RowGroupMetaData& group) {
    constexpr std::int64_t page = std::int64_t{2} << 20;
    auto& added = groups_.emplace_back();
    added.rows = group.num_rows();
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      const auto chunk = leaves_[i] < 0 ? nullptr : group.ColumnChunk(leaves_[i]);
      const auto size = [](std::int64_t told) {  // of a damaged file, anything
        return std::clamp<std::int64_t>(told, 0, std::int64_t{1} << 40);
      };
      const auto statistics = chunk ? chunk->statistics() : nullptr;
      const bool counted = statistics && statistics->HasNullCount() &&
                           columns_[i].kind != arrow_kind::list;  // whose items are counted
      added.nulls.push_back(counted ? statistics->null_count() : -1);
      added.extents.push_back(extent_of(statistics.get(), columns_[i]));
      added.stored_bytes.push_back(chunk ? size(chunk->total_compressed_size()) : 0);
      added.bytes.push_back(chunk ? size(chunk->total_uncompressed_size()) : 0);
      added.held_bytes.push_back(std::min(added.bytes.back(), page) +
                                 std::min(added.stored_bytes.back(), page) +
                                 std::int64_t{16} * std::min(rows_at_once_, added.rows));
    }
  }

  std::shared_ptr<charged_pool> pool_;
  std::int64_t rows_at_once_;
  parquet::ReaderProperties properties_;
  std::shared_ptr<source_file> source_;
  std::unique_ptr<parquet::arrow::FileReader> file_;
  std::vector<arrow_column> columns_;
  std::vector<int> leaves_;  // the number that Parquet has for a column; -1: it is several
  std::vector<arrow_group> groups_;
  std::mutex opening_;
};

}  // namespace

std::unique_ptr<arrow_file> open_parquet_file(const byte_source& source,
                                              detail::memory_source& memory,
                                              std::int64_t rows_at_once) {
  std::unique_ptr<arrow_file> result;
  calling_arrow([&] { result = std::make_unique<parquet_file>(source, memory, rows_at_once); });
  return result;
}

}  // namespace pappus::formats
