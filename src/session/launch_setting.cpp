#include "session/launch_setting.h"

#include <string_view>

#include <fmt/format.h>

#include "base/environment.h"
#include "pappus/error.h"

namespace pappus::detail {

launch_setting launch_setting_of_environment() {
  const char* const text = base::environment("PAPPUS_LAUNCH");
  if (text == nullptr) return launch_setting::gathered;
  if (std::string_view(text) == "eager") return launch_setting::eager;
  throw usage_error(fmt::format("PAPPUS_LAUNCH: expected eager, got \"{}\"", text));
}

}  // namespace pappus::detail
