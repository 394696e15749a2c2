// Whether a function that is launched refers to the stack of who launches it.
#pragma once

#include <cstddef>

namespace pappus::detail {

/// Whether that is an address on the calling thread's stack.
bool is_on_stack(const void* address);

/// Copies what lies on the calling thread's stack, in use. False, and nothing is copied: not all of
/// it does, or AddressSanitizer watches who reads there.
bool copy_from_stack(const void* from, std::size_t bytes, void* to);

/// Whether captures hold an address on the calling thread's stack, as references to local variables
/// are. Numbers may look like one, too.
bool refers_to_stack(const void* captures, std::size_t bytes);

}  // namespace pappus::detail
