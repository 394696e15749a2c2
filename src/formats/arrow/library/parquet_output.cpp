#include "formats/arrow/library/parquet_output.h"

#include <arrow/type.h>
#include <parquet/arrow/schema.h>
#include <parquet/column_writer.h>
#include <parquet/file_writer.h>
#include <parquet/properties.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "formats/arrow/arrow_bits.h"
#include "formats/arrow/library/arrow_pieces.h"
#include "formats/arrow/library/arrow_streams.h"

namespace pappus::formats {
namespace {

// A page takes a reader's decompressor some time to begin, however short it is.
constexpr std::int64_t page_rows = std::int64_t{128} << 10;
constexpr std::int64_t levels_at_once = std::int64_t{64} << 10;  // but for a longer list

/// Of values that are put: how much of each is there, and whether it goes on a list.
class column_levels {
 public:
  explicit column_levels(detail::memory_source& memory) : memory_(&memory) {}

  /// 1 for each value that is there, else 0.
  const std::int16_t* of_values(const arrow_piece& piece) {
    make_room(presence_, piece.rows);
    auto* const levels = presence_.as<std::int16_t>();
    for (std::int64_t i = 0; i < piece.rows; ++i) levels[i] = is_there(piece, i) ? 1 : 0;
    return levels;
  }

  struct of_lists {
    const std::int16_t *presence, *repetition;
    std::int64_t count;
  };
  /// For each item, and each list without any, one.
  of_lists of(const arrow_piece& lists, bool nullable) {
    const auto* const places = static_cast<const std::int32_t*>(lists.values) + lists.first;
    const std::int16_t none = nullable ? 1 : 0;
    const auto most = lists.rows + places[lists.rows] - places[0];
    make_room(presence_, most);
    make_room(repetition_, most);
    auto* presence = presence_.as<std::int16_t>();
    auto* repetition = repetition_.as<std::int16_t>();
    for (std::int64_t i = 0; i < lists.rows; ++i) {
      const auto n = std::max(places[i + 1] - places[i], 1);
      const std::int16_t level = places[i + 1] > places[i] ? static_cast<std::int16_t>(none + 1)
                                 : is_there(lists, i)      ? none
                                                           : std::int16_t{0};
      presence = std::fill_n(presence, n, level);
      *repetition++ = 0;
      repetition = std::fill_n(repetition, n - 1, std::int16_t{1});
    }
    const auto* const first = presence_.as<const std::int16_t>();
    return {first, repetition_.as<const std::int16_t>(), presence - first};
  }

 private:
  void make_room(detail::buffer& in, std::int64_t levels) const {
    const auto bytes = static_cast<std::size_t>(levels) * sizeof(std::int16_t);
    if (in.size() >= bytes) return;
    in.reset();
    in = detail::buffer(*memory_, bytes, "columns to be written");
  }

  detail::memory_source* memory_;
  detail::buffer presence_, repetition_;
};

/// The first lists of these that have few enough items.
arrow_piece some_lists(const arrow_piece& of) {
  const auto* const places = static_cast<const std::int32_t*>(of.values) + of.first;
  auto some = of;
  some.rows = 1;
  while (some.rows < of.rows && places[some.rows + 1] - places[0] + some.rows < levels_at_once)
    ++some.rows;
  auto items = *of.items;
  items.first += places[0];
  items.rows = places[some.rows] - places[0];
  some.items = std::make_shared<const arrow_piece>(std::move(items));
  return some;
}

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
      levels_.emplace_back(memory);
    }
    schema_ = arrow::schema(std::move(fields));
    const auto properties = parquet::WriterProperties::Builder()
                                .memory_pool(&pool_)
                                ->compression(parquet::Compression::ZSTD)
                                ->enable_page_checksum()
                                ->enable_write_page_index()
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
    if (piece.items) return put_lists(column, piece);
    const auto& field = *schema_->field(static_cast<int>(column));
    const auto* const levels = field.nullable() ? levels_[column].of_values(piece) : nullptr;
    calling_arrow([&] {
      const auto array = arrow_array(field.type(), piece);
      check(group_->column(static_cast<int>(column))
                ->WriteArrow(levels, nullptr, piece.rows, *array, contexts_[column].get(),
                             field.nullable()));
    });
  }

  void end_group() override {
    calling_arrow([&] { group_->Close(); });
  }

  void close() override {
    calling_arrow([&] { file_->Close(); });
  }

 private:
  void put_lists(std::size_t column, arrow_piece left) {
    const auto& field = *schema_->field(static_cast<int>(column));
    while (left.rows > 0) {
      const auto some = some_lists(left);
      const auto levels = levels_[column].of(some, field.nullable());
      calling_arrow([&] {
        const auto items = arrow_array(field.type()->field(0)->type(), *some.items);
        check(group_->column(static_cast<int>(column))
                  ->WriteArrow(levels.presence, levels.repetition, levels.count, *items,
                               contexts_[column].get(), /*leaf_field_nullable=*/false));
      });
      left.first += some.rows;
      left.rows -= some.rows;
    }
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
