#include "formats/row_chunks.h"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "formats/row_major.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

constexpr std::int64_t chunk_bytes_wanted = 1 << 20;

/// Elements one after another: a chunk's in the file.
struct stretch {
  std::int64_t first = 0, count = 1;
};

/// \param extents, chunk, place  the dimension whose elements lie one after another last
stretch stretch_of(std::span<const std::int64_t> extents, std::span<const std::int64_t> chunk,
                   std::span<const std::int64_t> place) {
  stretch result;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const auto low = place[d] * chunk[d];
    result.first = result.first * extents[d] + low;
    result.count *= std::min(chunk[d], extents[d] - low);
  }
  return result;
}

std::vector<std::int64_t> reversed(std::span<const std::int64_t> of) {
  return {of.rbegin(), of.rend()};
}

/// The shape in which elements are handed out.
array_shape shape_of(const element_file& what) {
  const auto& extents = what.elements.extents;
  if (!what.fortran_order) return {extents, row_chunk(extents, what.elements.map.file_bytes)};
  return {extents, reversed(row_chunk(reversed(extents), what.elements.map.file_bytes))};
}

class element_array final : public array_file {
 public:
  element_array(std::unique_ptr<byte_source> source, element_file what)
      : array_file(what.name.empty() ? source->name() : what.name, shape_of(what),
                   std::vector<std::byte>(what.elements.map.record_bytes)),
        source_(std::move(source)),
        what_(std::move(what)) {
    std::int64_t elements = 1;
    for (const auto extent : shape().extents) elements *= extent;
    const auto there = source_->bytes() - what_.offset;
    if (elements * file_bytes() > there)
      throw format_error(
          fmt::format("{}: truncated: expected {} elements of {} bytes, got {} bytes", name(),
                      elements, file_bytes(), there));
  }

  array_storage storage() const override { return {what_.kind, "", source_->bytes()}; }
  std::int64_t bytes_read() const noexcept override { return source_->bytes_read(); }

  bool load(chunk_place chunk, detail::memory_source& scratch, std::byte* out) const override {
    const auto [first, count] = where(chunk);
    const auto& map = what_.elements.map;
    const auto bytes = static_cast<std::size_t>(count * file_bytes());
    const auto offset = what_.offset + first * file_bytes();
    if (map.verbatim() && !what_.fortran_order) {
      source_->read(offset, {out, bytes});
      return true;
    }
    const detail::buffer stored(scratch, bytes, name());
    source_->read(offset, {stored.data(), bytes});
    if (!what_.fortran_order)
      load_records(map, stored.data(), out, count);
    else
      load_transposed(chunk, count, stored.data(), scratch, out);
    return true;
  }

  bool reads_alone(const hyperslab& elements) const noexcept override {
    return what_.elements.map.verbatim() && !what_.fortran_order &&
           pays(elements, rows_of(elements));
  }

  void read_alone(const hyperslab& elements, std::span<const std::int64_t> strides,
                  std::byte* out) const override {
    each_stretch(
        elements, [&](std::span<const std::int64_t> at, std::int64_t offset, std::int64_t bytes) {
          std::int64_t to = 0;
          for (std::size_t d = 0; d < at.size(); ++d) to += strides[d] * (at[d] - elements.low[d]);
          source_->read(offset, {out + to * file_bytes(), static_cast<std::size_t>(bytes)});
        });
  }

  /// Stretches that lie near each other are announced together, gaps included.
  void announce_alone(const hyperslab& elements) const noexcept override try {
    constexpr std::int64_t near = 16 << 10;
    std::int64_t begin = 0, end = 0;
    each_stretch(elements,
                 [&](std::span<const std::int64_t>, std::int64_t offset, std::int64_t bytes) {
                   if (end > begin && offset - end > near) {
                     source_->announce(begin, end - begin);
                     begin = end;
                   }
                   if (end == begin) begin = offset;
                   end = offset + bytes;
                 });
    source_->announce(begin, end - begin);
  } catch (...) {  // whoever reads them will tell
  }

