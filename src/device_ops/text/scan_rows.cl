// Running values of a stage's records.
//
// Rows are cut into tiles of a fixed number of rows. tile_totals combines the records of each tile;
// the totals are combined in order; scan_tiles goes through the rows again, from the value of all
// rows before the tile.
//
// A device that is like a CPU gives a work-item whole tiles and applies the operator to the same
// pairs as the CPU does (detail/loops/scan.h). Each tile combines the totals before it by itself:
// they are few. Others give a tile to a group: each item combines ITEM_ROWS consecutive rows, the
// items' totals are scanned in log2(items) steps (Hillis and Steele 1986), and each item goes on
// from the total of those before it; whoever launches it combines the tiles' totals. Operators
// needn't commute.
//
// Before this text: for devices that compile, ITEM_ROWS and combine().

#if !LIKE_HOST
#define LOAD(args, to, rows, at) ((to) = (rows)[at])
#define COMBINE_INTO(args, total, value) ((total) = combine(args, total, value))
#define STORE_COMBINED(args, rows, at, a, b) ((rows)[at] = combine(args, a, b))
#endif

#if LIKE_CPU

// Every round of a scan's loops waits for the one before, so that what else it does must not cost.
#if !LIKE_HOST && defined(__clang__)
#define UNROLLED __attribute__((opencl_unroll_hint(4)))
#else
#define UNROLLED
#endif

#define ADD_ROW(total, row)                    \
  {                                            \
    element_out value_;                        \
    element(ELEMENT_ARGS, row, &value_);       \
    COMBINE_INTO(ELEMENT_ARGS, total, value_); \
  }

KERNEL void tile_totals(ELEMENT_PARAMS, long rows, long tile_rows, OUT_ROWS totals) {
  const long tiles = (rows + tile_rows - 1) / tile_rows;
  FOR_ROWS(tile, tiles) {
    const long begin = tile * tile_rows;
    const long end = begin + tile_rows < rows ? begin + tile_rows : rows;
    element_out total;
    element(ELEMENT_ARGS, begin, &total);
    for (long row = begin + 1; row < end; ++row) ADD_ROW(total, row);
    STORE(totals, tile, total);
  }
}

// before_chunk[0] is the value of all rows before the chunk, which isn't looked at unless has_before.
// after_chunk[0] becomes that of the rows up to its end, if more of them follow.
KERNEL void scan_tiles(ELEMENT_PARAMS, long rows, long tile_rows, int exclusive, int has_before,
                       int more_follow, OUT_ROWS before_chunk, OUT_ROWS totals,
                       OUT_ROWS after_chunk, OUT_ROWS out) {
  const long tiles = (rows + tile_rows - 1) / tile_rows;
  FOR_ROWS(tile, tiles) {
    const long begin = tile * tile_rows;
    const long end = begin + tile_rows < rows ? begin + tile_rows : rows;
    const int any_before = tile > 0 || has_before;
    element_out before, running;
    if (has_before)
      LOAD(ELEMENT_ARGS, before, before_chunk, 0);
    else if (tile > 0)
      LOAD(ELEMENT_ARGS, before, totals, 0);
    for (long other = has_before ? 0 : 1; other < tile; ++other) {
      element_out total;
      LOAD(ELEMENT_ARGS, total, totals, other);
      COMBINE_INTO(ELEMENT_ARGS, before, total);
    }
    if (more_follow && tile + 1 == tiles) {
      element_out total;
      LOAD(ELEMENT_ARGS, total, totals, tile);
      if (any_before)
        STORE_COMBINED(ELEMENT_ARGS, after_chunk, 0, before, total);
      else
        STORE(after_chunk, 0, total);
    }
    element(ELEMENT_ARGS, begin, &running);
    if (exclusive) {
      STORE(out, begin, before);
      UNROLLED for (long row = begin + 1; row < end; ++row) {
        STORE_COMBINED(ELEMENT_ARGS, out, row, before, running);
        ADD_ROW(running, row);
      }
    } else if (any_before) {
      UNROLLED for (long row = begin + 1; row < end; ++row) {
        STORE_COMBINED(ELEMENT_ARGS, out, row - 1, before, running);
        ADD_ROW(running, row);
      }
      STORE_COMBINED(ELEMENT_ARGS, out, end - 1, before, running);
    } else {
      for (long row = begin + 1; row < end; ++row) {
        STORE(out, row - 1, running);
        ADD_ROW(running, row);
      }
      STORE(out, end - 1, running);
    }
  }
}

