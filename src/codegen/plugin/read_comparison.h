// A comparison from a descriptor (descriptor.h).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "codegen/plugin/comparison.h"

namespace pappus::codegen {

/// Throws malformed (read_footprint.h) and json::exception.
comparison read_comparison(const nlohmann::json& from);

}  // namespace pappus::codegen
