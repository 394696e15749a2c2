// What a file format offers for arrays: elements of a fixed size in some dimensions, cut into
// chunks that are read, and written, one by one from any thread.
//
// Opening reads what describes the array, never elements. Dimensions are those of the array that
// the user opens: where its elements take up the last dimensions of the file's (a pixel those of
// red, green and blue), these aren't counted, and every chunk has them whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pappus/detail/base/memory.h"

namespace pappus::formats {

/// Numbers of elements along the dimensions, the slowest first.
struct array_shape {
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> chunk;  ///< at least 1 each; at the ends chunks reach beyond
};

/// A chunk's place among the chunks: from 0 in each dimension.
using chunk_place = std::span<const std::int64_t>;

/// The elements at low[d] + k·steps[d] < high[d]; in the last dimension the step is 1.
struct hyperslab {
  chunk_place low, high, steps;

  std::int64_t count(std::size_t dimension) const noexcept {
    return (high[dimension] - low[dimension] - 1) / steps[dimension] + 1;
  }
};

/// Where the chunks' bytes come from, in words for explain and messages.
struct array_storage {
  std::string kind;         ///< "npy", "zarr 3"
  std::string codec;        ///< "blosc lz4", "gzip"; empty: elements lie in the file as they are
  std::int64_t bytes = -1;  ///< that the file takes; -1: it isn't known
};

/// May be used by any threads.
class array_file {
 public:
  array_file(std::string name, array_shape shape, std::vector<std::byte> fill)
      : name_(std::move(name)), shape_(std::move(shape)), fill_(std::move(fill)) {}
  virtual ~array_file() = default;
  array_file(const array_file&) = delete;
  array_file& operator=(const array_file&) = delete;

  /// As the user gave it, for messages.
  const std::string& name() const noexcept { return name_; }
  const array_shape& shape() const noexcept { return shape_; }
  std::size_t element_bytes() const noexcept { return fill_.size(); }
  /// The element that stands in chunks that the file hasn't.
  std::span<const std::byte> fill() const noexcept { return fill_; }
  virtual array_storage storage() const = 0;
  /// Bytes of files that were read so far.
  virtual std::int64_t bytes_read() const noexcept = 0;

  /// Reads and decodes a chunk: its elements in row-major order, as they lie in memory. Those
  /// beyond the array's extents are unspecified. Throws format_error, which names the file and the
  /// chunk's place, and what memory_source throws.
  /// \param out      room for all elements of a chunk
  /// \param scratch  where memory for bytes that are to be decoded comes from
  /// \return false: the file hasn't the chunk, nothing was done
  virtual bool load(chunk_place chunk, detail::memory_source& scratch, std::byte* out) const = 0;
  /// Whether it takes less to read these elements alone than to load their chunks.
  virtual bool reads_alone(const hyperslab&) const noexcept { return false; }
  /// Does so. Throws as load() does.
  /// \param strides  the element at a place goes to out + sum of strides[d] * (place[d] - low[d]),
  ///                 in elements; without gaps behind the last dimension that has a step
  virtual void read_alone(const hyperslab&, [[maybe_unused]] std::span<const std::int64_t> strides,
                          [[maybe_unused]] std::byte* out) const {}
  /// They will be read alone soon; as announce().
  virtual void announce_alone(const hyperslab&) const noexcept {}
  /// The chunk will be loaded soon: the system may begin to read it. Never blocks for long, and
  /// ignores whatever goes wrong.
  virtual void announce(chunk_place) const noexcept {}
  /// The most files that it keeps open while nobody loads.
  virtual std::size_t open_files_max() const noexcept { return 1; }
  /// The most bytes that one load takes from `scratch`, as far as it can be told.
  virtual std::size_t scratch_bytes() const noexcept = 0;

 private:
  std::string name_;
  array_shape shape_;
  std::vector<std::byte> fill_;
};

/// Writes an array to a file, or folder, that appears under its name in close(). One that is
/// destroyed before leaves no trace.
class array_writer {
 public:
  explicit array_writer(array_shape shape) : shape_(std::move(shape)) {}
  virtual ~array_writer() = default;
  array_writer(const array_writer&) = delete;
  array_writer& operator=(const array_writer&) = delete;

  /// `chunk` is what is put at a time.
  const array_shape& shape() const noexcept { return shape_; }

  /// The elements of one chunk that lie within the extents, in row-major order. Each chunk is put
  /// once, by any thread. Throws format_error and what memory_source throws.
  virtual void put(chunk_place chunk, detail::memory_source& scratch,
                   const std::byte* elements) = 0;
  /// Completes the file and puts it in place of an older one. Nothing may be put afterwards.
  virtual void close() = 0;

 private:
  array_shape shape_;
};

/// How an array is to be written; what a format doesn't know it refuses.
struct array_options {
  std::vector<std::int64_t> chunk{};  ///< empty: the format's choice
  std::vector<std::int64_t> shard{};  ///< extents that are written as one file; empty: no shards
  std::string codec{};  ///< "zstd", "gzip:9", "blosc:lz4:5"; empty: the format's own choice
};

}  // namespace pappus::formats
