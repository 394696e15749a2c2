#include "formats/arrow/library/ipc_column.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "formats/arrow/arrow_bits.h"

namespace pappus::formats {
namespace {

constexpr std::int64_t column_bytes_max = std::int64_t{1} << 40;  // or damaged

std::int64_t bytes_for_bits(std::int64_t n) { return (n + 7) / 8; }

std::int64_t count_ones(const std::uint8_t* bits, std::int64_t n) {
  std::int64_t ones = 0;
  for (std::int64_t i = 0; i < n / 8; ++i) ones += std::popcount(bits[i]);
  if (n % 8 != 0)
    ones += std::popcount(static_cast<std::uint8_t>(bits[n / 8] & ((1 << n % 8) - 1)));
  return ones;
}

std::int32_t width_of(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
      return 0;
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return 4;
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      return 8;
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY_VIEW:
      return 16;
    default:
      return type.byte_width();
  }
}

bool has_places(arrow::Type::type type) {
  return type == arrow::Type::STRING || type == arrow::Type::BINARY ||
         type == arrow::Type::LARGE_STRING || type == arrow::Type::LARGE_BINARY;
}
bool has_views(arrow::Type::type type) {
  return type == arrow::Type::STRING_VIEW || type == arrow::Type::BINARY_VIEW;
}

/// Makes places of texts count from the first one's. Returns where the last one ends.
template <typename Place>
std::int64_t count_from_first(Place* places, std::int64_t n) {
  const auto first = places[0];
  bool good = first >= 0;
  for (std::int64_t i = 0; i < n; ++i) good = good && places[i] <= places[i + 1];
  if (!good) throw arrow_problem("its texts have places that aren't in order");
  for (std::int64_t i = 0; i <= n; ++i) places[i] = static_cast<Place>(places[i] - first);
  return places[n];
}

/// Numbers without a sign as those with one that have all of them, or look negative.
template <typename From, typename To>
void widen(const std::uint8_t* from, std::uint8_t* to, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    const auto value = static_cast<To>(reinterpret_cast<const From*>(from)[i]);
    std::memcpy(to + i * static_cast<std::int64_t>(sizeof(To)), &value, sizeof(value));
  }
}

}  // namespace

void take_presence(std::optional<ipc_bytes>& from, arrow_piece& piece, ipc_buffers& kept) {
  if (!from) return;
  auto bits = from->read(bytes_for_bits(piece.rows));
  piece.nulls = piece.rows - count_ones(bits->data(), piece.rows);
  if (piece.nulls == 0) return;
  piece.valid = bits->data();
  kept.push_back(std::move(bits));
}

const arrow::DataType& own_type(const arrow::DataType& type) {
  return type.id() == arrow::Type::DICTIONARY
             ? *static_cast<const arrow::DictionaryType&>(type).index_type()
             : type;
}

ipc_column::ipc_column(const byte_source& source, std::shared_ptr<charged_pool> pool,
                       const ipc_batch& batch, ipc_place at, std::int64_t rows,
                       const arrow::DataType& type, std::shared_ptr<const arrow_piece> dictionary,
                       std::int64_t rows_at_once)
    : source_(source),
      pool_(std::move(pool)),
      batch_(batch),
      at_(at),
      type_(type.id()),
      dictionary_(std::move(dictionary)),
      rows_at_once_(std::max<std::int64_t>(rows_at_once / 8, 1) * 8),  // whole bytes of bits
      left_(rows),
      width_(width_of(type)) {
  const auto buffers_needed = has_places(type_) ? 3U : 2U;
  if (at.node >= batch.nodes.size() || at.buffer + buffers_needed > batch.buffers.size())
    throw arrow_problem("the batch has fewer columns than the schema");
  if (batch.nodes[at.node].rows != rows)
    throw arrow_problem("it has another number of values than its batch of rows");
  if (rows > column_bytes_max / std::max(width_, 1))  // which may be read at once
    throw arrow_problem("it has more values than memory can have");
  const auto bytes = [&](std::size_t i) {
    return ipc_bytes(source_, *pool_, batch_.buffers[at_.buffer + i], batch_.codec);
  };
  if (batch.nodes[at.node].nulls != 0) presence_.emplace(bytes(0));
  values_.emplace(bytes(1));
  if (has_places(type_)) text_.emplace(bytes(2));
}

bool ipc_column::next(arrow_piece& piece) {
  if (left_ == 0) return false;
  piece = {};
  piece.rows = std::min(left_, rows_at_once_);
  ipc_buffers kept;
  take_presence(presence_, piece, kept);
  if (has_places(type_))
    take_texts(piece, kept);
  else if (has_views(type_))
    take_views(piece);
  else
    take_numbers(piece, kept);
  struct holder {
    std::shared_ptr<charged_pool> pool;  // goes last
    ipc_buffers kept;
    std::shared_ptr<const void> others;
  };
  piece.owner =
      std::make_shared<const holder>(holder{pool_, std::move(kept), std::move(piece.owner)});
  left_ -= piece.rows;
  return true;
}

