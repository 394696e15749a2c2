// Elements of arrays in files, as launches read them: what indices touch is brought to memory,
// chunk by chunk, for as long as a part of a launch runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "arrays/launch.h"
#include "graph/chunked.h"
#include "pappus/error.h"
#include "regions/box.h"

namespace pappus::arrays {

/// Whether the argument's elements lie in a file.
inline bool is_in_file(const argument& one) { return one.array->file != nullptr; }
/// Whether a launch reads any that do.
bool reads_files(const launch& of);

/// Whether few indices already touch much of what all do of an argument in a file, so that items
/// would read it again and again: its elements are better copied to memory first.
bool is_read_as_a_whole(const launch& of, std::size_t argument);

/// Bytes at most of the elements of files that indices touch, but of those that lie in one chunk
/// and are used there.
std::size_t bytes_to_copy(const launch& by, const regions::box& indices);

/// How indices of a launch read files.
struct file_reads {
  std::uint32_t once = 0;    ///< arguments, as bits, of whose chunks no other indices read any
  bool whole_boxes = false;  ///< rows that are stepped over are wanted, too: devices copy boxes
};

/// The elements of files that indices of a launch touch, in memory as long as it exists.
class read_elements {
 public:
  /// Blocks; throws format_error and memory_error.
  /// \param places  of all arguments: those of elements of files are set
  read_elements(const launch& by, const regions::box& indices, const file_reads& how,
                std::span<detail::view_place> places)
      : by_(by), indices_(indices), how_(how), places_(places) {
    take();
  }
  read_elements(const read_elements&) = delete;
  read_elements& operator=(const read_elements&) = delete;

  /// Others may have their memory. They mustn't be touched until take() has brought them back.
  void give_up() noexcept { lease_.reset(); }
  void take();

 private:
  const launch& by_;
  const regions::box indices_;
  const file_reads how_;
  const std::span<detail::view_place> places_;
  graph::lease_ptr lease_;
};

/// What take() returns. As long as it finds no room and others have elements of files in memory, it
/// is called again when one of them is done with his. Throws what it throws.
/// \param own  is given up meanwhile; may be null
template <typename Take>
auto with_room(const launch& of, read_elements* own, Take&& take) {
  auto* const others =
      of.arguments.empty() ? nullptr : of.arguments.front().elements->source.chunks.get();
  std::uint64_t seen = 0;
  while (true) try {
      return take();
    } catch (const memory_error&) {
      if (others == nullptr) throw;
      if (own != nullptr) own->give_up();
      if (!others->wait_for_end(seen, own != nullptr ? 2 : 0)) throw;
      if (own != nullptr) own->take();
    }
}

/// Indices that touch them will be run soon.
void announce_touched(const launch& by, const regions::box& indices, const file_reads& how);

/// Calls f(part) for indices in parts whose elements of files fit in memory beside others'.
/// \param dimensions  as bits, along which they may be cut
void each_readable(const launch& by, const regions::box& indices, unsigned dimensions,
                   const std::function<void(const regions::box& part)>& f);

}  // namespace pappus::arrays
