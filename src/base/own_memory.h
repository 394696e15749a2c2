// Memory of this process that may not be there.
#pragma once

#include <cstddef>

namespace pappus::base {

/// Copies bytes that a pointer of the user's leads to. False: they aren't all there, or the system
/// doesn't say; `to` may be anything then.
bool copy_if_there(void* to, const void* from, std::size_t bytes) noexcept;

}  // namespace pappus::base
