#include "cpu_ops/late_rows.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/memory_scale.h"

namespace pappus::cpu_ops {

std::byte* late_rows::next_place() {
  constexpr std::size_t first = 64, most_bytes = std::size_t{128} << 10;
  const std::size_t size = params_->late.size;
  if (blocks_.empty() || (blocks_.back().rows + 1) * size > blocks_.back().memory.size()) {
    const std::size_t rows =
        std::clamp(rows_ / 4, first, std::max(base::scaled(most_bytes) / size, first));
    blocks_.push_back({{*memory_, rows * size, owner_}});
    bytes_ += rows * size;
  }
  ++rows_;
  return blocks_.back().memory.data() + blocks_.back().rows++ * size;
}

void late_rows::add(std::string_view key, const std::byte* value) {
  std::byte* const row = next_place();
  std::memcpy(row, &key, sizeof key);
  std::memcpy(row + sizeof key, &leaf_, sizeof leaf_);
  if (params_->payload_bytes > 0)
    std::memcpy(row + late_value_at(*params_), value, params_->payload_bytes);
  copy_text(row);
}

/// Has a row point to copies of its text.
void late_rows::copy_text(std::byte* row) {
  const std::size_t before = arena_.bytes();
  for (const auto& view : views_) {
    const auto own = arena_.copy(detail::text_at(row, view), *memory_, owner_);
    std::memcpy(row + view.at, &own, sizeof own);
  }
  bytes_ += arena_.bytes() - before;
}

void late_rows::append(late_rows&& other) {
  constexpr std::size_t few = 1024;  // that would leave much of their memory empty
  if (other.rows_ <= few) {
    for (const auto& [memory, rows] : other.blocks_)
      for (std::size_t i = 0; i < rows; ++i) {
        std::byte* const row = next_place();
        std::memcpy(row, memory.data() + i * params_->late.size, params_->late.size);
        copy_text(row);
      }
    seen_ += other.seen_;
    other = other.another();
    return;
  }
  std::ranges::move(other.blocks_, std::back_inserter(blocks_));
  std::ranges::move(other.text_, std::back_inserter(text_));
  std::ranges::move(std::exchange(other.arena_, fresh_arena()).take(), std::back_inserter(text_));
  other.text_.clear();
  other.blocks_.clear();
  rows_ += std::exchange(other.rows_, 0);
  bytes_ += std::exchange(other.bytes_, 0);
  seen_ += std::exchange(other.seen_, 0);
}

void late_rows::move_to(std::byte* to, std::vector<detail::buffer>& text) {
  const std::size_t size = params_->late.size;
  for (const auto& [memory, rows] : blocks_) {
    std::memcpy(to, memory.data(), rows * size);
    to += rows * size;
  }
  blocks_.clear();
  std::ranges::move(std::exchange(text_, {}), std::back_inserter(text));
  std::ranges::move(std::exchange(arena_, fresh_arena()).take(), std::back_inserter(text));
  rows_ = bytes_ = seen_ = 0;
}

}  // namespace pappus::cpu_ops
