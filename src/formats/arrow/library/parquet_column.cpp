#include "formats/arrow/library/parquet_column.h"

#include <arrow/buffer.h>
#include <parquet/metadata.h>
#include <parquet/schema.h>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "formats/arrow/arrow_bits.h"
#include "formats/arrow/library/parquet_texts.h"
#include "formats/arrow/library/parquet_values.h"

namespace pappus::formats {
namespace {

/// Moves values that lie close together to the places of those that are there. Others are zero.
template <typename Word>
void spread(Word* values, std::int64_t there, const std::uint8_t* valid, std::int64_t n) {
  for (std::int64_t end = n; end > there;) {
    const auto some = std::min(end, bits_at_once);
    auto bits = bits_of(valid, end - some, some) << (64 - some);
    for (const auto begin = end - some; end > begin; bits <<= 1) {
      const auto is_there = static_cast<std::int64_t>(bits >> 63);
      there -= is_there;
      values[--end] = static_cast<Word>(values[there] & static_cast<Word>(-is_there));
    }
  }
}

/// \tparam Type  of Parquet's
template <typename Type>
class plain_rows final : public arrow_rows {
 public:
  using value = typename parquet_values<Type>::value;
  using word = std::conditional_t<sizeof(value) == 4, std::uint32_t, std::uint64_t>;

  plain_rows(std::shared_ptr<charged_pool> pool, std::shared_ptr<parquet::RowGroupReader> group,
             std::unique_ptr<parquet::PageReader> pages, const parquet::ColumnDescriptor& stored,
             std::int64_t rows, std::int64_t rows_at_once)
      : pool_(std::move(pool)),
        group_(std::move(group)),
        values_(std::move(pages), stored, *pool_),
        rows_at_once_(rows_at_once),
        left_(rows) {}

  bool next(arrow_piece& piece) override {
    calling_arrow([&] { read(piece); });
    return piece.rows > 0;
  }

  void skip(std::int64_t rows) {
    while (rows > 0) {
      const auto most = std::min(rows_at_once_, rows);
      const bool texts = values_.has_next() && values_.has_texts();
      const auto skipped = texts ? fetch_texts(most).rows : fetch(most).rows;
      if (skipped == 0) throw arrow_problem("it has fewer values than rows");
      rows -= skipped;
    }
  }

 private:
  /// Values that lie close together, and bits of the rows that have them.
  struct fetched {
    std::shared_ptr<charged_pool> pool;
    std::shared_ptr<arrow::Buffer> values, valid;
    std::int64_t rows = 0, there = 0;
  };

  fetched fetch(std::int64_t most) {
    fetched some{pool_, nullptr, nullptr};
    some.values = check(arrow::AllocateBuffer(most * std::int64_t{sizeof(value)}, &*pool_));
    if (values_.may_miss()) some.valid = check(arrow::AllocateBuffer((most + 7) / 8, &*pool_));
    auto* const values = some.values->template mutable_data_as<value>();
    auto* const valid = some.valid ? some.valid->mutable_data() : nullptr;
    while (some.rows < most && values_.has_next() && !values_.has_texts()) {
      const auto read = values_.read(most - some.rows, valid, some.rows, values + some.there);
      some.rows += read.rows;
      some.there += read.there;
    }
    left_ -= some.rows;
    return some;
  }

  /// Texts, which lie in their page until the next ones are fetched, and bits of their rows.
  struct fetched_texts {
    std::vector<parquet::ByteArray> texts;
    std::shared_ptr<arrow::Buffer> valid;
    std::int64_t rows = 0;
  };

  /// At most so many, and of one page.
  fetched_texts fetch_texts(std::int64_t most) {
    fetched_texts some;
    if constexpr (parquet_values<Type>::texts) {
      most = std::min(most, values_.rows_left());
      some.texts.resize(static_cast<std::size_t>(most));
      if (values_.may_miss()) some.valid = check(arrow::AllocateBuffer((most + 7) / 8, &*pool_));
      auto* const valid = some.valid ? some.valid->mutable_data() : nullptr;
      const auto read = values_.read(most, valid, 0, some.texts.data());
      some.texts.resize(static_cast<std::size_t>(read.there));
      some.rows = read.rows;
      left_ -= some.rows;
    }
    return some;
  }

  void read(arrow_piece& piece) {
    const auto most = std::min(rows_at_once_, left_);
    if (values_.has_next() && values_.has_texts()) {
      const auto some = fetch_texts(most);
      piece = piece_of_texts(some.texts, some.valid, some.rows, pool_);
      return;
    }
    auto some = fetch(most);
    piece = {};
    piece.rows = some.rows;
    piece.nulls = some.rows - some.there;
    piece.values = some.values->data();
    piece.width = sizeof(value);
    if (piece.nulls > 0) {
      piece.valid = some.valid->data();
      spread(reinterpret_cast<word*>(some.values->mutable_data()), some.there, piece.valid,
             some.rows);
    }
    if constexpr (parquet_values<Type>::texts) {
      if (!dictionary_ && some.rows > 0) dictionary_ = texts_of_dictionary();
      piece.dictionary = dictionary_;
    }
    piece.owner = std::make_shared<const fetched>(std::move(some));
  }

  std::shared_ptr<const arrow_piece> texts_of_dictionary() const
    requires(parquet_values<Type>::texts)
  {
    const auto texts = values_.dictionary();
    return std::make_shared<const arrow_piece>(
        piece_of_texts(texts, nullptr, std::ssize(texts), pool_));
  }

  std::shared_ptr<charged_pool> pool_;
  std::shared_ptr<parquet::RowGroupReader> group_;
  parquet_values<Type> values_;
  std::int64_t rows_at_once_, left_;
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

bool all_in_dictionary(const parquet::ColumnChunkMetaData& chunk) {
  if (!chunk.has_dictionary_page() || chunk.encoding_stats().empty()) return false;
  return std::ranges::all_of(chunk.encoding_stats(), [](const parquet::PageEncodingStats& pages) {
    const bool data = pages.page_type == parquet::PageType::DATA_PAGE ||
                      pages.page_type == parquet::PageType::DATA_PAGE_V2;
    return !data || pages.encoding == parquet::Encoding::PLAIN_DICTIONARY ||
           pages.encoding == parquet::Encoding::RLE_DICTIONARY;
  });
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
    auto result = std::make_unique<plain_rows<Type>>(pool, std::move(group), std::move(from.pages),
                                                     stored, rows - from.first_row, rows_at_once);
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
  auto pages = group->GetColumnPageReader(leaf);
  return rows_behind(std::make_unique<plain_rows<parquet::ByteArrayType>>(
                         pool, std::move(group), std::move(pages), stored, rows, rows_at_once),
                     first_row);
}

}  // namespace pappus::formats
