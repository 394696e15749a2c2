// options::launch and PAPPUS_LAUNCH: when launches run.
#pragma once

#include <string_view>

namespace pappus::detail {

enum class launch_setting {
  gathered,
  eager,  ///< each when it is called
  lazy,   ///< when somebody waits, not before
};

/// \param text  "eager", "lazy" or empty. Throws usage_error where it is something else.
launch_setting launch_setting_of(std::string_view text);

}  // namespace pappus::detail
