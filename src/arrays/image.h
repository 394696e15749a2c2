// An array's elements, and what launches so far have done or will do to them.
//
// Launches are noted when they are called and run later, so what an image says is of the time after
// the last call: a part is "written" although the launch that writes it may still wait. It is kept
// by regions: a launch over an array leaves one entry, however many elements it writes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/chunked.h"
#include "graph/pageable.h"
#include "pappus/detail/base/array.h"
#include "pappus/detail/base/chunks.h"
#include "pappus/detail/base/layout.h"
#include "pappus/detail/base/memory.h"
#include "regions/region_map.h"

namespace pappus::arrays {

/// Launches of a session have numbers from 1 on, in the order of their calls. 0 stands for none.
using launch_number = std::uint64_t;

enum class content : std::uint8_t {
  unwritten,  ///< nobody has written it
  initial,    ///< it has the image's first value, as soon as somebody needs it
  written,
};

/// What is known of some elements.
struct part {
  content has = content::unwritten;
  launch_number writer = 0;  ///< who wrote them last; 0 once that is done
  friend bool operator==(const part&, const part&) = default;
};

/// Why a launch has no results.
struct launch_failure {
  std::string what;             ///< "for_each at heat.cpp:12: at index [3,5]: ..."
  std::exception_ptr original;  ///< what its function threw, or cancelled
  std::atomic<bool> told{false};
};
using failure_ptr = std::shared_ptr<launch_failure>;

/// Where arrays get their memory.
struct array_memory {
  std::shared_ptr<detail::memory_source> budget;
  std::shared_ptr<graph::pageable_store> pages{};  ///< of large ones; null: all stay in memory
  std::shared_ptr<graph::chunk_store> chunks{};    ///< of those in files; null: there are none
};

/// Memory with an array's elements in row-major order, or the file where they lie.
struct storage {
  /// Throws memory_error.
  storage(array_memory from, std::size_t bytes, std::string_view owner);
  /// Of rows, one after another, that nobody else has.
  storage(array_memory from, detail::rows_ptr of)
      : source(std::move(from)), rows(std::move(of)), data(const_cast<std::byte*>(rows->data())) {}

  /// Of elements in a file, which nobody writes to.
  storage(array_memory from, graph::chunked_ptr of)
      : source(std::move(from)), file(std::move(of)) {}
  ~storage();
  storage(const storage&) = delete;
  storage& operator=(const storage&) = delete;

  array_memory source;                        // outlives the others
  detail::buffer memory;                      // one of the four has the elements
  std::shared_ptr<graph::pageable> pageable;  // what isn't leased may be on the disk (leases.h)
  detail::rows_ptr rows;
  graph::chunked_ptr file;    // read chunk by chunk (file_elements.h)
  std::byte* data = nullptr;  // null: they lie in a file
  /// Collections whose rows these are: while there are some, nobody may write to them.
  std::atomic<int> collections{0};
};
using storage_ptr = std::shared_ptr<storage>;

/// Whose elements they are. All that changes is guarded by the mutex of the session's launches.
struct image {
  regions::box all;
  detail::record_type element;
  std::vector<std::byte> initial;  ///< a value, of the parts whose content is that
  regions::region_map<part> parts;
  storage_ptr elements;
  graph::chunked_ptr file{};  ///< where they lie, and aren't written to; null: not in a file

  std::size_t bytes() const noexcept {
    return static_cast<std::size_t>(all.volume()) * element.size;
  }
};
using image_ptr = std::shared_ptr<image>;

/// Throws usage_error where one is negative.
void check_extents(const regions::box& extents);

/// \param initial  one element's bytes; none: nobody has written to the array.
/// Throws usage_error where extents are negative or too many, memory_error.
image_ptr make_image(const detail::record_type& element, const regions::box& extents,
                     const array_memory& memory, std::vector<std::byte> initial);

/// An array whose elements lie in a file.
image_ptr make_file_image(const detail::record_type& element, const array_memory& memory,
                          graph::chunked_ptr file);

regions::box box_of(const detail::array_box& from);
detail::array_box numbers_of(const regions::box& from);
/// The same elements, numbered from the first one of `part`.
regions::box relative(const regions::box& elements, const regions::box& part);
/// The other way, of elements of the part.
regions::box absolute(const regions::box& elements, const regions::box& part);

/// Where the elements of a part lie; of those in a file, nowhere, until they are read.
detail::view_place place_of(const image& of, const storage& elements, const regions::box& part);

/// Where an element of `size` bytes lies, as the view of that place numbers it.
std::byte* address_in(const detail::view_place& place, const regions::point& element,
                      std::size_t rank, std::size_t size);

/// "array<float> of 100", "array<float, 2> of 30 x 40", for messages.
std::string text(const image& of);

}  // namespace pappus::arrays
