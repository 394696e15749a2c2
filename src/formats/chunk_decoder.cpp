#include "formats/chunk_decoder.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "formats/array_type.h"
#include "formats/row_major.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

constexpr std::string_view owner = "chunks of a file";

/// Stored bytes that are this many can't be what a codec made of a chunk.
std::size_t most_stored(std::size_t bound) { return 2 * bound + (std::size_t{1} << 20); }

}  // namespace

chunk_decoder::chunk_decoder(chunk_form form) : form_(std::move(form)) {
  plain_bytes_ = form_.item_bytes;
  for (const std::int64_t extent : form_.chunk) plain_bytes_ *= static_cast<std::size_t>(extent);
  elements_ = static_cast<std::int64_t>(plain_bytes_ / form_.map.file_bytes);
}

void chunk_decoder::load(std::int64_t bytes, const reader& read, detail::memory_source& scratch,
                         std::byte* out) const {
  const bool in_order = form_.order.empty(), as_they_are = form_.map.verbatim();
  const auto stored_bytes = static_cast<std::size_t>(bytes);
  if (in_order && as_they_are) return load_plain(stored_bytes, read, scratch, out);
  const detail::buffer plain(scratch, plain_bytes_, owner);
  load_plain(stored_bytes, read, scratch, plain.data());
  if (in_order) return load_records(form_.map, plain.data(), out, elements_);
  const detail::buffer ordered(scratch, as_they_are ? 0 : plain_bytes_, owner);
  std::byte* const items = as_they_are ? out : ordered.data();
  to_row_major(plain.data(), items, form_.chunk, form_.chunk, form_.order, form_.item_bytes);
  if (!as_they_are) load_records(form_.map, items, out, elements_);
}

void chunk_decoder::load_plain(std::size_t bytes, const reader& read,
                               detail::memory_source& scratch, std::byte* plain) const {
  const std::span<std::byte> to(plain, plain_bytes_);
  if (form_.codecs.empty()) {
    if (bytes != plain_bytes_)
      throw codec_problem(fmt::format("expected {} bytes, got {}", plain_bytes_, bytes));
    read(to);
    return;
  }
  const std::size_t most = most_stored(form_.codecs.bound(plain_bytes_));
  if (bytes > most)
    throw codec_problem(fmt::format("expected at most {} bytes, got {}", most, bytes));
  const detail::buffer stored(scratch, bytes, owner);
  const std::span<std::byte> all(stored.data(), stored.size());
  const std::uint32_t skipped = read(all);
  form_.codecs.decode(all, scratch, owner, to, skipped);
}

std::size_t chunk_decoder::scratch_bytes() const noexcept {
  const bool in_order = form_.order.empty(), as_they_are = form_.map.verbatim();
  std::size_t bytes = 0;
  if (!form_.codecs.empty())
    bytes = form_.codecs.bound(plain_bytes_) + form_.codecs.scratch_bytes(plain_bytes_);
  if (!in_order || !as_they_are) bytes += plain_bytes_;
  if (!in_order && !as_they_are) bytes += plain_bytes_;
  return bytes;
}

std::vector<std::byte> element_of(std::span<const std::byte> item, const record_map& map) {
  std::vector<std::byte> items, element(map.record_bytes);
  while (items.size() < map.file_bytes) items.insert(items.end(), item.begin(), item.end());
  load_records(map, items.data(), element.data(), 1);
  return element;
}

void expect_whole_elements(const std::string& file, const std::vector<std::int64_t>& shape,
                           const std::vector<std::int64_t>& chunk, std::size_t rank) {
  for (std::size_t d = rank; d < shape.size(); ++d) {
    if (chunk[d] == shape[d]) continue;
    throw format_error(fmt::format(
        "{}: expected chunks that have elements whole, got chunks of {} of an array of shape {}, "
        "whose last {} are part of an element; write it with chunks of all {} there, or open it as "
        "an array of {} dimensions",
        file, shape_text(chunk), shape_text(shape), shape.size() - rank, shape[d], shape.size()));
  }
}

}  // namespace pappus::formats
