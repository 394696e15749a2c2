#include "formats/arrow/library/ipc_output.h"

#include <arrow/buffer_builder.h>
#include <arrow/ipc/dictionary.h>
#include <arrow/ipc/options.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "formats/arrow/library/arrow_pieces.h"
#include "formats/arrow/library/arrow_streams.h"

namespace pappus::formats {
namespace {

/// The values of a column in the batch that is gathered.
class gathered_column {
 public:
  gathered_column(std::shared_ptr<arrow::Field> field, arrow::MemoryPool* pool)
      : field_(std::move(field)), values_(pool), text_(pool), bits_(pool), presence_(pool) {
    if (is_list()) items_ = std::make_unique<gathered_column>(field_->type()->field(0), pool);
  }

  void add(const arrow_piece& piece) {
    if (field_->nullable()) add_bits(presence_, piece.valid, piece.first, piece.rows);
    const auto& type = *field_->type();
    if (type.id() == arrow::Type::BOOL) {
      add_bits(bits_, static_cast<const std::uint8_t*>(piece.values), piece.first, piece.rows);
    } else if (type.id() == arrow::Type::STRING) {
      add_texts(piece);
    } else if (is_list()) {
      add_places(piece, items_->rows_, "items of a batch's lists are 2^31 or more");
      items_->add(*piece.items);
    } else {
      const auto width = type.byte_width();
      check(values_.Append(static_cast<const std::uint8_t*>(piece.values) + piece.first * width,
                           piece.rows * width));
    }
    rows_ += piece.rows;
    nulls_ += piece.nulls;
  }

  /// The values as an array. Those that come then begin another.
  std::shared_ptr<arrow::ArrayData> take() {
    const auto& type = field_->type();
    arrow::BufferVector buffers{nullptr};
    if (nulls_ > 0)
      buffers[0] = check(presence_.Finish());
    else
      presence_.Reset();
    if (type->id() == arrow::Type::STRING || is_list()) begin_places();
    buffers.push_back(type->id() == arrow::Type::BOOL ? check(bits_.Finish())
                                                      : check(values_.Finish()));
    if (type->id() == arrow::Type::STRING) buffers.push_back(check(text_.Finish()));
    std::vector<std::shared_ptr<arrow::ArrayData>> items;
    if (is_list()) items.push_back(items_->take());
    return arrow::ArrayData::Make(type, std::exchange(rows_, 0), std::move(buffers),
                                  std::move(items), std::exchange(nulls_, 0));
  }

 private:
  bool is_list() const { return field_->type()->id() == arrow::Type::LIST; }

  static void add_bits(arrow::TypedBufferBuilder<bool>& to, const std::uint8_t* bits,
                       std::int64_t first, std::int64_t n) {
    check(to.Reserve(n));
    for (std::int64_t i = 0; i < n; ++i)
      to.UnsafeAppend(bits == nullptr || arrow::bit_util::GetBit(bits, first + i));
  }

  /// Where the first one begins, unless it is there.
  void begin_places() {
    constexpr std::int32_t none = 0;
    if (values_.length() == 0) check(values_.Append(&none, sizeof(none)));
  }

  void add_texts(const arrow_piece& piece) {
    const auto* const places = static_cast<const std::int32_t*>(piece.values) + piece.first;
    add_places(piece, text_.length(), "texts of a batch have 2 GiB or more");
    check(text_.Append(piece.text + places[0], places[piece.rows] - places[0]));
  }

  /// \param before  where the first of them begins
  void add_places(const arrow_piece& piece, std::int64_t before, const char* too_many) {
    begin_places();
    const auto* const places = static_cast<const std::int32_t*>(piece.values) + piece.first;
    if (before + places[piece.rows] - places[0] > std::numeric_limits<std::int32_t>::max())
      throw arrow_problem(too_many);
    check(values_.Reserve(piece.rows * static_cast<std::int64_t>(sizeof(std::int32_t))));
    for (std::int64_t i = 1; i <= piece.rows; ++i) {
      const auto place = static_cast<std::int32_t>(before + (places[i] - places[0]));
      values_.UnsafeAppend(&place, sizeof(place));
    }
  }

