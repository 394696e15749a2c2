#include "formats/hdf5/hdf5_chunks.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace pappus::formats {
namespace {

// A node has two entries or more, but for the root: files with deeper trees would be larger than
// any disk.
constexpr std::uint64_t levels_max = 48;
constexpr std::uint64_t chunk_node = 1;  // the other type of nodes is for names in groups

class btree_reader {
 public:
  btree_reader(const byte_source& file, const hdf5_addresses& addresses, const hdf5_grid& grid)
      : file_(file),
        addresses_(addresses),
        grid_(grid),
        key_bytes_(8 + 8 * (grid.extents.size() + 1)) {}

  hdf5_chunks read(std::uint64_t root) {
    visit(root, std::nullopt);
    return hdf5_chunks(std::move(chunks_));
  }

 private:
  /// Entries come in the chunks' order, and each leads to a chunk that comes behind the last one:
  /// so no node is visited twice, however the tree is damaged.
  void visit(std::uint64_t address, std::optional<std::uint64_t> level) {
    hdf5_area head(file_, addresses_, address, head_bytes(), "chunk index");
    if (!head.is_next("TREE")) head.fail("expected a node, got something else");
    if (const auto type = head.number(1); type != chunk_node)
      head.fail(fmt::format("expected a node for chunks, of type 1, got type {}", type));
    const std::uint64_t got = head.number(1);
    if (got > levels_max || (level && got != *level))
      head.fail(
          fmt::format("expected a node of level {}, got {}", level.value_or(levels_max), got));
    const std::uint64_t entries = head.number(2);
    if (entries == 0 && level) head.fail("expected a node with entries, got none");
    // Behind the last entry stands one more key.
    hdf5_area body(file_, addresses_, address + head_bytes(), entries * entry_bytes(),
                   "chunk index");
    for (std::uint64_t i = 0; i < entries; ++i) {
      if (got == 0) {
        add(body);
      } else {
        body.skip(key_bytes_);
        const std::size_t before = chunks_.size();
        visit(body.address(), got - 1);
        if (chunks_.size() == before) body.fail("expected an entry that leads to chunks, got none");
      }
    }
  }

  void add(hdf5_area& body) {
    hdf5_chunk next;
    next.bytes = static_cast<std::int64_t>(body.number(4));
    next.skipped = static_cast<std::uint32_t>(body.number(4));
    std::vector<std::int64_t> place;
    for (std::size_t d = 0; d < grid_.extents.size(); ++d) {
      const std::uint64_t at = body.number(8);
      const auto chunk = static_cast<std::uint64_t>(grid_.chunk[d]);
      if (at >= static_cast<std::uint64_t>(grid_.extents[d]) || at % chunk != 0)
        body.fail(fmt::format(
            "expected a chunk that begins at a multiple of {} below {} along dimension {}, got {}",
            chunk, grid_.extents[d], d, at));
      place.push_back(static_cast<std::int64_t>(at / chunk));
    }
    body.skip(8);  // within an element
    next.number = grid_.number_of(place);
    if (!chunks_.empty() && next.number <= chunks_.back().number)
      body.fail(fmt::format("expected chunks in ascending order, got {} behind {}", next.number,
                            chunks_.back().number));
    next.offset = addresses_.place(file_, body.address(), static_cast<std::uint64_t>(next.bytes),
                                   fmt::format("chunk [{}]", fmt::join(place, ", ")));
    if (chunks_.size() >= static_cast<std::uint64_t>(file_.bytes()) / entry_bytes())
      body.fail("expected as many chunks as the file has room for, got more");
    chunks_.push_back(next);
  }

  std::uint64_t head_bytes() const noexcept { return 8 + 2 * addresses_.address_bytes; }
  std::uint64_t entry_bytes() const noexcept { return key_bytes_ + addresses_.address_bytes; }

  const byte_source& file_;
  const hdf5_addresses& addresses_;
  const hdf5_grid& grid_;
  std::size_t key_bytes_;
  std::vector<hdf5_chunk> chunks_;
};

}  // namespace

const hdf5_chunk* hdf5_chunks::find(std::int64_t number) const noexcept {
  const auto found = std::ranges::lower_bound(sorted_, number, {}, &hdf5_chunk::number);
  return found == sorted_.end() || found->number != number ? nullptr : &*found;
}

hdf5_chunks read_hdf5_btree(const byte_source& file, const hdf5_addresses& addresses,
                            std::uint64_t root, const hdf5_grid& grid) {
  return btree_reader(file, addresses, grid).read(root);
}

}  // namespace pappus::formats
