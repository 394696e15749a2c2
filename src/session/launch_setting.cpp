#include "session/launch_setting.h"

#include <fmt/format.h>

#include "pappus/error.h"

namespace pappus::detail {

launch_setting launch_setting_of(std::string_view text) {
  if (text.empty()) return launch_setting::gathered;
  if (text == "eager") return launch_setting::eager;
  if (text == "lazy") return launch_setting::lazy;
  throw usage_error(
      fmt::format("PAPPUS_LAUNCH or options::launch: expected eager or lazy, got \"{}\"", text));
}

}  // namespace pappus::detail
