// Values that a launch reduces, put aside by where they will go.
//
// Values that go anywhere in an array larger than the caches would each wait for memory. So indices
// write them one behind another into bins, a bin for so many elements of the array, each as a state
// that stands for it alone; later a bin's values are merged while its elements are in the cache.
// The technique is propagation blocking (Beamer, Asanović, Patterson: Reducing Pagerank
// Communication via Propagation Blocking, 2017).
#pragma once

#include <cstddef>
#include <cstdint>

namespace pappus::detail {

/// Where the next values of a bin are put.
struct value_bin {
  std::uint32_t* places = nullptr;  ///< among the bin's elements
  std::byte* states = nullptr;
  std::int64_t room = 0;  ///< values
};

struct value_bins {
  value_bin* bins = nullptr;
  int shift = 0;           ///< a bin is for 2^shift elements
  std::int64_t first = 0;  ///< the place of the element that the view numbers with zeros
  /// Sets a bin anew that has no room. Where there is no memory, what is put there is lost, and who
  /// made the bins knows.
  void (*make_room)(value_bins& of, std::int64_t bin) noexcept = nullptr;
  void* owner = nullptr;  ///< who made them

  /// Memory for the next state.
  /// \param place  of its element, relative to `first`
  std::byte* next(std::int64_t place, std::size_t state_bytes) noexcept {
    place += first;
    const auto number = place >> shift;
    auto& bin = bins[number];
    if (bin.room == 0) make_room(*this, number);
    --bin.room;
    *bin.places++ = static_cast<std::uint32_t>(place - (number << shift));
    auto* const state = bin.states;
    bin.states += state_bytes;
    return state;
  }
};

}  // namespace pappus::detail
