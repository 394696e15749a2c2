#include "formats/hdf5/hdf5_layout.h"

#include <deque>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace pappus::formats {
namespace {

constexpr std::uint64_t layout_message = 0x08, continuation_message = 0x10;
constexpr std::uint64_t class_compact = 0, class_chunked = 2;  // 1: in one piece
// Headers have a block more where attributes were added, and rarely some hundreds.
constexpr std::size_t blocks_max = 4096;
constexpr std::uint64_t object_header_bytes_max = std::uint64_t{64} << 20;

/// A part of a header that lies in one piece.
struct block {
  std::uint64_t address = 0, bytes = 0;
};

class header_reader {
 public:
  header_reader(const byte_source& file, const hdf5_addresses& addresses)
      : file_(file), addresses_(addresses) {}

  hdf5_layout read(std::uint64_t header) {
    begin(header);
    for (; !blocks_.empty(); blocks_.pop_front())
      if (const auto found = look_through(blocks_.front())) return *found;
    throw hdf5_problem(fmt::format(
        "object header at {}: expected a message that tells where elements lie, got none", header));
  }

 private:
  /// Reads what stands before the messages of the first block.
  void begin(std::uint64_t header) {
    constexpr std::uint64_t first_bytes = 4;
    hdf5_area first(file_, addresses_, header, first_bytes, "object header");
    newer_ = first.is_next("OHDR");
    if (newer_) return begin_newer(header);
    constexpr std::uint64_t prefix_bytes = 16;  // messages are aligned
    hdf5_area prefix(file_, addresses_, header, prefix_bytes, "object header");
    if (const auto version = prefix.number(1); version != 1)
      prefix.fail(fmt::format("expected version 1 or 2, got {}", version));
    prefix.skip(7);
    add({header + prefix_bytes, prefix.number(4)});
  }

  void begin_newer(std::uint64_t header) {
    constexpr std::uint64_t least_bytes = 6;
    hdf5_area start(file_, addresses_, header, least_bytes, "object header");
    start.skip(4);
    if (const auto version = start.number(1); version != 2)
      start.fail(fmt::format("expected version 1 or 2, got {}", version));
    const std::uint64_t flags = start.number(1);
    const bool times = (flags & 0x20) != 0, phases = (flags & 0x10) != 0;
    tracks_order_ = (flags & 0x04) != 0;
    const std::uint64_t before = least_bytes + (times ? 16 : 0) + (phases ? 4 : 0);
    const std::size_t size_bytes = std::size_t{1} << (flags & 0x03);
    hdf5_area size(file_, addresses_, header + before, size_bytes, "object header");
    add({header + before + size_bytes, size.number(size_bytes)});
  }

  void add(const block& next) {
    bytes_ += next.bytes;
    if (++block_count_ > blocks_max || next.bytes > object_header_bytes_max ||
        bytes_ > object_header_bytes_max)
      throw hdf5_problem(fmt::format(
          "object header: expected at most {} blocks and 64 MiB, got more", blocks_max));
    blocks_.push_back(next);
  }

  /// Goes through a block's messages, and remembers where others continue.
  std::optional<hdf5_layout> look_through(const block& from) {
    hdf5_area area(file_, addresses_, from.address, from.bytes, "object header");
    const std::size_t head_bytes = !newer_ ? 8 : tracks_order_ ? 6 : 4;
    while (area.left() >= head_bytes) {  // newer blocks may end in a gap
      const std::uint64_t type = area.number(newer_ ? 1 : 2);
      const auto bytes = static_cast<std::size_t>(area.number(2));
      const bool shared = (area.number(1) & 0x02) != 0;
      area.skip(head_bytes - (newer_ ? 4 : 5));
      if (bytes > area.left())
        area.fail(
            fmt::format("expected a message within {} bytes, got one of {}", area.left(), bytes));
      const std::size_t end = area.at() + bytes;
      if (type == layout_message && shared)
        area.fail("expected where elements lie, got a reference to another object");
      if (type == layout_message) return layout_of(area, from.address);
      if (type == continuation_message) continue_at(area);
      if (area.at() > end) area.fail("expected a message, got a shorter one");
      area.skip(end - area.at());
    }
    return std::nullopt;
  }

  void continue_at(hdf5_area& area) {
    block next{area.address(), 0};
    next.bytes = area.length();
    if (newer_) {  // a signature before the messages, a checksum behind them
      constexpr std::uint64_t around = 8;
      hdf5_area start(file_, addresses_, next.address, 4, "object header");
      if (!start.is_next("OCHK") || next.bytes < around)
        start.fail("expected a part of an object header, got something else");
      next = {next.address + 4, next.bytes - around};
    }
    add(next);
  }

  hdf5_layout layout_of(hdf5_area& area, std::uint64_t block_address) const {
    const std::uint64_t version = area.number(1);
    if (version < 1 || version > 4)
      area.fail(fmt::format("expected a layout of version 1 to 4, got {}", version));
    if (version < 3) area.skip(1);  // the number of dimensions
    const std::uint64_t kind = area.number(1);
    if (kind > class_chunked)
      area.fail(fmt::format("expected elements in one piece or in chunks, got layout {}", kind));
    if (kind == class_chunked && version == 4) return {hdf5_layout::form::other_chunks, true, 0};
    if (version < 3) area.skip(5);
    if (kind == class_compact) return compact(area, version, block_address);
    if (kind == class_chunked && version == 3) area.skip(1);
    const std::uint64_t address = area.address();
    return {kind == class_chunked ? hdf5_layout::form::chunks : hdf5_layout::form::one_piece,
            addresses_.is_defined(address), address};
  }

  /// Elements that lie in the message itself.
  hdf5_layout compact(hdf5_area& area, std::uint64_t version, std::uint64_t block_address) const {
    if (version < 3) area.fail("expected a compact layout of version 3 or 4, got an older one");
    area.skip(2);
    return {hdf5_layout::form::one_piece, true, block_address + area.at()};
  }

  const byte_source& file_;
  const hdf5_addresses& addresses_;
  bool newer_ = false;         // version 2
  bool tracks_order_ = false;  // messages tell in which order they were made
  std::deque<block> blocks_;   // that are to be looked through
  std::size_t block_count_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace

hdf5_layout read_hdf5_layout(const byte_source& file, const hdf5_addresses& addresses,
                             std::uint64_t header) {
  return header_reader(file, addresses).read(header);
}

}  // namespace pappus::formats
