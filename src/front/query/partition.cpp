// Partitions a collection, unless that is done or asked for already.
//
// Each node remembers the partitionings made of its rows, so two apply() calls over one collection
// that ask for the same one share a node; and rows that are a partitioning already are used as they
// are.
#include "pappus/detail/base/apply.h"
#include "session/core.h"

namespace pappus::detail {
namespace {

/// As of a cached collection.
bool is_whole(const slice_params& params) { return params.skip == 0 && params.take == INT64_MAX; }

}  // namespace

partition_node make_partition(const session_ptr& session, const node_ptr& rows, stage_spec stage,
                              partition_params params) {
  const auto* made_by = rows.get();
  while (made_by->kind == op_kind::slice && is_whole(made_by->as<slice_params>()))
    made_by = made_by->stage.inputs.front().get();
  if (made_by->kind == op_kind::partition &&
      made_by->as<partition_params>().identity == params.identity)
    return {rows, true};
  std::lock_guard lock(rows->mutex);
  auto& known = rows->partitionings;
  for (const auto& weak : known)
    if (const auto existing = weak.lock())
      if (existing->as<partition_params>().identity == params.identity) return {existing, true};
  std::erase_if(known, [](const auto& weak) { return weak.expired(); });
  const auto* name = params.kind == partition_kind::hash ? "hash_by" : "range_by";
  const auto made =
      make_node(session, {op_kind::partition, name, rows->out, std::move(stage),
                          std::make_shared<const partition_params>(std::move(params))});
  known.push_back(made);
  return {made, false};
}

}  // namespace pappus::detail
