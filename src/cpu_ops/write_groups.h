// The groups of hash tables as records in the order of their keys, at once.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "algorithms/group_table.h"
#include "algorithms/strings.h"
#include "cpu_ops/contract.h"
#include "cpu_ops/group.h"

namespace pappus::cpu_ops {

/// Groups whose keys are strings, in their order.
struct groups_by_string {
  /// \param names   whose numbers all tables have; these may be null
  groups_by_string(run_context& context, const string_ids& names,
                   std::span<const std::unique_ptr<group_table>> tables);

  std::size_t n;
  detail::buffer keys;    ///< std::string_views, to text that `names` has
  detail::buffer states;  ///< pointers to them
};

/// Appends the records of n groups to the output.
void emit_groups(run_context& context, const group_params& params, const std::byte* keys,
                 const std::byte* const* states, std::size_t n);

/// Writes n groups, all that the tables have, to the output. Holds two copies of keys and of
/// pointers to states besides.
/// \param names   of keys that are strings, which tables have the numbers of; else null
/// \param tables  some may be null
void write_groups(run_context& context, const group_params& params, const string_ids* names,
                  std::span<const std::unique_ptr<group_table>> tables, std::size_t n);

}  // namespace pappus::cpu_ops
