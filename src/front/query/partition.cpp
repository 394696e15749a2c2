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

/// Nodes that were looked at: none may go while the table is in use.
using seen_nodes = std::vector<node_ptr>;

/// Null: these rows aren't partitioned like this yet.
node_ptr find(const graph::remembered& of, const std::string& identity, seen_nodes& seen) {
  seen.reserve(of.partitionings.size());
  for (const auto& weak : of.partitionings)
    if (const auto& known = seen.emplace_back(weak.lock()))
      if (known->as<partition_params>().identity == identity) return known;
  return nullptr;
}

node_ptr known_partitioning(const node& rows, const std::string& identity) {
  seen_nodes seen;
  return rows.table->look<node_ptr>(
      rows.id, [&](const graph::remembered& of) { return find(of, identity, seen); });
}

/// Remembers a node that partitions the rows. Returns it, or who was first.
node_ptr remembered_partitioning(const node& rows, const std::string& identity,
                                 const node_ptr& made) {
  seen_nodes seen;
  return rows.table->change(rows.id, [&](graph::remembered& of) {
    if (auto known = find(of, identity, seen)) return known;
    std::erase_if(of.partitionings, [](const auto& weak) { return weak.expired(); });
    of.partitionings.push_back(made);
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
  if (auto existing = known_partitioning(*rows, identity)) return {existing, true};
  const auto* name = params.kind == partition_kind::hash ? "hash_by" : "range_by";
  const auto made =
      make_node(session, {partition_operator(), name, rows->out, std::move(stage),
                          std::make_shared<const partition_params>(std::move(params))});
  const auto first = remembered_partitioning(*rows, identity, made);
  return {first, first != made};
}

}  // namespace pappus::detail
