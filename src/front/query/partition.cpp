// Partitions a collection, unless that is done or asked for already.
//
// The partitionings made of a node's rows are remembered, so two apply() calls over one collection
// that ask for the same one share a node; and rows that are a partitioning already are used as they
// are.
#include "pappus/detail/base/apply.h"
#include "session/session.h"

namespace pappus::detail {
namespace {

/// As of a cached collection.
bool is_whole(const slice_params& params) { return params.skip == 0 && params.take == INT64_MAX; }

/// The node that partitions these rows like this: one that is known, else `made`, which is then
/// remembered.
node_ptr known_partitioning(const node& rows, const std::string& identity, const node_ptr& made) {
  std::vector<node_ptr> seen;  // nodes must not go while the table is in use
  return rows.table->change(rows.id, [&](graph::remembered& of) {
    auto& known = of.partitionings;
    for (const auto& weak : known)
      if (const auto existing = seen.emplace_back(weak.lock()))
        if (existing->as<partition_params>().identity == identity) return existing;
    std::erase_if(known, [](const auto& weak) { return weak.expired(); });
    if (made) known.push_back(made);
    return made;
  });
}

}  // namespace

partition_node make_partition(const session_ptr& session, const node_ptr& rows, stage_spec stage,
                              partition_params params) {
  const auto* made_by = rows.get();
  while (made_by->op == &slice_operator() && is_whole(made_by->as<slice_params>()))
    made_by = made_by->stage.inputs.front().get();
  if (made_by->op == &partition_operator() &&
      made_by->as<partition_params>().identity == params.identity)
    return {rows, true};
  const auto identity = params.identity;
  if (auto existing = known_partitioning(*rows, identity, nullptr)) return {existing, true};
  const auto* name = params.kind == partition_kind::hash ? "hash_by" : "range_by";
  const auto made =
      make_node(session, {partition_operator(), name, rows->out, std::move(stage),
                          std::make_shared<const partition_params>(std::move(params))});
  const auto first = known_partitioning(*rows, identity, made);
  return {first, first != made};
}

}  // namespace pappus::detail
