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
const operator_entry& deliver_operator();

}  // namespace pappus::ops
