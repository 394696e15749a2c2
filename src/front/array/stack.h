// Whether a function that is launched refers to the stack of who launches it.
#pragma once

#include <cstddef>

namespace pappus::detail {

/// Whether captures hold an address on the calling thread's stack, as references to local variables
/// are. Numbers may look like one, too.
bool refers_to_stack(const void* captures, std::size_t bytes);

}  // namespace pappus::detail