  void announce(chunk_place chunk) const noexcept override {
    const auto [first, count] = where(chunk);
    source_->announce(what_.offset + first * file_bytes(), count * file_bytes());
  }

  std::size_t scratch_bytes() const noexcept override {
    const auto& map = what_.elements.map;
    if (map.verbatim() && !what_.fortran_order) return 0;
    std::size_t elements = 1;
    for (const auto extent : shape().chunk) elements *= static_cast<std::size_t>(extent);
    return elements * (map.file_bytes + (map.verbatim() ? 0 : map.record_bytes));
  }

 private:
  std::int64_t file_bytes() const noexcept {
    return static_cast<std::int64_t>(what_.elements.map.file_bytes);
  }

  /// Elements that lie one after another, and how many times there are so many.
  struct rows {
    std::size_t dimension = 0;  ///< the slowest along which they do
    std::int64_t elements = 1, count = 1;
  };
  rows rows_of(const hyperslab& of) const noexcept {
    rows result{of.low.size(), 1, 1};
    bool whole = true;  // so are all dimensions behind this one
    for (auto d = of.low.size(); d-- > 0;) {
      const auto extent = of.count(d);
      whole = whole && of.steps[d] == 1;
      (whole ? result.elements : result.count) *= extent;
      if (whole) result.dimension = d;
      whole = whole && extent == shape().extents[d];
    }
    return result;
  }

  /// Calls f(place of the first element, its offset in the file, bytes) for each of these rows.
  template <typename F>
  void each_stretch(const hyperslab& of, F&& f) const {
    const auto rows = rows_of(of);
    std::vector<std::int64_t> at(of.low.begin(), of.low.end());
    for (std::int64_t n = 0; n < rows.count; ++n) {
      std::int64_t first = 0;
      for (std::size_t d = 0; d < at.size(); ++d) first = first * shape().extents[d] + at[d];
      f(at, what_.offset + first * file_bytes(), rows.elements * file_bytes());
      for (auto d = rows.dimension; d-- > 0;) {
        at[d] += of.steps[d];
        if (at[d] < of.high[d]) break;
        at[d] = of.low[d];
      }
    }
  }

  /// Whether it takes less than to read their chunks, and to copy the elements where there are
  /// several: a call costs about what it takes to copy 4 KiB.
  bool pays(const hyperslab& elements, const rows& of) const noexcept {
    constexpr std::int64_t call = 4096;
    const auto& [low, high, steps] = elements;
    std::int64_t chunks = file_bytes();
    bool several = false;
    for (std::size_t d = 0; d < low.size(); ++d) {
      const auto chunk = shape().chunk[d];
      chunks *= std::min((high[d] - 1) / chunk * chunk + chunk, shape().extents[d]) -
                low[d] / chunk * chunk;
      several = several || (high[d] - 1) / chunk != low[d] / chunk;
    }
    const auto alone = of.count * of.elements * file_bytes();
    return alone + of.count * call < (several ? chunks + alone : chunks) / 4 * 3;
  }

  stretch where(chunk_place chunk) const {
    if (!what_.fortran_order) return stretch_of(shape().extents, shape().chunk, chunk);
    return stretch_of(reversed(shape().extents), reversed(shape().chunk), reversed(chunk));
  }

  void load_transposed(chunk_place chunk, std::int64_t count, const std::byte* stored,
                       detail::memory_source& scratch, std::byte* out) const {
    const auto& map = what_.elements.map;
    detail::buffer loaded;
    if (!map.verbatim()) {
      loaded = {scratch, static_cast<std::size_t>(count) * map.record_bytes, name()};
      load_records(map, stored, loaded.data(), count);
      stored = loaded.data();
    }
    std::vector<std::int64_t> extents;
    std::vector<std::size_t> order;
    for (std::size_t d = 0; d < chunk.size(); ++d) {
      const auto whole = shape().chunk[d];
      extents.push_back(std::min(whole, shape().extents[d] - chunk[d] * whole));
      order.insert(order.begin(), d);
    }
    to_row_major(stored, out, std::move(extents), shape().chunk, std::move(order),
                 map.record_bytes);
  }