  std::shared_ptr<arrow::Field> field_;
  arrow::BufferBuilder values_, text_;
  arrow::TypedBufferBuilder<bool> bits_, presence_;
  std::int64_t rows_ = 0, nulls_ = 0;
  std::unique_ptr<gathered_column> items_;  // of lists
};

class ipc_output final : public arrow_file_writer {
 public:
  ipc_output(arrow_sink& sink, const std::vector<arrow_column>& columns,
             detail::memory_source& memory)
      : pool_(memory, "columns to be written"), sink_(sink) {
    arrow::FieldVector fields;
    for (const auto& column : columns)
      fields.push_back(arrow::field(column.name, arrow_type(column), column.nullable));
    schema_ = arrow::schema(fields);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      // Numbers of a dictionary's texts are gathered as numbers.
      auto gathered = columns[i].dictionary ? fields[i]->WithType(arrow::int32()) : fields[i];
      columns_.push_back(std::make_unique<gathered_column>(std::move(gathered), &pool_));
    }
    options_.memory_pool = &pool_;
    options_.use_threads = false;
    options_.codec = check(arrow::util::Codec::Create(arrow::Compression::LZ4_FRAME));
    ids_ = std::make_unique<arrow::ipc::DictionaryFieldMapper>(*schema_);
    file_ = check(arrow::ipc::internal::MakePayloadFileWriter(&sink_, schema_, options_));
    check(file_->Start());
    arrow::ipc::IpcPayload payload;
    check(arrow::ipc::GetSchemaPayload(*schema_, options_, *ids_, &payload));
    check(file_->WritePayload(payload));
  }

  void begin_group() override { rows_ = 0; }

  void put(std::size_t column, const arrow_piece& piece) override {
    calling_arrow([&] { columns_[column]->add(piece); });
    if (column == 0) rows_ += piece.rows;
  }

  void end_group() override {
    calling_arrow([&] {
      std::vector<std::shared_ptr<arrow::ArrayData>> columns;
      arrow::FieldVector fields;  // the numbers of a dictionary's texts are those of its column
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        columns.push_back(columns_[i]->take());
        fields.push_back(schema_->field(static_cast<int>(i))->WithType(columns.back()->type));
      }
      groups_.push_back(
          {arrow::RecordBatch::Make(arrow::schema(std::move(fields)), rows_, std::move(columns)),
           {}});
    });
  }

  std::size_t groups_waiting() const override { return groups_.size(); }

  void encode(std::size_t which) override {
    auto& group = groups_[which];
    if (!group.batch) return;
    calling_arrow(
        [&] { check(arrow::ipc::GetRecordBatchPayload(*group.batch, options_, &group.encoded)); });
    group.batch.reset();
  }

  void write_groups() override {
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      encode(i);
      calling_arrow([&] { check(file_->WritePayload(groups_[i].encoded)); });
      groups_[i] = {};
    }
    groups_.clear();
  }

  /// Behind the batches, as files may have it: only then are all texts known.
  void put_dictionary(std::size_t column, const arrow_piece& texts) override {
    write_groups();
    calling_arrow([&] {
      const auto array = arrow_array(arrow::utf8(), texts);
      const auto id = check(ids_->GetFieldId({static_cast<int>(column)}));
      arrow::ipc::IpcPayload payload;
      check(arrow::ipc::GetDictionaryPayload(id, array, options_, &payload));
      check(file_->WritePayload(payload));
    });
  }

  void close() override {
    write_groups();
    calling_arrow([&] { check(file_->Close()); });
  }

 private:
  /// A batch, until it is encoded.
  struct group {
    std::shared_ptr<arrow::RecordBatch> batch;
    arrow::ipc::IpcPayload encoded;
  };

  charged_pool pool_;
  sink_file sink_;
  std::shared_ptr<arrow::Schema> schema_;
  arrow::ipc::IpcWriteOptions options_ = arrow::ipc::IpcWriteOptions::Defaults();
  std::unique_ptr<arrow::ipc::DictionaryFieldMapper> ids_;
  std::unique_ptr<arrow::ipc::internal::IpcPayloadWriter> file_;
  std::vector<std::unique_ptr<gathered_column>> columns_;
  std::int64_t rows_ = 0;  // of the batch that is gathered
  std::vector<group> groups_;
};

}  // namespace

std::unique_ptr<arrow_file_writer> create_ipc_file(arrow_sink& sink,
                                                   const std::vector<arrow_column>& columns,
                                                   detail::memory_source& memory) {
  std::unique_ptr<arrow_file_writer> result;
  calling_arrow([&] { result = std::make_unique<ipc_output>(sink, columns, memory); });
  return result;
}

}  // namespace pappus::formats