void ipc_column::take_numbers(arrow_piece& piece, ipc_buffers& kept) {
  const auto n = piece.rows;
  auto values = values_->read(width_ == 0 ? bytes_for_bits(n) : n * width_);
  piece.width = width_;
  piece.dictionary = dictionary_;
  if (type_ == arrow::Type::FIXED_SIZE_BINARY) {
    piece.fixed_text = true;
    own_text(piece, values);
  } else if (dictionary_ && (type_ == arrow::Type::UINT8 || type_ == arrow::Type::UINT16)) {
    piece.width = 4;
    std::shared_ptr<arrow::Buffer> wide = check(arrow::AllocateBuffer(n * 4, pool_.get()));
    if (width_ == 1)
      widen<std::uint8_t, std::int32_t>(values->data(), wide->mutable_data(), n);
    else
      widen<std::uint16_t, std::int32_t>(values->data(), wide->mutable_data(), n);
    values = std::move(wide);
  }
  piece.values = values->data();
  kept.push_back(std::move(values));
}

void ipc_column::own_text(arrow_piece& piece, std::shared_ptr<arrow::Buffer> text) const {
  struct holder {
    std::shared_ptr<charged_pool> pool;
    std::shared_ptr<arrow::Buffer> text;
  };
  piece.text = reinterpret_cast<const char*>(text->data());
  piece.text_bytes = text->capacity();
  piece.text_owner = std::make_shared<const holder>(holder{pool_, std::move(text)});
}

void ipc_column::take_texts(arrow_piece& piece, ipc_buffers& kept) {
  const auto n = piece.rows;
  std::shared_ptr<arrow::Buffer> places =
      check(arrow::AllocateBuffer((n + 1) * width_, pool_.get()));
  auto* const at = places->mutable_data();
  if (!began_)
    values_->read(at, width_);
  else
    std::memcpy(at, &text_at_, static_cast<std::size_t>(width_));
  values_->read(at + width_, n * width_);
  std::int64_t first = 0;
  std::memcpy(&first, at, static_cast<std::size_t>(width_));
  const auto bytes = width_ == 4 ? count_from_first(reinterpret_cast<std::int32_t*>(at), n)
                                 : count_from_first(reinterpret_cast<std::int64_t*>(at), n);
  if (!began_) text_->skip(first);
  began_ = true;
  text_at_ = first + bytes;
  own_text(piece, text_->read(bytes));
  piece.width = width_;
  piece.values = places->data();
  kept.push_back(std::move(places));
}

/// Views are made texts that lie one after another, with places of 8 bytes.
void ipc_column::take_views(arrow_piece& piece) {
  struct view {
    std::int32_t bytes;
    char front[4];
    std::int32_t buffer, offset;
  };
  constexpr std::int32_t within = 12;
  const auto n = piece.rows;
  if (!began_) {
    if (at_.views >= batch_.view_buffers.size())
      throw arrow_problem("the batch doesn't tell where its texts are");
    const auto count = batch_.view_buffers[at_.views];
    const auto first = at_.buffer + 2;
    if (count < 0 || static_cast<std::size_t>(count) > batch_.buffers.size() - first)
      throw arrow_problem("the batch has fewer texts than it tells of");
    for (std::int64_t i = 0; i < count; ++i) {
      ipc_bytes text(source_, *pool_, batch_.buffers[first + static_cast<std::size_t>(i)],
                     batch_.codec);
      view_texts_.push_back(text.read(text.left()));
    }
    began_ = true;
  }
  const auto read = values_->read(n * width_);
  const auto* const views = reinterpret_cast<const view*>(read->data());
  std::shared_ptr<arrow::Buffer> places = check(arrow::AllocateBuffer((n + 1) * 8, pool_.get()));
  auto* const at = reinterpret_cast<std::int64_t*>(places->mutable_data());
  at[0] = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto& one = views[i];
    const auto bytes = is_there(piece, i) ? one.bytes : 0;
    if (bytes < 0) throw arrow_problem("a text has a negative length");
    if (bytes > within) {
      if (one.buffer < 0 || static_cast<std::size_t>(one.buffer) >= view_texts_.size() ||
          one.offset < 0 ||
          one.offset > view_texts_[static_cast<std::size_t>(one.buffer)]->size() - bytes)
        throw arrow_problem("a text lies beyond its column");
    }
    at[i + 1] = at[i] + bytes;
  }
  std::shared_ptr<arrow::Buffer> text = check(arrow::AllocateBuffer(at[n], pool_.get()));
  for (std::int64_t i = 0; i < n; ++i) {
    const auto bytes = static_cast<std::size_t>(at[i + 1] - at[i]);
    if (bytes == 0) continue;
    const auto& one = views[i];
    const void* const from =
        at[i + 1] - at[i] <= within
            ? static_cast<const void*>(one.front)
            : view_texts_[static_cast<std::size_t>(one.buffer)]->data() + one.offset;
    std::memcpy(text->mutable_data() + at[i], from, bytes);
  }
  own_text(piece, std::move(text));
  piece.width = 8;
  piece.values = at;
  piece.owner = std::move(places);
}

}  // namespace pappus::formats
