// Files that a query reads, which mustn't grow by it.
#pragma once

#include <string>

#include "graph/node.h"

namespace pappus::detail {

/// Throws usage_error where the file at a path is among those that a stage's rows are read from.
void refuse_own_sources(const stage_spec& stage, const std::string& path);

}  // namespace pappus::detail
