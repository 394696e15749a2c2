// The groups of hash tables as records in the order of their keys, at once.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "algorithms/group_table.h"
#include "algorithms/strings.h"
#include "cpu_ops/contract.h"
#include "cpu_ops/group.h"

namespace pappus::cpu_ops {

/// Writes n groups, all that the tables have, to the output. Holds two copies of keys and of
/// pointers to states besides.
/// \param names   of keys that are strings, which tables have the numbers of; else null
/// \param tables  some may be null
void write_groups(run_context& context, const group_params& params, const string_ids* names,
                  std::span<const std::unique_ptr<group_table>> tables, std::size_t n);

}  // namespace pappus::cpu_ops
