// The groups of hash tables as records in the order of their keys, at once.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/coded_texts.h"
#include "algorithms/group_table.h"
#include "cpu_ops/contract.h"
#include "cpu_ops/group.h"

namespace pappus::cpu_ops {

/// Groups whose keys are strings, in their order.
class groups_by_string {
 public:
  /// \param names   whose codes all tables have; these may be null
  groups_by_string(run_context& context, const coded_texts& names,
                   std::span<const std::unique_ptr<group_table>> tables);

  std::size_t size() const noexcept { return n_; }
  const std::string_view* keys() const noexcept { return keys_.as<const std::string_view>(); }
  const std::byte* const* states() const noexcept { return states_.as<const std::byte*>(); }
  /// What keys point to besides text that stays.
  std::vector<detail::buffer> take_text(coded_texts& names);

 private:
  void spell(run_context& context, const bits128* codes, const std::string_view* longer);
  void sort_texts(run_context& context);

  std::size_t n_;
  detail::buffer states_;
  detail::buffer keys_;  // to text here, and to such as `names` has
  detail::buffer text_;  // of short keys
};

/// Appends the records of n groups to the output.
void emit_groups(run_context& context, const group_params& params, const std::byte* keys,
                 const std::byte* const* states, std::size_t n);

/// Writes n groups, all that the tables have, to the output. Holds two copies of keys and of
/// pointers to states besides.
/// \param tables  some may be null
void write_groups(run_context& context, const group_params& params,
                  std::span<const std::unique_ptr<group_table>> tables, std::size_t n);
/// The same where keys are strings, whose copies move to the output.
void write_groups_of_texts(run_context& context, const group_params& params, coded_texts& names,
                           std::span<const std::unique_ptr<group_table>> tables);

}  // namespace pappus::cpu_ops
