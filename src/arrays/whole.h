// Launches of the library's own: boxes of elements are filled, or copied to another array.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "arrays/launch.h"

namespace pappus::arrays {

/// Writes an element's bytes to all elements of a box.
std::shared_ptr<launch> filling(const image_ptr& array, const regions::box& where,
                                std::span<const std::byte> value);

/// Gives the array other memory: what was launched before uses the old one, which is returned, what
/// comes later the new one, in which nothing is written yet. Throws memory_error.
storage_ptr move_to_new(image& array);
/// Copies a box from memory that the array had before.
std::shared_ptr<launch> moving(const image_ptr& array, const regions::box& where,
                               const storage_ptr& from);

struct elements_part {
  image_ptr array;
  storage_ptr elements;  ///< null: the array's when the launch is noted
  regions::box where;
};
/// Copies a box to another one of as many elements of the same type.
std::shared_ptr<launch> copying(const elements_part& from, const elements_part& to);

}  // namespace pappus::arrays
