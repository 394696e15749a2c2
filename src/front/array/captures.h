// Captures of a launched function that refer to the stack of who launches it: the launch may run
// when that has changed.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "codegen/plugin/descriptor.h"

namespace pappus::detail {

/// Replaces references to variables on the calling thread's stack by references to copies, which
/// live as long as the function. False: it can't, the captures are as they were.
/// \param function    a copy of the user's that is the library's own
/// \param references  all that is read behind captured pointers
bool copy_referenced(std::shared_ptr<const void>& function, std::size_t function_bytes,
                     std::span<const codegen::compiled_function::reference> references);

}  // namespace pappus::detail
