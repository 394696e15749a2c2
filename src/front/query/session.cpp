// The handle that users have of a session.
#include "session/session.h"

namespace pappus {

session::session(const options& settings, detail::build_settings)
    : core_(std::make_shared<detail::session_core>(settings)) {}
session::~session() {
  if (core_) core_->end();
}
session::session(session&&) noexcept = default;
session& session::operator=(session&& other) noexcept {
  if (this != &other) {
    if (core_) core_->end();
    core_ = std::move(other.core_);
  }
  return *this;
}

std::vector<std::string> session::device_faults() const { return core_->device_faults(); }
std::optional<failure> session::last_failure() const { return core_->last_failure(); }
void session::cancel() noexcept { core_->cancel(); }
unsigned session::threads() const noexcept { return core_->settings().threads; }
std::size_t session::host_memory() const noexcept { return core_->memory()->limit(); }
std::size_t session::host_memory_used() const noexcept { return core_->memory()->in_use(); }
std::size_t session::host_memory_peak() const noexcept { return core_->memory()->peak(); }

}  // namespace pappus
