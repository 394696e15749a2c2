#include "formats/arrow/library/parquet_column.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/type.h>
#include <parquet/column_reader.h>
#include <parquet/metadata.h>
#include <parquet/schema.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "formats/arrow/library/arrow_pieces.h"

namespace pappus::formats {
namespace {

/// Levels are 1 for values that are there, else 0. Returns bits of the same.
std::shared_ptr<arrow::Buffer> bits_of(const std::int16_t* levels, std::int64_t n,
                                       arrow::MemoryPool& pool) {
  std::shared_ptr<arrow::Buffer> buffer = check(arrow::AllocateBuffer((n + 7) / 8, &pool));
  auto* const bits = buffer->mutable_data();
  const auto four = [](const std::int16_t* at) {
    std::uint64_t words;
    std::memcpy(&words, at, sizeof(words));
    constexpr std::uint64_t together = (1ULL << 45) | (1ULL << 30) | (1ULL << 15) | 1;
    return words * together >> 45 & 15;  // bits 0, 16, 32 and 48
  };
  for (std::int64_t i = 0; i < n / 8; ++i)
    bits[i] = static_cast<std::uint8_t>(four(levels + 8 * i) | four(levels + 8 * i + 4) << 4);
  if (n % 8 != 0) {
    bits[n / 8] = 0;
    for (std::int64_t i = n / 8 * 8; i < n; ++i)
      bits[n / 8] = static_cast<std::uint8_t>(bits[n / 8] | levels[i] << i % 8);
  }
  return buffer;
}

/// Moves values that lie close together to the places of those that are there. Others are zero.
template <typename Word>
void spread(Word* values, std::int64_t there, const std::int16_t* levels, std::int64_t n) {
  for (std::int64_t i = n; i > there;) {
    --i;
    there -= levels[i];
    values[i] = static_cast<Word>(values[there] & -static_cast<Word>(levels[i]));
  }
}

std::shared_ptr<const arrow_piece> texts_of(const parquet::ByteArray* texts, std::int32_t n,
                                            const std::shared_ptr<charged_pool>& pool) {
  std::int64_t bytes = 0;
  for (std::int32_t i = 0; i < n; ++i) bytes += texts[i].len;
  if (bytes > std::numeric_limits<std::int32_t>::max())
    throw arrow_problem("its dictionary has 2 GiB of text or more");
  std::shared_ptr<arrow::Buffer> places =
      check(arrow::AllocateBuffer((std::int64_t{n} + 1) * std::int64_t{4}, pool.get()));
  std::shared_ptr<arrow::Buffer> text = check(arrow::AllocateBuffer(bytes, pool.get()));
  auto* const begins = places->mutable_data_as<std::int32_t>();
  begins[0] = 0;
  for (std::int32_t i = 0; i < n; ++i) {
    const auto length = texts[i].len;
    if (length > 0) std::memcpy(text->mutable_data() + begins[i], texts[i].ptr, length);
    begins[i + 1] = begins[i] + static_cast<std::int32_t>(length);
  }
  const auto array = arrow::MakeArray(
      arrow::ArrayData::Make(arrow::binary(), n, {nullptr, std::move(places), std::move(text)}, 0));
  return std::make_shared<const arrow_piece>(describe_piece(array, pool));
}

/// \tparam Type  of Parquet's; of texts, whose numbers are read
template <typename Type>
class plain_rows final : public arrow_rows {
 public:
  static constexpr bool texts = std::is_same_v<Type, parquet::ByteArrayType>;
  using value = std::conditional_t<texts, std::int32_t, typename Type::c_type>;
  using word = std::conditional_t<sizeof(value) == 4, std::uint32_t, std::uint64_t>;

