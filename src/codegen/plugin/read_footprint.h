// Reads a footprint from a descriptor (descriptor.h), which another build may have written.
#pragma once

#include <stdexcept>

#include <nlohmann/json_fwd.hpp>

#include "codegen/plugin/inferred_footprint.h"

namespace pappus::codegen {

/// What the descriptor says is none of what it may say.
struct malformed : std::runtime_error {
  using runtime_error::runtime_error;
};

/// Throws malformed and json::exception; what it returns can be evaluated.
inferred_footprint read_footprint(const nlohmann::json& descriptor);

}  // namespace pappus::codegen
