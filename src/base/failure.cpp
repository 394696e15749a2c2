#include "base/failure.h"

#include <utility>

#include "pappus/detail/base/failure.h"

namespace pappus::base {
namespace {

thread_local failure_note noted;

/// The note of the exception being handled; what was noted of another one is out of date.
failure_note& current() noexcept {
  const auto handled = std::current_exception();
  if (noted.of != handled) noted = {.of = handled};
  return noted;
}

}  // namespace

failure_note take_note() noexcept {
  current();
  return std::exchange(noted, {});
}

void leave_note(failure_note note) noexcept { noted = std::move(note); }

}  // namespace pappus::base

namespace pappus::detail {

void failed_in(const char* op, const char* function) noexcept {
  auto& note = base::current();
  if (note.op != nullptr) return;
  note.op = op;
  note.function = function;
}

void failed_at(std::int64_t row) noexcept {
  auto& note = base::current();
  if (note.row_is_settled) return;
  note.row = row;
  note.row_is_settled = true;
}

void failed_elsewhere() noexcept { base::current().row_is_settled = true; }

}  // namespace pappus::detail
