#include "formats/zarr/zarr_file.h"

#include <span>
#include <utility>

#include "formats/row_major.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

constexpr std::string_view owner = "chunks of a file";

std::vector<std::byte> fill_element(const zarr_array& array, const record_map& map) {
  std::vector<std::byte> items, element(map.record_bytes);
  while (items.size() < map.file_bytes) {
    items.insert(items.end(), array.fill.begin(), array.fill.end());
  }
  load_records(map, items.data(), element.data(), 1);
  return element;
}

std::vector<std::int64_t> first_of(const std::vector<std::int64_t>& all, std::size_t n) {
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n)};
}

/// Stored bytes that are this many can't be what a codec made of a chunk.
std::size_t most_stored(std::size_t bound) { return 2 * bound + (std::size_t{1} << 20); }

}  // namespace

zarr_file::zarr_file(const std::string& path, zarr_array array, element_match elements)
    : array_file(path, {elements.extents, first_of(array.chunk, elements.extents.size())},
                 fill_element(array, elements.map)),
      array_(std::move(array)),
      map_(std::move(elements.map)),
      elements_(items_of(shape().chunk)),
      plain_bytes_(static_cast<std::size_t>(items_of(array_.chunk)) * array_.item.bytes) {
  for (std::size_t d = shape().extents.size(); d < array_.shape.size(); ++d) {
    if (array_.chunk[d] == array_.shape[d]) continue;
    throw format_error(
        path + ": expected chunks that have elements whole, got chunks of " +
        shape_text(array_.chunk) + " of an array of shape " + shape_text(array_.shape) +
        ", whose last " + std::to_string(array_.shape.size() - shape().extents.size()) +
        " are part of an element; write it with chunks of all " + std::to_string(array_.shape[d]) +
        " there, or open it as an array of " + std::to_string(array_.shape.size()) + " dimensions");
  }
  if (!array_.shards) return;
  per_shard_ = array_.shards->per_shard(array_.chunk);
  shards_ =
      std::make_unique<shard_cache>(*array_.shards, static_cast<std::size_t>(items_of(per_shard_)));
}

array_storage zarr_file::storage() const {
  return {"zarr " + std::to_string(array_.version) + (array_.shards ? " in shards" : ""),
          array_.codecs.name()};
}

std::string zarr_file::key_of(chunk_place chunk) const {
  std::vector<std::int64_t> place(chunk.begin(), chunk.end());
  for (std::size_t d = 0; d < place.size() && shards_; ++d) place[d] /= per_shard_[d];
  place.resize(array_.shape.size());  // elements lie in the first chunk of further dimensions
  return array_.key(place);
}

zarr_file::stored zarr_file::find(chunk_place chunk) const {
  const std::string path = name() + '/' + key_of(chunk);
  if (!shards_) {
    std::shared_ptr<const byte_source> file = open_file_if_there(path);
    const std::int64_t bytes = file ? file->bytes() : 0;
    return {std::move(file), 0, bytes};
  }
  const auto shard = shards_->shard(path);
  if (!shard->file) return {};
  std::size_t at = 0;
  for (std::size_t d = 0; d < per_shard_.size(); ++d) {
    const std::int64_t place = d < chunk.size() ? chunk[d] % per_shard_[d] : 0;
    at = at * static_cast<std::size_t>(per_shard_[d]) + static_cast<std::size_t>(place);
  }
  const shard_range range = shard->chunks[at];
  if (!range.present()) return {};
  return {shard->file, static_cast<std::int64_t>(range.offset),
          static_cast<std::int64_t>(range.bytes)};
}

bool zarr_file::load(chunk_place chunk, detail::memory_source& scratch, std::byte* out) const {
  try {
    const stored from = find(chunk);
    if (!from.file) return false;
    decode(from, scratch, out);
    return true;
  } catch (const codec_problem& problem) {
    throw format_error(name() + ": chunk " + shape_text({chunk.begin(), chunk.end()}) + " in " +
                       key_of(chunk) + ": " + problem.what() +
                       "; the file is damaged, or was cut off: write it again");
  }
}

void zarr_file::decode(const stored& from, detail::memory_source& scratch, std::byte* out) const {
  const bool in_order = array_.order.empty(), as_they_are = map_.verbatim();
  if (in_order && as_they_are) return read_plain(from, scratch, out);
  const detail::buffer plain(scratch, plain_bytes_, owner);
  read_plain(from, scratch, plain.data());
  if (in_order) return load_records(map_, plain.data(), out, elements_);
  const detail::buffer ordered(scratch, as_they_are ? 0 : plain_bytes_, owner);
  std::byte* const items = as_they_are ? out : ordered.data();
  to_row_major(plain.data(), items, array_.chunk, array_.chunk, array_.order, array_.item.bytes);
  if (!as_they_are) load_records(map_, items, out, elements_);
}

void zarr_file::read_plain(const stored& from, detail::memory_source& scratch,
                           std::byte* plain) const {
  const auto bytes = static_cast<std::size_t>(from.bytes);
  const std::span<std::byte> to(plain, plain_bytes_);
  if (array_.codecs.empty()) {
    if (bytes != plain_bytes_) {
      throw codec_problem("expected " + std::to_string(plain_bytes_) + " bytes, got " +
                          std::to_string(bytes));
    }
    from.file->read(from.offset, to);
    bytes_read_.fetch_add(from.bytes, std::memory_order_relaxed);
    return;
  }
  const std::size_t most = most_stored(array_.codecs.bound(plain_bytes_));
  if (bytes > most) {
    throw codec_problem("expected at most " + std::to_string(most) + " bytes, got " +
                        std::to_string(bytes));
  }
  const detail::buffer read(scratch, bytes, owner);
  const std::span<std::byte> all(read.data(), read.size());
  from.file->read(from.offset, all);
  bytes_read_.fetch_add(from.bytes, std::memory_order_relaxed);
  array_.codecs.decode(all, scratch, owner, to);
}

void zarr_file::announce(chunk_place chunk) const noexcept {
  try {
    const stored from = find(chunk);
    if (from.file) from.file->announce(from.offset, from.bytes);
  } catch (...) {  // load() will tell
    return;
  }
}

std::size_t zarr_file::scratch_bytes() const noexcept {
  const bool in_order = array_.order.empty(), as_they_are = map_.verbatim();
  std::size_t bytes = 0;
  if (!array_.codecs.empty()) {
    bytes = array_.codecs.bound(plain_bytes_) + array_.codecs.scratch_bytes(plain_bytes_);
  }
  if (!in_order || !as_they_are) bytes += plain_bytes_;
  if (!in_order && !as_they_are) bytes += plain_bytes_;
  return bytes;
}

}  // namespace pappus::formats
