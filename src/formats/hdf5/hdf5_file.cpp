#include "formats/hdf5/hdf5_file.h"

#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "formats/hdf5/hdf5_filters.h"
#include "pappus/error.h"

namespace pappus::formats {

hdf5_file::hdf5_file(const std::string& name, std::unique_ptr<byte_source> source,
                     hdf5_dataset dataset, hdf5_chunks chunks, element_match elements)
    : array_file(name,
                 {elements.extents,
                  {dataset.chunk.begin(), dataset.chunk.begin() + std::ssize(elements.extents)}},
                 element_of(dataset.fill, elements.map)),
      source_(std::move(source)),
      grid_(dataset.grid()),
      chunks_(std::move(chunks)),
      fetcher_(std::move(dataset.fetcher)),
      whole_are_filtered_(dataset.whole_are_filtered),
      decoder_({codecs_of(dataset.filters, dataset.item.bytes),
                dataset.chunk,
                dataset.item.bytes,
                {},
                std::move(elements.map)}) {
  expect_whole_elements(name, dataset.shape, dataset.chunk, shape().extents.size());
}

array_storage hdf5_file::storage() const {
  return {"hdf5", decoder_.codecs().name(), source_->bytes()};
}

bool hdf5_file::load(chunk_place chunk, detail::memory_source& scratch, std::byte* out) const {
  const auto fail = [&](const std::string& what) {
    throw format_error(
        fmt::format("{}: chunk {}: {}", name(), shape_text({chunk.begin(), chunk.end()}), what));
  };
  try {
    return fetcher_ ? load_fetched(chunk, scratch, out) : load_found(chunk, scratch, out);
  } catch (const codec_problem& problem) {
    fail(problem.what() + std::string("; the file is damaged, or was cut off: write it again"));
  } catch (const hdf5_problem& problem) {
    fail(problem.what());
  }
  return false;
}

bool hdf5_file::load_found(chunk_place chunk, detail::memory_source& scratch,
                           std::byte* out) const {
  const hdf5_chunk* const found = chunks_.find(grid_.number_of(chunk));
  if (found == nullptr) return false;
  const auto read = [&](std::span<std::byte> to) {
    source_->read(found->offset, to);
    bytes_read_.fetch_add(found->bytes, std::memory_order_relaxed);
    return skipped(chunk, found->skipped);
  };
  decoder_.load(found->bytes, read, scratch, out);
  return true;
}

bool hdf5_file::load_fetched(chunk_place chunk, detail::memory_source& scratch,
                             std::byte* out) const {
  std::vector<std::int64_t> first(grid_.extents.size());
  for (std::size_t d = 0; d < chunk.size() && d < first.size(); ++d)
    first[d] = chunk[d] * grid_.chunk[d];
  const std::int64_t bytes = fetcher_->stored_bytes(first);
  if (bytes == 0) return false;
  const auto read = [&](std::span<std::byte> to) {
    const std::uint32_t told = fetcher_->fetch(first, to);
    bytes_read_.fetch_add(bytes, std::memory_order_relaxed);
    return skipped(chunk, told);
  };
  decoder_.load(bytes, read, scratch, out);
  return true;
}

std::uint32_t hdf5_file::skipped(chunk_place chunk, std::uint32_t told) const {
  if (!whole_are_filtered_) return told;
  for (std::size_t d = 0; d < chunk.size() && d < grid_.extents.size(); ++d)
    if ((chunk[d] + 1) * grid_.chunk[d] > grid_.extents[d]) return ~std::uint32_t{0};
  return told;
}

void hdf5_file::announce(chunk_place chunk) const noexcept {
  if (fetcher_) return;  // nobody knows where it lies
  const hdf5_chunk* const found = chunks_.find(grid_.number_of(chunk));
  if (found != nullptr) source_->announce(found->offset, found->bytes);
}

}  // namespace pappus::formats
