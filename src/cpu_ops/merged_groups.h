// Groups whose keys are strings, in the order of these: those in tables among late ones.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "cpu_ops/contract.h"
#include "cpu_ops/late_groups.h"
#include "cpu_ops/write_groups.h"

namespace pappus::cpu_ops {

class merged_groups {
 public:
  /// \param names   whose codes all tables have; these may be null. Their texts move here.
  /// \param bytes   of the records that are written at a time, about
  /// All must outlive it.
  merged_groups(run_context& context, const group_params& params, coded_texts& names,
                std::span<const std::unique_ptr<group_table>> tables, late_groups& late,
                std::size_t bytes);

  /// Appends the records of the next groups to the output. False: there are none left.
  bool next(run_context& context);

 private:
  const group_params& params_;
  late_groups& late_;
  groups_by_string early_;
  std::size_t most_;                   // groups that are written at a time
  std::shared_ptr<const void> names_;  // the text of early ones' keys
  std::size_t early_done_ = 0, late_done_ = 0;
  text_groups now_;                   // late ones
  std::shared_ptr<const void> text_;  // of their keys
  bool more_ = true;                  // of them, behind these
};

}  // namespace pappus::cpu_ops
