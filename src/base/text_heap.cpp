#include "base/text_heap.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/memory_scale.h"
#include "base/recent_views.h"
#include "pappus/detail/base/integers.h"

namespace pappus::base {
namespace {

constexpr double bytes_a_block = 8192;  // of records and text, about
std::int64_t rows_an_item() { return scaled<std::int64_t>(8192); }

}  // namespace

/// Tells which text of a block's rows is there already. It may forget some.
class text_index::block {
 public:
  /// Calls place(view, offset, is_new) for each text of the rows in turn, where `offset` is its
  /// place in the block's text; returns their bytes.
  template <typename Place>
  std::size_t each_text(const text_index& index, std::byte* records, std::int64_t rows,
                        Place&& place) {
    known_.forget();
    std::size_t end = 0;
    for (std::int64_t row = 0; row < rows; ++row, records += index.record_bytes_)
      for (const auto& view : index.views_) {
        const auto text = detail::text_at(records, view);
        std::byte* const at = records + view.at;
        if (text.empty()) {  // wherever it lies; it must not have others' slots
          place(at, text, end, false);
          continue;
        }
        if (const auto* offset = known_.find(text)) {
          place(at, text, *offset, false);
          continue;
        }
        known_.remember(text, end);
        place(at, text, end, true);
        end += text.size();
      }
    return end;
  }

 private:
  recent_views<std::size_t, 6> known_;  // texts' offsets
};

text_index::text_index(const detail::record_type& layout)
    : record_bytes_(layout.size), begins_(1, 0) {
  if (layout.add_text_places != nullptr) layout.add_text_places(views_);
}

/// Bytes of text that the records point to, whether some of it is the same or not.
std::size_t text_index::bytes_of(const std::byte* records, std::int64_t rows,
                                 detail::workers& team) const {
  std::atomic<std::size_t> all{0};
  const auto items = static_cast<std::size_t>(detail::ceil_div(rows, rows_an_item()));
  detail::parallel_chunks(team, items, [&](std::size_t item, unsigned) {
    const auto first = static_cast<std::int64_t>(item) * rows_an_item();
    const std::byte* at = records + static_cast<std::size_t>(first) * record_bytes_;
    std::size_t own = 0;
    for (auto left = std::min(rows_an_item(), rows - first); left > 0; --left, at += record_bytes_)
      for (const auto& view : views_) own += detail::text_at(at, view).size();
    all.fetch_add(own, std::memory_order_relaxed);
  });
  return all;
}

detail::buffer text_index::copy_text(std::byte* records, std::int64_t rows,
                                     detail::memory_source& memory, detail::workers& team,
                                     std::string_view owner) {
  const auto row_bytes =
      static_cast<double>(record_bytes_) + static_cast<double>(bytes_of(records, rows, team)) /
                                               static_cast<double>(std::max<std::int64_t>(rows, 1));
  block_rows_ = std::max(static_cast<std::int64_t>(bytes_a_block / row_bytes), std::int64_t{1});
  begins_.assign(static_cast<std::size_t>(detail::ceil_div(rows, block_rows_)) + 1, 0);
  const auto blocks_an_item = detail::ceil_div(rows_an_item(), block_rows_);
  const auto for_blocks = [&](auto&& f) {
    const auto items = static_cast<std::size_t>(detail::ceil_div(blocks(), blocks_an_item));
    detail::parallel_chunks(team, items, [&](std::size_t item, unsigned) {
      block one;
      const auto first = static_cast<std::int64_t>(item) * blocks_an_item;
      for (auto i = first; i < std::min(first + blocks_an_item, blocks()); ++i) {
        const auto row = i * block_rows_;
        f(one, static_cast<std::size_t>(i), records + static_cast<std::size_t>(row) * record_bytes_,
          std::min(block_rows_, rows - row));
      }
    });
  };
  for_blocks([&](block& one, std::size_t i, std::byte* first, std::int64_t n) {
    begins_[i + 1] =
        one.each_text(*this, first, n, [](std::byte*, std::string_view, std::size_t, bool) {});
  });
  for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
  detail::buffer heap(memory, bytes(), owner);
  for_blocks([&](block& one, std::size_t i, std::byte* first, std::int64_t n) {
    char* const own = heap.as<char>() + begins_[i];
    one.each_text(*this, first, n,
                  [&](std::byte* view, std::string_view text, std::size_t offset, bool is_new) {
                    if (is_new) std::memcpy(own + offset, text.data(), text.size());
                    const auto moved = text.empty() ? std::string_view()
                                                    : std::string_view(own + offset, text.size());
                    std::memcpy(view, &moved, sizeof moved);
                  });
  });
  return heap;
}

text_index::stretch text_index::of(std::int64_t first, std::int64_t rows) const noexcept {
  if (rows == 0) return {};
  const auto end = std::min(detail::ceil_div(first + rows, block_rows_), blocks());
  return {begins_[static_cast<std::size_t>(first / block_rows_)],
          begins_[static_cast<std::size_t>(end)]};
}

void text_index::move_views(std::byte* records, std::int64_t rows, std::uintptr_t from,
                            const std::byte* to) const noexcept {
  for (; rows > 0; --rows, records += record_bytes_)
    for (const auto& view : views_) {
      auto text = detail::text_at(records, view);
      if (text.empty()) continue;
      const auto offset = reinterpret_cast<std::uintptr_t>(text.data()) - from;
      text = {reinterpret_cast<const char*>(to) + offset, text.size()};
      std::memcpy(records + view.at, &text, sizeof text);
    }
}

}  // namespace pappus::base