  plain_rows(std::shared_ptr<charged_pool> pool, std::shared_ptr<parquet::RowGroupReader> group,
             std::shared_ptr<parquet::ColumnReader> column, std::int64_t rows,
             std::int64_t rows_at_once)
      : pool_(std::move(pool)),
        group_(std::move(group)),
        column_(std::move(column)),
        reader_(static_cast<parquet::TypedColumnReader<Type>&>(*column_)),
        rows_at_once_(rows_at_once),
        left_(rows) {
    const auto at_once = std::min(rows_at_once_, left_);
    if (column_->descr()->max_definition_level() > 0)
      levels_ = check(arrow::AllocateBuffer(at_once * std::int64_t{sizeof(std::int16_t)}, &*pool_));
  }

  bool next(arrow_piece& piece) override {
    calling_arrow([&] { read(piece); });
    return piece.rows > 0;
  }

  void skip(std::int64_t rows) {
    while (rows > 0) {
      const auto skipped = reader_.Skip(rows);
      if (skipped <= 0) throw arrow_problem("it has fewer values than rows");
      rows -= skipped;
      left_ -= skipped;
    }
  }

 private:
  struct kept {
    std::shared_ptr<charged_pool> pool;
    std::shared_ptr<arrow::Buffer> values, valid;
  };

  void read(arrow_piece& piece) {
    const auto most = std::min(rows_at_once_, left_);
    kept buffers{pool_, nullptr, nullptr};
    buffers.values = check(arrow::AllocateBuffer(most * std::int64_t{sizeof(value)}, &*pool_));
    auto* const values = buffers.values->template mutable_data_as<value>();
    auto* const levels = levels_ ? levels_->mutable_data_as<std::int16_t>() : nullptr;
    std::int64_t rows = 0, there = 0;
    while (rows < most && column_->HasNext()) {
      std::int64_t decoded = 0;
      rows +=
          decode(most - rows, levels == nullptr ? nullptr : levels + rows, values + there, decoded);
      there += decoded;
    }
    left_ -= rows;
    piece.rows = rows;
    piece.nulls = rows - there;
    piece.values = values;
    piece.width = sizeof(value);
    if (piece.nulls > 0) {
      if (levels == nullptr || std::count(levels, levels + rows, 1) != there)
        throw arrow_problem("it has fewer values than are said to be there");
      buffers.valid = bits_of(levels, rows, *pool_);
      piece.valid = buffers.valid->data();
      spread(reinterpret_cast<word*>(values), there, levels, rows);
    }
    if constexpr (texts) {
      if (!dictionary_) dictionary_ = texts_of(nullptr, 0, pool_);
      piece.dictionary = dictionary_;
    }
    piece.owner = std::make_shared<const kept>(std::move(buffers));
  }

  /// Returns the rows, of which `there` have values.
  std::int64_t decode(std::int64_t most, std::int16_t* levels, value* values, std::int64_t& there) {
    if constexpr (texts) {
      const parquet::ByteArray* found = nullptr;
      std::int32_t count = 0;
      const auto rows =
          reader_.ReadBatchWithDictionary(most, levels, nullptr, values, &there, &found, &count);
      if (found != nullptr && !dictionary_) dictionary_ = texts_of(found, count, pool_);
      return rows;
    } else {
      return reader_.ReadBatch(most, levels, nullptr, values, &there);
    }
  }

  std::shared_ptr<charged_pool> pool_;
  std::shared_ptr<parquet::RowGroupReader> group_;
  std::shared_ptr<parquet::ColumnReader> column_;
  parquet::TypedColumnReader<Type>& reader_;
  std::int64_t rows_at_once_, left_;
  std::shared_ptr<arrow::Buffer> levels_;  // null: no value is missing
  std::shared_ptr<const arrow_piece> dictionary_;
};

/// Whether the column's values are those of the physical type.
bool lies_as_stored(const parquet::ColumnDescriptor& stored, const arrow_column& column) {
  switch (column.kind) {
    case arrow_kind::i32:
    case arrow_kind::u32:
    case arrow_kind::date:
      return stored.physical_type() == parquet::Type::INT32;
    case arrow_kind::i64:
    case arrow_kind::u64:
      return stored.physical_type() == parquet::Type::INT64;
    case arrow_kind::timestamp:
      return stored.physical_type() == parquet::Type::INT64 && has_unit(stored, column.unit);
    case arrow_kind::f32:
      return stored.physical_type() == parquet::Type::FLOAT;
    case arrow_kind::f64:
      return stored.physical_type() == parquet::Type::DOUBLE;
    case arrow_kind::text:
      return stored.physical_type() == parquet::Type::BYTE_ARRAY;
    default:
      return false;
  }
}

/// What `all` has from its front but for the first rows.
class later_rows final : public arrow_rows {
 public:
  later_rows(std::unique_ptr<arrow_rows> all, std::int64_t first_row)
      : all_(std::move(all)), before_(first_row) {}

