// What catch blocks noted about the exception that is being passed on (detail/base/failure.h).
#pragma once

#include <cstdint>
#include <exception>

namespace pappus::base {

struct failure_note {
  std::exception_ptr of{};   ///< the exception that the note is about
  const char* op = nullptr;  ///< null: not an element-wise operator
  const char* function = nullptr;
  std::int64_t row = -1;
  bool row_is_settled = false;  ///< `row` isn't changed any more; it may be -1, not known
  bool told = false;            ///< the session was told
};

/// Takes this thread's note about the exception being handled; an empty one if there is none.
failure_note take_note() noexcept;
/// Leaves a note to this thread, which is about to rethrow the note's exception.
void leave_note(failure_note note) noexcept;

}  // namespace pappus::base
