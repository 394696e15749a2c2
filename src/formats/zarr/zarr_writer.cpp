#include "formats/zarr/zarr_writer.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "formats/transfer.h"
#include "formats/zarr/zarr_shard.h"
#include "formats/zarr/zarr_store.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

using extent_list = std::vector<std::int64_t>;

constexpr std::string_view writing = "chunks that are written";

base::atomic_folder make_folder(const zarr_plan& plan) {
  make_zarr_groups(plan.path, plan.version());
  try {
    return base::atomic_folder(plan.path);
  } catch (const base::file_problem& problem) {
    throw format_error(plan.path + ": " + problem.what());
  }
}

/// The file of a chunk, below the array's folder.
std::string key_of(const zarr_plan& plan, chunk_place chunk) {
  std::string key = plan.version() == 3 ? "c" : "";
  for (const std::int64_t at : chunk) key += (key.empty() ? "" : "/") + std::to_string(at);
  for (std::size_t d = 0; d < plan.elements.extents.size(); ++d) key += "/0";
  return key;
}

/// Steps to the next place of a grid in row-major order; false behind the last.
bool step(extent_list& place, const extent_list& extents) {
  for (std::size_t d = place.size(); d-- > 0;) {
    if (++place[d] < extents[d]) return true;
    place[d] = 0;
  }
  return false;
}

std::int64_t product(const extent_list& extents) {
  std::int64_t all = 1;
  for (const std::int64_t extent : extents) all *= extent;
  return all;
}

}  // namespace

zarr_writer::zarr_writer(zarr_plan plan)
    : array_writer({plan.extents, plan.shard.empty() ? plan.chunk : plan.shard}),
      plan_(std::move(plan)),
      chunk_bytes_(static_cast<std::size_t>(product(plan_.chunk)) * plan_.elements.map.file_bytes),
      folder_(make_folder(plan_)) {
  codecs_.add(make_codec(plan_.codec, plan_.scalar_bytes()));
  index_codecs_.add(make_crc32c());
}

template <typename Put>
void zarr_writer::write(chunk_place chunk, Put&& put) {
  const std::string key = key_of(plan_, chunk);
  const auto fail = [&](const std::string& what) {
    throw format_error(plan_.path + ": chunk " + shape_text({chunk.begin(), chunk.end()}) + ": " +
                       what);
  };
  try {
    base::atomic_file file(folder_.path() / key, base::atomic_file::folder::made);
    put(file);
    file.commit();
  } catch (const base::file_problem& problem) {
    fail(problem.what());
  } catch (const codec_problem& problem) {
    fail(problem.what());
  }
}

void zarr_writer::put(chunk_place chunk, detail::memory_source& scratch,
                      const std::byte* elements) {
  extent_list box;
  for (std::size_t d = 0; d < chunk.size(); ++d) {
    const std::int64_t whole = shape().chunk[d];
    box.push_back(std::min(whole, shape().extents[d] - chunk[d] * whole));
  }
  write(chunk, [&](base::atomic_file& file) {
    if (!plan_.shard.empty()) return put_shard(file, elements, box, scratch);
    detail::buffer plain;
    const part all{elements, box, extent_list(box.size(), 0), box};
    const auto encoded = encode(all, scratch, plain);
    file.append(encoded.bytes);
  });
}

codec_chain::encoded zarr_writer::encode(const part& from, detail::memory_source& scratch,
                                         detail::buffer& plain) const {
  const bool as_it_is =
      from.box == plan_.chunk && from.extents == plan_.chunk && plan_.elements.map.verbatim();
  std::span<const std::byte> bytes(from.elements, chunk_bytes_);
  if (!as_it_is) {
    if (plain.size() == 0) plain = detail::buffer(scratch, chunk_bytes_, writing);
    pack(from, plain.data());
    bytes = {plain.data(), plain.size()};
  }
  return codecs_.encode(bytes, scratch, writing);
}

/// Puts the elements into a whole chunk, whose other elements become 0.
void zarr_writer::pack(const part& from, std::byte* to) const {
  const record_map& map = plan_.elements.map;
  if (from.extents != plan_.chunk) std::memset(to, 0, chunk_bytes_);
  extent_list rows = from.extents, at(rows.size(), 0);
  rows.back() = 1;
  do {
    std::int64_t there = 0, here = 0;  // places in the box and the chunk
    for (std::size_t d = 0; d < at.size(); ++d) {
      there = there * from.box[d] + from.first[d] + at[d];
      here = here * plan_.chunk[d] + at[d];
    }
    store_records(map, from.elements + static_cast<std::size_t>(there) * map.record_bytes,
                  to + static_cast<std::size_t>(here) * map.file_bytes, from.extents.back());
  } while (step(at, rows));
}

void zarr_writer::put_shard(base::atomic_file& file, const std::byte* elements,
                            const extent_list& box, detail::memory_source& scratch) const {
  extent_list chunks;
  for (std::size_t d = 0; d < box.size(); ++d) chunks.push_back(plan_.shard[d] / plan_.chunk[d]);
  std::vector<shard_range> index;
  std::uint64_t offset = 0;
  detail::buffer plain;
  extent_list place(box.size(), 0);
  do {
    part from{elements, box, {}, {}};
    for (std::size_t d = 0; d < box.size(); ++d) {
      from.first.push_back(place[d] * plan_.chunk[d]);
      from.extents.push_back(std::min(plan_.chunk[d], box[d] - from.first[d]));
    }
    index.emplace_back();
    if (std::ranges::min(from.extents) < 1) continue;  // beyond the array
    const auto encoded = encode(from, scratch, plain);
    file.append(encoded.bytes);
    index.back() = {offset, encoded.bytes.size()};
    offset += encoded.bytes.size();
  } while (step(place, chunks));
  const auto encoded = index_codecs_.encode(std::as_bytes(std::span(index)), scratch, writing);
  file.append(encoded.bytes);
}

void zarr_writer::close() {
  try {
    base::atomic_file file(folder_.path() / plan_.metadata_name());
    file.append(plan_.metadata());
    file.commit();
    folder_.commit();
  } catch (const base::file_problem& problem) {
    throw format_error(plan_.path + ": " + problem.what());
  }
}

}  // namespace pappus::formats
