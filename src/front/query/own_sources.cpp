#include "front/query/own_sources.h"

#include <filesystem>
#include <system_error>

#include "pappus/error.h"
#include "session/session.h"

namespace pappus::detail {

void refuse_own_sources(const stage_spec& stage, const std::string& path) {
  auto roots = stage.inputs;
  roots.insert(roots.end(), stage.sides.begin(), stage.sides.end());
  for (const node* from : graph::in_order(roots, [](const node&) { return false; })) {
    if (from->op != &file_operator()) continue;
    for (const auto& file : from->as<file_params>().files) {
      std::error_code unknown;  // then they aren't the same
      if (std::filesystem::equivalent(file, path, unknown))
        throw usage_error(path +
                          ": expected a file that the query doesn't read, as it would grow by what "
                          "is read of it, got one that it reads; write another file");
    }
  }
}

}  // namespace pappus::detail
