// PAPPUS_CHECK: whether what launches touch is checked.
#pragma once

#include "arrays/launch.h"

namespace pappus::detail {

enum class check_setting {
  where_compiled,  ///< functions that are compiled with checks
  access,          ///< all; others are refused
  none,
};

/// Throws usage_error where PAPPUS_CHECK is something else.
check_setting check_setting_of_environment();

/// Takes its checks from a user's launch, or throws usage_error where it has none and should.
void apply(check_setting wanted, arrays::launch& to);

}  // namespace pappus::detail