  bool next(arrow_piece& piece) override {
    while (all_->next(piece)) {
      const auto some = std::min(before_, piece.rows);
      before_ -= some;
      piece.first += some;
      piece.rows -= some;
      if (piece.rows > 0) return true;
    }
    return false;
  }

 private:
  std::unique_ptr<arrow_rows> all_;
  std::int64_t before_;
};

bool is_plain(const parquet::ColumnDescriptor& stored, const arrow_column& column) {
  return stored.max_repetition_level() == 0 && stored.max_definition_level() <= 1 &&
         lies_as_stored(stored, column);
}

}  // namespace

bool has_unit(const parquet::ColumnDescriptor& column, std::int64_t unit) {
  const auto& logical = column.logical_type();
  if (!logical || !logical->is_timestamp()) return false;
  switch (static_cast<const parquet::TimestampLogicalType&>(*logical).time_unit()) {
    case parquet::LogicalType::TimeUnit::MILLIS:
      return unit == 1000;
    case parquet::LogicalType::TimeUnit::MICROS:
      return unit == 1'000'000;
    case parquet::LogicalType::TimeUnit::NANOS:
      return unit == 1'000'000'000;
    default:
      return false;
  }
}

bool may_begin_at_page(const parquet::ColumnDescriptor& stored, const arrow_column& column) {
  return is_plain(stored, column) && column.kind != arrow_kind::text;
}

std::unique_ptr<arrow_rows> rows_behind(std::unique_ptr<arrow_rows> all, std::int64_t first_row) {
  if (first_row == 0) return all;
  return std::make_unique<later_rows>(std::move(all), first_row);
}

std::unique_ptr<arrow_rows> plain_parquet_column(const std::shared_ptr<charged_pool>& pool,
                                                 std::shared_ptr<parquet::RowGroupReader> group,
                                                 int leaf, const arrow_column& column,
                                                 std::int64_t rows_at_once, std::int64_t first_row,
                                                 const std::function<parquet_tail()>& tail) {
  const auto& stored = *group->metadata()->schema()->Column(leaf);
  if (!is_plain(stored, column)) return nullptr;
  const auto rows = group->metadata()->num_rows();
  const auto open = [&]<typename Type>(std::type_identity<Type>) {
    auto from = tail();
    auto result = std::make_unique<plain_rows<Type>>(pool, std::move(group), std::move(from.reader),
                                                     rows - from.first_row, rows_at_once);
    result->skip(first_row - from.first_row);
    return result;
  };
  switch (stored.physical_type()) {
    case parquet::Type::INT32:
      return open(std::type_identity<parquet::Int32Type>());
    case parquet::Type::INT64:
      return open(std::type_identity<parquet::Int64Type>());
    case parquet::Type::FLOAT:
      return open(std::type_identity<parquet::FloatType>());
    case parquet::Type::DOUBLE:
      return open(std::type_identity<parquet::DoubleType>());
    default:
      break;
  }
  auto reader = group->ColumnWithExposeEncoding(leaf, parquet::ExposedEncoding::DICTIONARY);
  if (reader->GetExposedEncoding() != parquet::ExposedEncoding::DICTIONARY) return nullptr;
  return rows_behind(std::make_unique<plain_rows<parquet::ByteArrayType>>(
                         pool, std::move(group), std::move(reader), rows, rows_at_once),
                     first_row);
}

}  // namespace pappus::formats
