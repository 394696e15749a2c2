#include "formats/text_writer.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/memory_scale.h"
#include "pappus/detail/base/integers.h"

namespace pappus::formats {
namespace {

constexpr std::int64_t rows_per_item_max = 4096;

}  // namespace

text_writer::text_writer(const std::string& path, std::size_t record_bytes,
                         detail::memory_source& memory, codec_pointer compressed_by,
                         const file_end* behind)
    : file_(path, behind),
      record_bytes_(record_bytes),
      memory_(memory),
      whole_(behind == nullptr || !behind->there),
      codec_(std::move(compressed_by)) {}

void text_writer::write_whole(std::string_view text) {
  std::vector<std::byte> packed;
  auto bytes = std::as_bytes(std::span(text));
  if (codec_) {
    packed.resize(codec_->bound(text.size()));
    packed.resize(codec_->encode(bytes, packed));
    bytes = packed;
  }
  file_.write(offset_, bytes);
  offset_ += std::ssize(bytes);
}

void text_writer::pack(text_buffer& text, text_buffer& packed) const {
  const auto bound = codec_->bound(text.used);
  if (packed.memory.size() < bound) {
    packed.memory.reset();
    packed.memory = detail::buffer(memory_, bound, file_.name() + ": text to be written");
  }
  packed.used =
      codec_->encode({text.memory.data(), text.used}, {packed.memory.data(), packed.memory.size()});
}

void text_writer::append(detail::workers& team, const std::byte* records, std::int64_t n) {
  const std::size_t items_max = std::size_t{4} * team.count();
  const auto rows_per_item = rows_at_once(records, n, items_max);
  while (n > 0) {
    const auto rows = std::min(n, static_cast<std::int64_t>(items_max) * rows_per_item);
    const auto items = static_cast<std::size_t>(detail::ceil_div(rows, rows_per_item));
    if (buffers_.size() < items) buffers_.resize(items);
    if (codec_ && packed_.size() < items) packed_.resize(items);
    const auto& written = codec_ ? packed_ : buffers_;
    detail::parallel_chunks(team, items, [&](std::size_t item, unsigned) {
      const std::int64_t first = static_cast<std::int64_t>(item) * rows_per_item;
      format_rows(records + static_cast<std::size_t>(first) * record_bytes_,
                  std::min(rows_per_item, rows - first), buffers_[item]);
      if (codec_) pack(buffers_[item], packed_[item]);
    });
    std::vector<std::int64_t> begins(items + 1, offset_);
    for (std::size_t i = 0; i < items; ++i) {
      begins[i + 1] = begins[i] + static_cast<std::int64_t>(written[i].used);
    }
    detail::parallel_chunks(team, items, [&](std::size_t item, unsigned) {
      file_.write(begins[item], {written[item].memory.data(), written[item].used});
    });
    offset_ = begins[items];
    records += static_cast<std::size_t>(rows) * record_bytes_;
    n -= rows;
  }
}

/// Rows of an item, so that the text of all items is a small part of memory. Reads some records.
std::int64_t text_writer::rows_at_once(const std::byte* records, std::int64_t n,
                                       std::size_t items) const {
  constexpr std::int64_t looked_at = 1024;
  constexpr std::size_t bytes_min = std::size_t{64} << 10, bytes_max = std::size_t{1} << 20;
  const auto step = std::max<std::int64_t>(n / looked_at, 1);
  std::size_t bytes = 0, rows = 0;
  for (std::int64_t i = 0; i < n; i += step, ++rows)
    bytes += text_bytes_max(records + static_cast<std::size_t>(i) * record_bytes_);
  const auto most =
      base::scaled_clamp(memory_.available() / (codec_ ? 16 : 8) / items, bytes_min, bytes_max);
  return std::clamp<std::int64_t>(
      static_cast<std::int64_t>(most * rows / std::max<std::size_t>(bytes, 1)), 1,
      rows_per_item_max);
}

void text_writer::format_rows(const std::byte* records, std::int64_t rows,
                              text_buffer& text) const {
  std::size_t bytes = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    bytes += text_bytes_max(records + static_cast<std::size_t>(i) * record_bytes_);
  }
  if (text.memory.size() < bytes) {
    text.memory.reset();
    text.memory = detail::buffer(memory_, bytes, file_.name() + ": text to be written");
  }
  char* at = text.memory.as<char>();
  for (std::int64_t i = 0; i < rows; ++i) {
    at = format_row(records + static_cast<std::size_t>(i) * record_bytes_, at);
  }
  text.used = static_cast<std::size_t>(at - text.memory.as<char>());
}

void text_writer::close() {
  buffers_.clear();
  packed_.clear();
  if (codec_ && whole_ && offset_ == 0) write_whole("");  // an empty file isn't a compressed one
  file_.commit();
}

}  // namespace pappus::formats
