// What libhdf5 tells of a dataset.
//
// The library isn't asked for elements: its calls come one after another in a process, decoding
// included, while we decode chunks on all threads (hdf5_file.h). Only where chunks have an index
// that nobody else reads, and are many, it brings their stored bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/array_path.h"
#include "formats/hdf5/hdf5_area.h"
#include "formats/hdf5/hdf5_chunks.h"
#include "formats/item_match.h"

namespace pappus::formats {

/// What elements of chunks pass when they are written.
struct hdf5_filter {
  std::uint32_t id = 0;
  std::string name;  ///< as the file spells it; may be empty
  std::vector<unsigned> parameters;
};

/// Chunks whose stored bytes libhdf5 brings. May be used by any threads, one at a time.
class hdf5_fetcher {
 public:
  virtual ~hdf5_fetcher() = default;
  /// The bytes that a chunk takes; 0: it isn't stored. Throws hdf5_problem.
  /// \param first  the place of its first item
  virtual std::int64_t stored_bytes(std::span<const std::int64_t> first) const = 0;
  /// Fills `out`, which has that many bytes, and returns the filters that were skipped. Throws
  /// hdf5_problem.
  virtual std::uint32_t fetch(std::span<const std::int64_t> first,
                              std::span<std::byte> out) const = 0;
};

struct hdf5_dataset {
  array_item item;
  std::vector<bool> truths;         ///< fields that are false or true, as h5py writes bools
  std::vector<std::int64_t> shape;  ///< of items; that of an item which is an array comes last
  std::vector<std::int64_t> chunk;  ///< of as many dimensions; empty: elements lie in one piece
  std::size_t grid_rank = 0;        ///< dimensions of the dataset itself, which come first
  std::vector<std::byte> fill;      ///< the item of chunks that aren't stored, as in the file
  std::vector<hdf5_filter> filters;
  bool whole_are_filtered = false;  ///< those alone that don't reach beyond the extents
  hdf5_addresses addresses;
  std::uint64_t header = 0;  ///< the address of the dataset's object header
  /// Where chunks have no B-tree of version 1: their places if they are few, else who brings them.
  std::optional<hdf5_chunks> chunks;
  std::shared_ptr<const hdf5_fetcher> fetcher;

  hdf5_grid grid() const;
};

/// Opens the file and looks at what is named within it. Throws format_error for what isn't a
/// dataset, listing those there are, and for all that can't be read: elements in other files,
/// text and references, damaged metadata.
hdf5_dataset describe_hdf5(const array_path& path);

}  // namespace pappus::formats
