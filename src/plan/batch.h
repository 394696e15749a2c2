// Plans of launches over arrays: a batch of them is one plan, with a stage for each.
//
// Launches are planned together so that each item can start as soon as what it touches is ready,
// and so that launches that pass over the same elements can do so in turns. Sizes don't matter: a
// plan of 10^6 items is as small as one of ten.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "arrays/launch.h"
#include "cost/machine.h"
#include "cost/work.h"
#include "graph/node.h"
#include "plan/plan.h"
#include "regions/box.h"

namespace pappus::plan {

struct batch_request {
  std::span<const graph::node_ptr> launches;  ///< in the order of their calls
  const cost::machine& machine;
  bool keep_history = false;
  /// The work of one call of a launch's function. Null: launches cost their memory traffic alone.
  std::function<const cost::row_work&(const graph::node&)> ask_work{};
  /// Asked for each launch and device of the machine. Null: everything runs on the CPU.
  std::function<ops::answer(const graph::node&, unsigned device)> ask_device{};
  /// Indices of an item; 0: chosen. For tests.
  std::int64_t item_indices = 0;
  /// Launches take turns wherever that is allowed, not only where it pays. For tests.
  bool always_in_turns = false;
  /// Values that are reduced are put aside wherever that is allowed, not only where it pays. For
  /// tests.
  bool always_in_bins = false;
};

/// Runs all passes.
plan plan_batch(const batch_request& asked);

// The passes, in order. Each reads what earlier ones wrote.
void collect_launches(plan& p, const batch_request& asked);  // batch.cpp: stages, bytes, seconds
void find_chunks(plan& p, const batch_request& asked);       // chunks.cpp: chunks, read_once
void find_leaves(plan& p, const batch_request& asked);       // leaves.cpp: leaves, partial
void find_registers(plan& p, const batch_request& asked);    // reduced_rows.cpp: in_registers
void find_needs(plan& p, const batch_request& asked);        // needs.cpp: needs
void cut_items(plan& p, const batch_request& asked);         // items.cpp: items
void order_items(plan& p, const batch_request& asked);       // turns.cpp: order, items, past_caches
void cut_tiles(plan& p, const batch_request& asked);         // tiles.cpp: tile
void place_launches(plan& p, const batch_request& asked);    // launch_places.cpp: where

/// How many neighbours along a dimension stay together where launches are cut: more than one where
/// an earlier dimension can't be cut, so that the parts would be narrow strips.
/// \param cut_along  as in stage
std::int64_t strip(const regions::box& indices, unsigned cut_along, std::size_t dimension);

/// Dimensions of the index, as bits, along which all that is reduced is apart: no two values reduce
/// into the same element.
unsigned all_apart_along(const arrays::launch& of);

/// Whether values that a launch reduces are better put aside and merged later: any index may reduce
/// into any element of an array that doesn't fit in caches. Depends on the launch alone.
bool wants_bins(const arrays::launch& of, const batch_request& asked);
/// \param of  wants them
binning bins_for(const arrays::launch& of, const batch_request& asked);
/// Indices of a leaf that puts values aside, so that each bin gets some, as far as memory allows.
std::int64_t binned_indices_max(const arrays::launch& of);
/// The same for the memory there is. Results don't depend on it where leaves follow each other as
/// their indices do.
std::int64_t binned_indices(const arrays::launch& of, const batch_request& asked);

/// Bytes that an item may touch, so that what all threads' items touch takes 3/8 of memory together
/// where they share half of it, as neighbours do that lie in a row. Of what is used, memory keeps
/// the newest quarter for sure; for two threads shares two thirds and twice as large moved more
/// bytes between it and the disk. Not less than is leased at a time anyway.
double room_of_an_item(const arrays::launch& of, const cost::machine& m);

/// Dimensions, as bits, along which an item may be cut into boxes that are run in any order of the
/// dimensions.
unsigned dimensions_to_cut(const stage& s);

/// A cell that the low ends of the grid don't cut short.
regions::box typical_cell(const regions::grid& cells);
/// Whether any two cells of indices touch different places of an argument. Proven dimension by
/// dimension: it may be so without that.
/// \param places  of elements: themselves, or what they are part of
bool are_separate(const arrays::launch& of, std::size_t argument, const regions::grid& cells,
                  const std::function<regions::box(const regions::box& elements)>& places);

/// Whether what an access of the stage's launch reduces is made leaf by leaf, and comes to its
/// array once the last item is done.
bool is_partial(const stage& s, std::size_t access);

/// The items of the stage that `n` is about, in their grid's coordinates, that an item of `later`
/// waits for. Maybe more than touch the same elements, never fewer.
regions::box items_before(const plan& p, const stage& later, const need& n,
                          const regions::box& indices);

/// The stages that some item of this one waits for.
std::vector<stage_index> stages_before(const stage& s);

/// "8x1 cells of [0:99,0:9], in tiles of 16x128".
std::string items_text(const stage& s);
/// "reads 64 MiB, writes 64 MiB, about 5.1 ms".
std::string traffic_text(const stage& s);

/// The plan as an SVG document (picture.cpp): a column for each array, below it what launches touch
/// of it, launch by launch in their order; needs, and brackets round launches that take turns.
std::string draw_batch(const plan& p);

/// Throws std::logic_error where an item could run before one that it needs, or beside one that
/// touches the same element: looked at element by element, so for small plans.
void verify_batch(const plan& p);

}  // namespace pappus::plan
