#include "formats/arrow/library/arrow_pieces.h"

#include <arrow/buffer.h>
#include <arrow/util/bit_util.h>

#include <utility>

namespace pappus::formats {
namespace {

std::int64_t a_second(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return 1;
    case arrow::TimeUnit::MILLI:
      return 1000;
    case arrow::TimeUnit::MICRO:
      return 1'000'000;
    default:
      return 1'000'000'000;
  }
}

arrow_kind kind_of(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::INT8:
      return arrow_kind::i8;
    case arrow::Type::INT16:
      return arrow_kind::i16;
    case arrow::Type::INT32:
      return arrow_kind::i32;
    case arrow::Type::INT64:
      return arrow_kind::i64;
    case arrow::Type::UINT8:
      return arrow_kind::u8;
    case arrow::Type::UINT16:
      return arrow_kind::u16;
    case arrow::Type::UINT32:
      return arrow_kind::u32;
    case arrow::Type::UINT64:
      return arrow_kind::u64;
    case arrow::Type::FLOAT:
      return arrow_kind::f32;
    case arrow::Type::DOUBLE:
      return arrow_kind::f64;
    case arrow::Type::BOOL:
      return arrow_kind::boolean;
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY_VIEW:
    case arrow::Type::FIXED_SIZE_BINARY:
      return arrow_kind::text;
    case arrow::Type::DATE32:
      return arrow_kind::date;
    case arrow::Type::TIMESTAMP:
      return arrow_kind::timestamp;
    case arrow::Type::DECIMAL32:
    case arrow::Type::DECIMAL64:
    case arrow::Type::DECIMAL128:
      return arrow_kind::decimal;
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
    case arrow::Type::FIXED_SIZE_LIST:
      return arrow_kind::list;
    default:
      return arrow_kind::other;
  }
}

std::shared_ptr<arrow::Buffer> borrowed(const void* data, std::int64_t bytes) {
  return data == nullptr
             ? nullptr
             : std::make_shared<arrow::Buffer>(static_cast<const std::uint8_t*>(data), bytes);
}

/// The memory goes last.
template <typename T>
std::shared_ptr<const void> keeping(const std::shared_ptr<charged_pool>& pool,
                                    std::shared_ptr<T> what) {
  struct both {
    std::shared_ptr<charged_pool> pool;
    std::shared_ptr<T> what;
  };
  return std::make_shared<const both>(both{pool, std::move(what)});
}

void own_text(arrow_piece& piece, const std::shared_ptr<arrow::Buffer>& buffer,
              const std::shared_ptr<charged_pool>& pool) {
  if (!buffer) return;
  piece.text = reinterpret_cast<const char*>(buffer->data());
  piece.text_owner = keeping(pool, buffer);
  piece.text_bytes = buffer->capacity();
}

}  // namespace

arrow_column describe_column(const arrow::Field& field) {
  arrow_column column;
  column.name = field.name();
  column.nullable = field.nullable();
  column.type = field.type()->ToString();
  const arrow::DataType* type = field.type().get();
  if (type->id() == arrow::Type::DICTIONARY) {
    const auto& values = *static_cast<const arrow::DictionaryType*>(type)->value_type();
    if (kind_of(values) != arrow_kind::text) return column;
    column.kind = arrow_kind::text;
    column.type = values.ToString();
    return column;
  }
  column.kind = kind_of(*type);
  if (column.kind == arrow_kind::list) {
    auto items = describe_column(*static_cast<const arrow::BaseListType*>(type)->value_field());
    if (items.kind == arrow_kind::other || items.kind == arrow_kind::list)
      column.kind = arrow_kind::other;
    else
      column.items.push_back(std::move(items));
  }
  if (column.kind == arrow_kind::timestamp)
    column.unit = a_second(static_cast<const arrow::TimestampType*>(type)->unit());
  if (column.kind == arrow_kind::decimal) {
    const auto& decimal = *static_cast<const arrow::DecimalType*>(type);
    column.precision = decimal.precision();
    column.scale = decimal.scale();
  }
  return column;
}

static std::shared_ptr<const arrow_piece> described(const std::shared_ptr<arrow::Array>& array,
                                                    const std::shared_ptr<charged_pool>& pool) {
  return std::make_shared<const arrow_piece>(describe_piece(array, pool));
}

