#include "formats/hdf5/hdf5.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "formats/array_type.h"
#include "formats/byte_source.h"
#include "formats/hdf5/hdf5_area.h"
#include "formats/hdf5/hdf5_dataset.h"
#include "formats/hdf5/hdf5_file.h"
#include "formats/hdf5/hdf5_layout.h"
#include "formats/row_chunks.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

using detail::cell;
using detail::record_layout;

/// Truths are numbers of a byte, unless the record has a bool for them.
void match_truths(hdf5_dataset& dataset, const record_layout& layout) {
  for (std::size_t i = 0; i < dataset.truths.size(); ++i) {
    if (!dataset.truths[i]) continue;
    npy_field& field = dataset.item.fields[i];
    const bool by_name = dataset.item.structured && is_named(layout);
    const auto wants_bool = [&](const detail::column_binding& column) {
      return column.type == cell::boolean && (!by_name || column.name == field.name);
    };
    if (std::ranges::any_of(layout.columns, wants_bool)) field.type = cell::boolean;
  }
}

/// An item that is an array may have a fill value that differs from one scalar to the next, which
/// an element of fewer can't have.
void check_fill(const hdf5_dataset& dataset, std::size_t element_bytes) {
  const auto& fill = dataset.fill;
  const auto item = fill.begin() + static_cast<std::ptrdiff_t>(dataset.item.bytes);
  const bool repeats = std::equal(item, fill.end(), fill.begin());
  if (element_bytes >= fill.size() || repeats) return;
  throw hdf5_problem(fmt::format(
      "expected a fill value of equal items, got one of {} bytes that aren't; open it as "
      "an array of elements that have it whole",
      fill.size()));
}

std::unique_ptr<array_file> open_piece(const std::string& name, std::unique_ptr<byte_source> source,
                                       hdf5_dataset dataset, const hdf5_layout& layout,
                                       element_match elements) {
  if (layout.stored) {
    const std::int64_t offset = dataset.addresses.place(*source, layout.address, 0, "its elements");
    return open_element_file(std::move(source), {"hdf5", offset, std::move(elements), false, name});
  }
  // Nothing was written: all chunks of whole rows are missing.
  dataset.chunk = row_chunk(elements.extents, elements.map.file_bytes);
  const auto rest = dataset.shape.begin() + std::ssize(dataset.chunk);
  dataset.chunk.insert(dataset.chunk.end(), rest, dataset.shape.end());
  return std::make_unique<hdf5_file>(name, std::move(source), std::move(dataset), hdf5_chunks{},
                                     std::move(elements));
}

/// Chunks of which the library told lie within the file.
void check_chunks(const byte_source& source, const hdf5_addresses& addresses,
                  const hdf5_chunks& chunks) {
  for (const hdf5_chunk& chunk : chunks.all())
    addresses.place(source, static_cast<std::uint64_t>(chunk.offset),
                    static_cast<std::uint64_t>(chunk.bytes),
                    fmt::format("chunk number {}", chunk.number));
}

hdf5_chunks chunks_of(const byte_source& source, const hdf5_dataset& dataset,
                      const hdf5_layout& layout) {
  if (dataset.chunks) {
    check_chunks(source, dataset.addresses, *dataset.chunks);
    return *dataset.chunks;
  }
  if (dataset.fetcher || !layout.stored) return {};
  return read_hdf5_btree(source, dataset.addresses, layout.address, dataset.grid());
}

}  // namespace

hdf5_grid hdf5_dataset::grid() const {
  const auto rank = static_cast<std::ptrdiff_t>(grid_rank);
  const auto first_of = [&](const std::vector<std::int64_t>& all) {
    return std::vector<std::int64_t>(all.begin(), all.begin() + std::min(rank, std::ssize(all)));
  };
  return {first_of(shape), first_of(chunk)};
}

std::unique_ptr<array_file> open_hdf5(const std::string& path, const record_layout& layout,
                                      std::size_t rank) {
  const array_path parts(path);
  hdf5_dataset dataset = describe_hdf5(parts);
  match_truths(dataset, layout);
  auto elements = match_elements(path, dataset.item, dataset.shape, layout, rank);
  auto source = open_file(parts.file);
  try {
    check_fill(dataset, elements.map.file_bytes);
    const auto where = read_hdf5_layout(*source, dataset.addresses, dataset.header);
    if (dataset.chunk.empty())
      return open_piece(path, std::move(source), std::move(dataset), where, std::move(elements));
    auto chunks = chunks_of(*source, dataset, where);
    return std::make_unique<hdf5_file>(path, std::move(source), std::move(dataset),
                                       std::move(chunks), std::move(elements));
  } catch (const hdf5_problem& problem) {
    throw format_error(path + ": " + problem.what());
  }
}

}  // namespace pappus::formats
