#include "formats/zarr/zarr_shard.h"

#include <algorithm>

#include "formats/codecs/little_endian.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

constexpr std::size_t shards_max = 64;
constexpr std::size_t index_bytes_max = std::size_t{16} << 20;  // of all that are remembered

std::uint64_t number_at(const std::byte* from, bool big_endian) {
  const std::uint64_t value = little_endian_64(from);
  return big_endian ? __builtin_bswap64(value) : value;
}

}  // namespace

std::size_t shard_index_bytes(const zarr_shards& shards, std::size_t chunks) {
  return shards.index_codecs.bound(chunks * sizeof(shard_range));
}

std::vector<shard_range> parse_shard_index(std::span<const std::byte> stored,
                                           const zarr_shards& shards, std::size_t chunks,
                                           std::int64_t file_bytes) {
  const auto plain = shards.index_codecs.plain_part(stored);
  if (plain.size() != chunks * sizeof(shard_range)) {
    throw codec_problem("shard index: expected " + std::to_string(chunks * sizeof(shard_range)) +
                        " bytes, got " + std::to_string(plain.size()));
  }
  const auto end = static_cast<std::uint64_t>(file_bytes);
  std::vector<shard_range> ranges(chunks);
  for (std::size_t i = 0; i < chunks; ++i) {
    const std::byte* from = plain.data() + i * sizeof(shard_range);
    shard_range& range = ranges[i];
    range = {number_at(from, shards.index_big_endian),
             number_at(from + sizeof range.offset, shards.index_big_endian)};
    if (range.present() && (range.offset > end || range.bytes > end - range.offset)) {
      throw codec_problem("shard index out of range: expected chunks within the shard's " +
                          std::to_string(end) + " bytes, got chunk " + std::to_string(i) +
                          " with " + std::to_string(range.bytes) + " bytes at " +
                          std::to_string(range.offset));
    }
  }
  return ranges;
}

std::size_t shard_cache::most() const noexcept {
  return std::clamp<std::size_t>(index_bytes_max / (chunks_ * sizeof(shard_range)), 1, shards_max);
}

std::shared_ptr<const open_shard> shard_cache::shard(const std::string& path) {
  const auto found = entry_of(path);
  const std::lock_guard hold(found->opening);
  if (!found->shard) found->shard = open(path);
  return found->shard;
}

std::shared_ptr<shard_cache::entry> shard_cache::entry_of(const std::string& path) {
  const std::lock_guard hold(lock_);
  auto& found = entries_[path];
  if (!found) found = std::make_shared<entry>();
  found->asked = ++asked_;
  while (entries_.size() > most()) {
    entries_.erase(std::ranges::min_element(entries_, {},
                                            [](const auto& each) { return each.second->asked; }));
  }
  return found;
}

std::shared_ptr<const open_shard> shard_cache::open(const std::string& path) const {
  auto made = std::make_shared<open_shard>();
  made->file = open_file_if_there(path);
  if (!made->file) return made;
  std::vector<std::byte> stored(shard_index_bytes(shards_, chunks_));
  const std::int64_t before = made->file->bytes() - std::ssize(stored);
  if (before < 0) {
    throw codec_problem("truncated: expected a shard index of " + std::to_string(stored.size()) +
                        " bytes, got a file of " + std::to_string(made->file->bytes()));
  }
  made->file->read(shards_.index_first ? 0 : before, stored);
  made->chunks = parse_shard_index(stored, shards_, chunks_, made->file->bytes());
  return made;
}

}  // namespace pappus::formats
