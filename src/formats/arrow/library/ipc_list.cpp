#include "formats/arrow/library/ipc_list.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace pappus::formats {
namespace {

bool is_fixed(const arrow::DataType& type) { return type.id() == arrow::Type::FIXED_SIZE_LIST; }

}  // namespace

ipc_list::ipc_list(const byte_source& source, std::shared_ptr<charged_pool> pool,
                   const ipc_batch& batch, ipc_place at, const arrow::DataType& type,
                   std::shared_ptr<const arrow_piece> dictionary, std::int64_t rows_at_once)
    : pool_(std::move(pool)),
      rows_at_once_(std::max<std::int64_t>(rows_at_once / 8, 1) * 8),  // whole bytes of bits
      left_(batch.rows),
      width_(is_fixed(type) ? static_cast<const arrow::FixedSizeListType&>(type).list_size()
             : type.id() == arrow::Type::LIST ? 4
                                              : 8) {
  const std::size_t buffers = is_fixed(type) ? 1 : 2;
  if (at.node + 1 >= batch.nodes.size() || at.buffer + buffers > batch.buffers.size())
    throw arrow_problem("the batch has fewer columns than the schema");
  if (batch.nodes[at.node].rows != batch.rows)
    throw arrow_problem("it has another number of values than its batch of rows");
  const auto bytes = [&](std::size_t i) {
    return ipc_bytes(source, *pool_, batch.buffers[at.buffer + i], batch.codec);
  };
  if (batch.nodes[at.node].nulls != 0) presence_.emplace(bytes(0));
  if (!is_fixed(type)) places_.emplace(bytes(1));
  const auto items = batch.nodes[at.node + 1].rows;
  if (items < 0) throw arrow_problem("it has a negative number of items");
  all_items_ = std::make_unique<ipc_column>(
      source, pool_, batch, ipc_place{at.node + 1, at.buffer + buffers, at.views}, items,
      own_type(*type.field(0)->type()), std::move(dictionary),
      std::numeric_limits<std::int64_t>::max());
}

bool ipc_list::next(arrow_piece& piece) {
  if (left_ == 0) return false;
  if (all_items_) {
    arrow_piece items;
    if (!all_items_->next(items)) items = {};  // there are none
    items_ = std::make_shared<const arrow_piece>(std::move(items));
    all_items_.reset();
  }
  piece = {};
  piece.rows = std::min(left_, rows_at_once_);
  piece.items = items_;
  struct holder {
    std::shared_ptr<charged_pool> pool;  // goes last
    ipc_buffers kept;
  };
  ipc_buffers kept;
  take_presence(presence_, piece, kept);
  auto places = places_ ? read_places(piece.rows) : equal_places(piece.rows);
  piece.width = places_ ? width_ : 8;
  piece.values = places->data();
  kept.push_back(std::move(places));
  piece.owner = std::make_shared<const holder>(holder{pool_, std::move(kept)});
  left_ -= piece.rows;
  done_ += piece.rows;
  return true;
}

std::shared_ptr<arrow::Buffer> ipc_list::read_places(std::int64_t rows) {
  std::shared_ptr<arrow::Buffer> places =
      check(arrow::AllocateBuffer((rows + 1) * width_, pool_.get()));
  auto* const at = places->mutable_data();
  const auto bytes = static_cast<std::size_t>(width_);
  if (done_ == 0)
    places_->read(at, width_);
  else
    std::memcpy(at, &place_, bytes);
  places_->read(at + width_, rows * width_);
  std::memcpy(&place_, at + rows * width_, bytes);
  return places;
}

std::shared_ptr<arrow::Buffer> ipc_list::equal_places(std::int64_t rows) const {
  std::shared_ptr<arrow::Buffer> places = check(arrow::AllocateBuffer((rows + 1) * 8, pool_.get()));
  auto* const at = reinterpret_cast<std::int64_t*>(places->mutable_data());
  for (std::int64_t i = 0; i <= rows; ++i) at[i] = (done_ + i) * width_;
  return places;
}

}  // namespace pappus::formats
