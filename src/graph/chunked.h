// Elements of an array that lie in a file, cut into chunks which are loaded when somebody needs
// them, and forgotten when their memory is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "graph/pageable.h"
#include "pappus/detail/base/array.h"
#include "regions/box.h"
#include "regions/grid.h"
#include "regions/hyperslab.h"

namespace pappus::graph {

/// May be used by any threads.
class chunked {
 public:
  virtual ~chunked() = default;
  /// Cells of all elements; those at the ends may be smaller than the others.
  virtual const regions::grid& chunks() const noexcept = 0;
  /// Extents of a chunk that isn't at an end. All lie in memory as if they were so large.
  virtual const regions::point& chunk_extents() const noexcept = 0;
  virtual std::size_t element_bytes() const noexcept = 0;
  /// Fills `out`, with room for chunk_extents(): elements in row-major order, those beyond the ends
  /// unspecified. Throws format_error, memory_error.
  virtual void load(const regions::point& chunk, std::byte* out) const = 0;
  /// The most bytes that a load takes besides.
  virtual std::size_t scratch_bytes() const noexcept = 0;
  /// Whether it takes less to read these elements alone than to load their chunks.
  virtual bool reads_alone(const regions::hyperslab& elements) const noexcept = 0;
  /// Does so: the element at a place goes to out + sum of strides[d] * (place[d] - lowest[d]), in
  /// elements.
  virtual void read_alone(const regions::hyperslab& elements, const detail::array_numbers& strides,
                          std::byte* out) const = 0;
  /// They will be read alone soon.
  virtual void announce_alone(const regions::hyperslab& elements) const noexcept = 0;
  /// It will be loaded soon.
  virtual void announce(const regions::point& chunk) const noexcept = 0;
  /// "slide.zarr", for messages.
  virtual const std::string& name() const noexcept = 0;
  /// "zarr 3, blosc lz4, 214 MiB", for explain.
  virtual std::string description() const = 0;
};
using chunked_ptr = std::shared_ptr<const chunked>;

/// Bytes of a chunk in memory.
inline std::size_t chunk_bytes(const chunked& of) noexcept {
  auto bytes = of.element_bytes();
  for (std::size_t d = 0; d < of.chunks().rank(); ++d)
    bytes *= static_cast<std::size_t>(of.chunk_extents()[d]);
  return bytes;
}

/// Elements, and where they are found.
struct wanted_elements {
  chunked_ptr of;
  regions::hyperslab elements;
  bool once = false;  ///< nobody will want their chunks again
  /// Set by take(): where the element of the lowest place lies, and from the place of an element to
  /// its neighbour's in each dimension, in elements. What lies at places that aren't wanted is
  /// unspecified, and may be an element of another place.
  const std::byte* first = nullptr;
  detail::array_numbers strides{};
};

/// Loads chunks, and keeps some of them for the next who wants them. May be used by any threads.
class chunk_store {
 public:
  virtual ~chunk_store() = default;
  /// Finds elements, all that are wanted or none: in their chunk, or copied together from several.
  /// They stay there as long as the lease. Where there is no room it waits for others' leases to
  /// end, and holds nothing meanwhile; who has one waits for no other. Throws format_error, and
  /// memory_error, which names `owner`, where they can't be there together.
  virtual lease_ptr take(std::span<wanted_elements> wanted, std::string_view owner) = 0;
  /// For who has no lease now, and found no room for something else: waits until somebody's has
  /// ended. False: nobody has one, nor had since `seen` was set.
  /// \param seen  what the last call set; 0 before the first one
  /// \param own   leases of the caller's since then that began, and that ended
  virtual bool wait_for_end(std::uint64_t& seen, std::uint64_t own) = 0;
  /// Who can do with less should take no more at a time, so that several threads find room.
  virtual std::size_t lease_max() const noexcept = 0;
  /// Nobody wants chunks of it any more.
  virtual void forget(const chunked& of) noexcept = 0;
};

}  // namespace pappus::graph