#else

enum { group_items = 256 };

// part[item] becomes the combination of part[0], ..., part[item]. Of the group's items, `count`
// have a value.
#define SCAN_GROUP(part, item, count)                                \
  for (uint step_ = 1; step_ < (count); step_ *= 2) {                \
    element_out both_;                                               \
    const int takes_ = (item) >= step_ && (item) < (count);          \
    if (takes_) both_ = combine(ELEMENT_ARGS, (part)[(item)-step_], (part)[item]); \
    BARRIER();                                                       \
    if (takes_) (part)[item] = both_;                                \
    BARRIER();                                                       \
  }

KERNEL void tile_totals(ELEMENT_PARAMS, long rows, long tile_rows, OUT_ROWS totals) {
  LOCAL element_out part[group_items];
  const long tile = (long)GROUP, begin = tile * tile_rows;
  const uint item = (uint)GROUP_ITEM;
  if (begin >= rows) return;
  const long end = begin + tile_rows < rows ? begin + tile_rows : rows;
  const uint count = (uint)((end - begin + ITEM_ROWS - 1) / ITEM_ROWS);
  if (item < count) {
    const long first = begin + (long)item * ITEM_ROWS;
    element_out total;
    element(ELEMENT_ARGS, first, &total);
    for (long row = first + 1; row < first + ITEM_ROWS && row < end; ++row) {
      element_out value;
      element(ELEMENT_ARGS, row, &value);
      total = combine(ELEMENT_ARGS, total, value);
    }
    part[item] = total;
  }
  BARRIER();
  SCAN_GROUP(part, item, count)
  if (item == 0) totals[tile] = part[count - 1];
}

// befores[0] isn't looked at unless has_before.
KERNEL void scan_tiles(ELEMENT_PARAMS, long rows, long tile_rows, int exclusive, int has_before,
                       OUT_ROWS befores, OUT_ROWS out) {
  LOCAL element_out part[group_items];
  const long tile = (long)GROUP, begin = tile * tile_rows;
  const uint item = (uint)GROUP_ITEM;
  if (begin >= rows) return;
  const long end = begin + tile_rows < rows ? begin + tile_rows : rows;
  const uint count = (uint)((end - begin + ITEM_ROWS - 1) / ITEM_ROWS);
  const long first = begin + (long)item * ITEM_ROWS;
  element_out own[ITEM_ROWS];
  if (item < count) {
    element(ELEMENT_ARGS, first, &own[0]);
    element_out total = own[0];
    for (int j = 1; j < ITEM_ROWS && first + j < end; ++j) {
      element(ELEMENT_ARGS, first + j, &own[j]);
      total = combine(ELEMENT_ARGS, total, own[j]);
    }
    part[item] = total;
  }
  BARRIER();
  SCAN_GROUP(part, item, count)
  if (item >= count) return;
  int any_before = tile > 0 || has_before;
  element_out running;
  if (any_before) running = befores[tile];
  if (item > 0) {
    running = any_before ? combine(ELEMENT_ARGS, running, part[item - 1]) : part[item - 1];
    any_before = 1;
  }
  for (int j = 0; j < ITEM_ROWS && first + j < end; ++j) {
    if (exclusive) out[first + j] = running;
    running = any_before ? combine(ELEMENT_ARGS, running, own[j]) : own[j];
    any_before = 1;
    if (!exclusive) out[first + j] = running;
  }
}

#endif
