#include "session/check_setting.h"

#include <string_view>

#include <fmt/format.h>

#include "base/environment.h"
#include "pappus/error.h"

namespace pappus::detail {

check_setting check_setting_of_environment() {
  const char* const text = base::environment("PAPPUS_CHECK");
  if (text == nullptr) return check_setting::where_compiled;
  if (std::string_view(text) == "access") return check_setting::access;
  if (std::string_view(text) == "none") return check_setting::none;
  throw usage_error(fmt::format("PAPPUS_CHECK: expected access or none, got \"{}\"", text));
}

void apply(check_setting wanted, arrays::launch& to) {
  if (wanted == check_setting::none) to.checks_access = false;
  if (wanted != check_setting::access || to.checks_access || to.arguments.empty()) return;
  throw usage_error(fmt::format(
      "{}: PAPPUS_CHECK=access: expected a function that is compiled with checks, got one without; "
      "compile it with pappus_enable(target CHECK), or with -DPAPPUS_CHECK_ACCESS",
      text(to)));
}

}  // namespace pappus::detail
