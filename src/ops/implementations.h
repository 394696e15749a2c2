// The operators' versions, a line each. xxx_on_cpu() is defined in cpu_ops/xxx.cpp,
// xxx_on_devices() in device_ops/operators/xxx.cpp.
#pragma once

#include "graph/operator_entry.h"

namespace pappus::cpu_ops {

const cpu_operator& apply_on_cpu();
const cpu_operator& deliver_on_cpu();
const cpu_operator& fold_on_cpu();
const cpu_operator& group_on_cpu();
/// Of keys as bits, whose domain isn't known: its groups may come in windows.
const cpu_operator& ordered_group_on_cpu();
const cpu_operator& join_build_on_cpu();
const cpu_operator& loop_on_cpu();
const cpu_operator& map_groups_on_cpu();
const cpu_operator& materialise_on_cpu();
const cpu_operator& partition_on_cpu();
const cpu_operator& quantile_on_cpu();
const cpu_operator& scan_on_cpu();
const cpu_operator& scatter_on_cpu();
const cpu_operator& sort_on_cpu();
const cpu_operator& top_on_cpu();
const cpu_operator& unmatched_on_cpu();

}  // namespace pappus::cpu_ops

namespace pappus::device_ops {

const device_operator& fold_on_devices();
const device_operator& group_on_devices();
const device_operator& materialise_on_devices();
const device_operator& scan_on_devices();
const device_operator& sort_on_devices();  // and top

}  // namespace pappus::device_ops
