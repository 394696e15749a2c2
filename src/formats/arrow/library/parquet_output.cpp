#include "formats/arrow/library/parquet_output.h"

#include <arrow/type.h>
#include <arrow/util/bit_util.h>
#include <parquet/arrow/schema.h>
#include <parquet/column_writer.h>
#include <parquet/file_writer.h>
#include <parquet/properties.h>

#include <cstdint>
#include <string>
#include <utility>

#include "formats/arrow/library/arrow_pieces.h"
#include "formats/arrow/library/arrow_streams.h"

namespace pappus::formats {
namespace {

// A page takes a reader's decompressor some time to begin, however short it is.
constexpr std::int64_t page_rows = std::int64_t{128} << 10;

class parquet_output final : public arrow_file_writer {
 public:
  parquet_output(arrow_sink& sink, const std::vector<arrow_column>& columns,
                 std::int64_t page_bytes, detail::memory_source& memory)
      : pool_(memory, "columns to be written"), sink_(std::make_shared<sink_file>(sink)) {
    arrow::FieldVector fields;
    for (const auto& column : columns) {
      fields.push_back(arrow::field(column.name, arrow_type(column), column.nullable));
      contexts_.push_back(
          std::make_unique<parquet::ArrowWriteContext>(&pool_, arrow_properties_.get()));
      levels_.emplace_back();
    }
    schema_ = arrow::schema(std::move(fields));
    const auto properties = parquet::WriterProperties::Builder()
                                .memory_pool(&pool_)
                                ->compression(parquet::Compression::ZSTD)
                                ->enable_page_checksum()
                                ->data_pagesize(page_bytes)
                                ->max_rows_per_page(page_rows)
                                ->dictionary_pagesize_limit(page_bytes / 2)
                                ->created_by("Pappus, by parquet-cpp-arrow")
                                ->build();
    std::shared_ptr<parquet::SchemaDescriptor> descriptor;
    check(parquet::arrow::ToParquetSchema(schema_.get(), *properties, *arrow_properties_,
                                          &descriptor));
    const auto root =
        std::static_pointer_cast<parquet::schema::GroupNode>(descriptor->schema_root());
    file_ = parquet::ParquetFileWriter::Open(sink_, root, properties);
  }

  void begin_group() override {
    calling_arrow([&] { group_ = file_->AppendBufferedRowGroup(); });
  }

  void put(std::size_t column, const arrow_piece& piece) override {
    calling_arrow([&] {
      const auto& field = *schema_->field(static_cast<int>(column));
      auto& writer = *group_->column(static_cast<int>(column));
      auto* const context = contexts_[column].get();
      if (piece.items) {
        const auto items = arrow_array(field.type()->field(0)->type(), *piece.items);
        auto& [presence, repetition] = levels_[column];
        set_levels(piece, field.nullable(), presence, repetition);
        check(writer.WriteArrow(presence.data(), repetition.data(), std::ssize(presence), *items,
                                context, /*leaf_field_nullable=*/false));
        return;
      }
      const auto array = arrow_array(field.type(), piece);
      const std::int16_t* levels = nullptr;
      if (field.nullable()) levels = levels_of(piece, levels_[column].presence);
      check(writer.WriteArrow(levels, nullptr, piece.rows, *array, context, field.nullable()));
    });
  }

  void end_group() override {
    calling_arrow([&] { group_->Close(); });
  }

  void close() override {
    calling_arrow([&] { file_->Close(); });
  }

 private:
  /// Of a column's values that are put: how much of each is there, and whether it goes on a list.
  struct column_levels {
    std::vector<std::int16_t> presence, repetition;
  };

  /// Of lists: for each item, and each list without any, one.
  static void set_levels(const arrow_piece& lists, bool nullable,
                         std::vector<std::int16_t>& presence,
                         std::vector<std::int16_t>& repetition) {
    const auto* const places = static_cast<const std::int32_t*>(lists.values) + lists.first;
    const std::int16_t none = nullable ? 1 : 0;
    presence.clear();
    repetition.clear();
    for (std::int64_t i = 0; i < lists.rows; ++i) {
      const auto n = static_cast<std::size_t>(places[i + 1] - places[i]);
      const bool there =
          lists.valid == nullptr || arrow::bit_util::GetBit(lists.valid, lists.first + i);
      repetition.push_back(0);
      if (n == 0) {
        presence.push_back(there ? none : std::int16_t{0});
        continue;
      }
      presence.insert(presence.end(), n, static_cast<std::int16_t>(none + 1));
      repetition.insert(repetition.end(), n - 1, 1);
    }
  }

  /// 1 for each value that is there, else 0.
  static const std::int16_t* levels_of(const arrow_piece& piece,
                                       std::vector<std::int16_t>& levels) {
    levels.assign(static_cast<std::size_t>(piece.rows), 1);
    if (piece.valid != nullptr)
      for (std::size_t i = 0; i < levels.size(); ++i)
        levels[i] = arrow::bit_util::GetBit(piece.valid, piece.first + static_cast<std::int64_t>(i))
                        ? 1
                        : 0;
    return levels.data();
  }

  charged_pool pool_;
  std::shared_ptr<sink_file> sink_;
  std::shared_ptr<parquet::ArrowWriterProperties> arrow_properties_ =
      parquet::default_arrow_writer_properties();
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<std::unique_ptr<parquet::ArrowWriteContext>> contexts_;
  std::vector<column_levels> levels_;  // of each column
  std::unique_ptr<parquet::ParquetFileWriter> file_;
  parquet::RowGroupWriter* group_ = nullptr;
};

}  // namespace

std::unique_ptr<arrow_file_writer> create_parquet_file(arrow_sink& sink,
                                                       const std::vector<arrow_column>& columns,
                                                       std::int64_t page_bytes,
                                                       detail::memory_source& memory) {
  std::unique_ptr<arrow_file_writer> result;
  calling_arrow(
      [&] { result = std::make_unique<parquet_output>(sink, columns, page_bytes, memory); });
  return result;
}

}  // namespace pappus::formats
