// What handlers noted of the exception that is on its way (detail/base/failure.h).
#pragma once

#include <cstdint>
#include <exception>

namespace pappus::base {

struct failure_note {
  std::exception_ptr of{};
  const char* op = nullptr;  ///< null: none of the element-wise operators
  const char* function = nullptr;
  std::int64_t row = -1;
  bool row_is_settled = false;
  bool told = false;  ///< the session knows it
};

/// Takes this thread's note of the exception being handled; an empty one if there is none.
failure_note take_note() noexcept;
/// Leaves a note for this thread: its exception is rethrown here.
void leave_note(failure_note note) noexcept;

}  // namespace pappus::base
