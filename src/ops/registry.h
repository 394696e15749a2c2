// The entries that registry.cpp lists.
#pragma once

namespace pappus::ops {

class operator_entry;

const operator_entry& memory_operator();
const operator_entry& file_operator();
const operator_entry& placeholder_operator();
const operator_entry& slice_operator();
const operator_entry& concat_operator();
const operator_entry& materialise_operator();
const operator_entry& fold_operator();
const operator_entry& join_build_operator();
const operator_entry& loop_operator();
const operator_entry& partition_operator();
const operator_entry& apply_operator();
const operator_entry& deliver_operator();
const operator_entry& sort_operator();
const operator_entry& top_operator();
const operator_entry& scan_operator();
const operator_entry& group_operator();
const operator_entry& map_groups_operator();

}  // namespace pappus::ops