arrow_piece describe_piece(const std::shared_ptr<arrow::Array>& array,
                           const std::shared_ptr<charged_pool>& pool) {
  const auto& data = *array->data();
  arrow_piece piece;
  piece.rows = data.length;
  piece.first = data.offset;
  piece.nulls = array->null_count();
  piece.owner = keeping(pool, array);
  if (piece.nulls > 0) piece.valid = array->null_bitmap_data();
  if (data.buffers.size() > 1 && data.buffers[1]) piece.values = data.buffers[1]->data();
  const auto& type = *array->type();
  switch (type.id()) {
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      piece.width = type.id() == arrow::Type::STRING || type.id() == arrow::Type::BINARY ? 4 : 8;
      own_text(piece, data.buffers[2], pool);
      break;
    case arrow::Type::FIXED_SIZE_BINARY:
      piece.fixed_text = true;
      piece.width = static_cast<const arrow::FixedSizeBinaryType&>(type).byte_width();
      own_text(piece, data.buffers[1], pool);
      break;
    case arrow::Type::DICTIONARY:
      piece.width = static_cast<const arrow::DictionaryType&>(type).index_type()->byte_width();
      piece.dictionary =
          described(static_cast<const arrow::DictionaryArray&>(*array).dictionary(), pool);
      break;
    case arrow::Type::BOOL:
      break;
    case arrow::Type::LIST:
      piece.width = 4;
      piece.items = described(static_cast<const arrow::ListArray&>(*array).values(), pool);
      break;
    case arrow::Type::LARGE_LIST:
      piece.width = 8;
      piece.items = described(static_cast<const arrow::LargeListArray&>(*array).values(), pool);
      break;
    case arrow::Type::FIXED_SIZE_LIST:
      piece.width = static_cast<const arrow::FixedSizeListType&>(type).list_size();
      piece.items = described(static_cast<const arrow::FixedSizeListArray&>(*array).values(), pool);
      break;
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY_VIEW:
      throw arrow_problem("views of text are read from Arrow's own format alone");
    default:
      piece.width = type.byte_width();
  }
  return piece;
}

std::shared_ptr<arrow::DataType> arrow_type(const arrow_column& column) {
  switch (column.kind) {
    case arrow_kind::i8:
      return arrow::int8();
    case arrow_kind::i16:
      return arrow::int16();
    case arrow_kind::i32:
      return arrow::int32();
    case arrow_kind::i64:
      return arrow::int64();
    case arrow_kind::u8:
      return arrow::uint8();
    case arrow_kind::u16:
      return arrow::uint16();
    case arrow_kind::u32:
      return arrow::uint32();
    case arrow_kind::u64:
      return arrow::uint64();
    case arrow_kind::f32:
      return arrow::float32();
    case arrow_kind::f64:
      return arrow::float64();
    case arrow_kind::boolean:
      return arrow::boolean();
    case arrow_kind::text:
      return column.dictionary ? arrow::dictionary(arrow::int32(), arrow::utf8()) : arrow::utf8();
    case arrow_kind::date:
      return arrow::date32();
    case arrow_kind::timestamp:
      return arrow::timestamp(arrow::TimeUnit::MICRO);
    case arrow_kind::list:
      return arrow::list(
          arrow::field("element", arrow_type(column.items.front()), /*nullable=*/false));
    default:
      throw arrow_problem("no such type is written");
  }
}

std::shared_ptr<arrow::Array> arrow_array(const std::shared_ptr<arrow::DataType>& type,
                                          const arrow_piece& piece) {
  const auto end = piece.first + piece.rows;
  const auto bits = arrow::bit_util::BytesForBits(end);
  std::vector<std::shared_ptr<arrow::Buffer>> buffers{borrowed(piece.valid, bits)};
  if (type->id() == arrow::Type::STRING) {
    const auto* const places = static_cast<const std::int32_t*>(piece.values);
    buffers.push_back(borrowed(places, (end + 1) * std::int64_t{4}));
    buffers.push_back(borrowed(piece.text, places[end]));
  } else if (type->id() == arrow::Type::BOOL) {
    buffers.push_back(borrowed(piece.values, bits));
  } else {
    buffers.push_back(borrowed(piece.values, end * type->byte_width()));
  }
  return arrow::MakeArray(
      arrow::ArrayData::Make(type, piece.rows, std::move(buffers), piece.nulls, piece.first));
}

}  // namespace pappus::formats
