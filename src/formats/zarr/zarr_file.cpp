#include "formats/zarr/zarr_file.h"

#include <algorithm>
#include <span>
#include <utility>

#include "pappus/error.h"

namespace pappus::formats {
namespace {

std::vector<std::int64_t> first_of(const std::vector<std::int64_t>& all, std::size_t n) {
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n)};
}

/// Takes the array's codecs.
chunk_form form_of(zarr_array& array, record_map map) {
  return {std::move(array.codecs), array.chunk, array.item.bytes, array.order, std::move(map)};
}

}  // namespace

zarr_file::zarr_file(const std::string& path, zarr_array array, element_match elements)
    : array_file(path, {elements.extents, first_of(array.chunk, elements.extents.size())},
                 element_of(array.fill, elements.map)),
      array_(std::move(array)),
      decoder_(form_of(array_, std::move(elements.map))) {
  expect_whole_elements(path, array_.shape, array_.chunk, shape().extents.size());
  if (!array_.shards) return;
  per_shard_ = array_.shards->per_shard(array_.chunk);
  shards_ =
      std::make_unique<shard_cache>(*array_.shards, static_cast<std::size_t>(items_of(per_shard_)));
}

array_storage zarr_file::storage() const {
  return {"zarr " + std::to_string(array_.version) + (array_.shards ? " in shards" : ""),
          decoder_.codecs().name()};
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
    const auto read = [&](std::span<std::byte> to) -> std::uint32_t {
      from.file->read(from.offset, to);
      bytes_read_.fetch_add(from.bytes, std::memory_order_relaxed);
      return 0;
    };
    decoder_.load(from.bytes, read, scratch, out);
    return true;
  } catch (const codec_problem& problem) {
    throw format_error(name() + ": chunk " + shape_text({chunk.begin(), chunk.end()}) + " in " +
                       key_of(chunk) + ": " + problem.what() +
                       "; the file is damaged, or was cut off: write it again");
  }
}

void zarr_file::announce(chunk_place chunk) const noexcept {
  try {
    const stored from = find(chunk);
    if (from.file) from.file->announce(from.offset, from.bytes);
  } catch (...) {  // load() will tell
    return;
  }
}

std::size_t zarr_file::open_files_max() const noexcept {
  if (!shards_) return 0;
  const std::size_t most = shards_->most();
  std::size_t shards = 1;
  for (std::size_t d = 0; d < shape().extents.size(); ++d) {
    const std::int64_t extent = array_.shards->extents[d];
    const std::int64_t along = shape().extents[d] / extent + (shape().extents[d] % extent != 0);
    shards = std::min(shards * std::min(static_cast<std::size_t>(along), most), most);
  }
  return shards;
}

}  // namespace pappus::formats
