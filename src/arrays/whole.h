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

/// Moves the array to other memory: what was launched before uses the old one, what comes later the
/// new one, to which the launch copies what was written. Throws memory_error.
std::shared_ptr<launch> moving(const image_ptr& array);

/// Copies a box to another array, whose elements are of the same type and number.
std::shared_ptr<launch> copying(const image_ptr& from, const regions::box& where,
                                const image_ptr& to);

}  // namespace pappus::arrays
