// How groups are cut for devices: leaves, tables, tiles, and what they take.
//
// Sizes depend on the query, its data and the device, so that sums depend on nothing else. Only
// where they make no difference to sums do they depend on memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "chunk_loop/device_session.h"
#include "graph/node.h"
#include "pappus/detail/loops/group.h"

namespace pappus::device_ops {

/// Whether each leaf has a table of its domain's groups.
bool has_leaf_tables(const detail::group_params& params);
/// Room for states in a leaf's private table, of few different sizes; 0: it would be too large.
std::size_t private_table(const detail::group_params& params);
/// Bytes of a value between extraction and reduction. A device may hold a number as what the
/// reducer takes it for, a double, say.
std::size_t value_bytes(const detail::group_params& params);
/// Rows of which a work-group has groups and values in local memory; 0: values are too large.
std::size_t tile_rows(const detail::group_params& params);
/// Leaves that a work-group fills the tables of at a time, a power of two: it has a work-item for
/// each of their groups.
std::size_t table_leaves(const detail::group_params& params);
/// Whether devices that aren't like a CPU fill a leaf's table: sorting leaves of more groups, which
/// are long, takes less.
bool has_group_tables(const detail::group_params& params);
/// What a leaf needs for a row, besides the input and its groups: keys, twice for sorting, places
/// of values likewise, a value, and where a group begins.
double scratch_row_bytes(const detail::group_params& params);
/// Of a group's key and state.
double group_bytes(const detail::group_params& params);
/// Rows of a leaf of a stage with so many rows.
/// \param large  see has_large_leaves()
std::int64_t leaf_rows(const graph::node& n, std::int64_t rows,
                       const chunk_loop::device_session& on, bool large);
/// Whether leaves may be so large that a chunk has one, and its long groups are cut: those of exact
/// reducers without tables, on a device with memory of its own, of which a session has much.
bool has_large_leaves(const detail::group_params& params, const chunk_loop::device_session& on);
/// Groups of a leaf that uses a hash table: they fit a core's cache. 0: states are too large.
std::int64_t hash_table_room(const detail::group_params& params, std::int64_t leaf_rows);
/// Slots of a hash table, a power of two: half of them are taken where groups have room to spare.
std::size_t slots_for(std::int64_t room);

}  // namespace pappus::device_ops
