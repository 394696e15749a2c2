// PAPPUS_LAUNCH: when launches run.
#pragma once

namespace pappus::detail {

enum class launch_setting {
  gathered,
  eager,  ///< each when it is called
};

/// Throws usage_error where PAPPUS_LAUNCH is something else.
launch_setting launch_setting_of_environment();

}  // namespace pappus::detail