  std::unique_ptr<byte_source> source_;
  element_file what_;
};

void check_written_chunk(const std::string& path, const std::vector<std::int64_t>& extents,
                         const std::vector<std::int64_t>& chunk) {
  bool cut = false;
  bool good = chunk.size() == extents.size();
  for (auto d = extents.size(); good && d-- > 0;) {
    good = chunk[d] >= 1 && (!cut || chunk[d] == 1);
    cut = cut || chunk[d] < extents[d];
  }
  if (!good)
    throw usage_error(fmt::format(
        "{}: expected chunks that lie in one piece in the file, got {} of {}; leave the extents of "
        "chunks to the format, or write a .zarr",
        path, shape_text(chunk), shape_text(extents)));
}

class element_writer final : public array_writer {
 public:
  element_writer(const std::string& path, std::string header, element_plan plan, array_shape shape)
      : array_writer(std::move(shape)),
        file_(path),
        header_(std::move(header)),
        plan_(std::move(plan)) {}

  void put(chunk_place chunk, detail::memory_source& scratch, const std::byte* elements) override {
    const auto [first, count] = stretch_of(shape().extents, shape().chunk, chunk);
    const auto& map = plan_.map;
    const auto bytes = static_cast<std::size_t>(count) * map.file_bytes;
    const auto offset = static_cast<std::int64_t>(header_.size()) +
                        first * static_cast<std::int64_t>(map.file_bytes);
    if (map.verbatim()) return file_.write(offset, {elements, bytes});
    const detail::buffer stored(scratch, bytes, file_.name());
    store_records(map, elements, stored.data(), count);
    file_.write(offset, {stored.data(), bytes});
  }

  void close() override {
    file_.write(0, std::as_bytes(std::span(header_)));
    file_.commit();
  }

 private:
  output_file file_;
  std::string header_;
  element_plan plan_;
};

}  // namespace

// All of the last dimensions, and some of the one before them. A power of two of these, so that
// chunks more often begin where blocks of neighbours do.
std::vector<std::int64_t> row_chunk(const std::vector<std::int64_t>& extents,
                                    std::size_t element_bytes) {
  std::vector<std::int64_t> chunk(extents.size(), 1);
  auto bytes = static_cast<std::int64_t>(element_bytes);
  for (auto d = extents.size(); d-- > 0;) {
    const auto extent = std::max<std::int64_t>(extents[d], 1);
    const auto fitting = std::max<std::int64_t>(chunk_bytes_wanted / bytes, 1);
    if (extent > fitting) {
      chunk[d] = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(fitting)));
      break;
    }
    chunk[d] = extent;
    bytes *= extent;
  }
  return chunk;
}

std::unique_ptr<array_file> open_element_file(std::unique_ptr<byte_source> source,
                                              element_file what) {
  return std::make_unique<element_array>(std::move(source), std::move(what));
}

std::unique_ptr<array_writer> create_element_file(const std::string& path, std::string header,
                                                  element_plan plan,
                                                  const std::vector<std::int64_t>& extents,
                                                  const array_options& options) {
  if (!options.codec.empty() && options.codec != "none")
    throw usage_error(fmt::format(
        "{}: expected no codec, as its elements lie in the file as they are, got \"{}\"; write a "
        ".zarr to have them compressed",
        path, options.codec));
  if (!options.shard.empty())
    throw usage_error(path + ": expected no shards, which only .zarr has; leave them out");
  auto chunk = options.chunk;
  if (chunk.empty()) chunk = row_chunk(extents, plan.map.file_bytes);
  check_written_chunk(path, extents, chunk);
  return std::make_unique<element_writer>(path, std::move(header), std::move(plan),
                                          array_shape{extents, std::move(chunk)});
}

}  // namespace pappus::formats
