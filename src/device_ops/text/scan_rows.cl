// Running values of a stage's records.
//
// Rows are cut into tiles of a fixed number of rows. tile_totals combines the records of each tile;
// whoever launches it combines the totals in order; scan_tiles goes through the rows again, from
// the value of all rows before the tile.
//
// A device that is like a CPU gives a work-item whole tiles and applies the operator to the same
// pairs as the CPU does (detail/loops/scan.h). Others give a tile to a group: each item combines
// ITEM_ROWS consecutive rows, the items' totals are scanned in log2(items) steps (Hillis and Steele
// 1986), and each item goes on from the total of those before it. Operators needn't commute.
//
// Before this text: for devices that compile, ITEM_ROWS and combine().

#if !LIKE_HOST
#define LOAD(args, to, rows, at) ((to) = (rows)[at])
#define COMBINE_INTO(args, total, value) ((total) = combine(total, value))
#define STORE_COMBINED(args, rows, at, a, b) ((rows)[at] = combine(a, b))
#endif

#if LIKE_CPU

KERNEL void tile_totals(ELEMENT_PARAMS, long rows, long tile_rows, OUT_ROWS totals) {
  const long tiles = (rows + tile_rows - 1) / tile_rows;
  FOR_ROWS(tile, tiles) {
    const long begin = tile * tile_rows;
    const long end = begin + tile_rows < rows ? begin + tile_rows : rows;
    element_out total;
    element(ELEMENT_ARGS, begin, &total);
    for (long row = begin + 1; row < end; ++row) {
      element_out value;
      element(ELEMENT_ARGS, row, &value);
      COMBINE_INTO(ELEMENT_ARGS, total, value);
    }
    STORE(totals, tile, total);
  }
}

// befores[0] isn't looked at unless has_before.
KERNEL void scan_tiles(ELEMENT_PARAMS, long rows, long tile_rows, int exclusive, int has_before,
                       OUT_ROWS befores, OUT_ROWS out) {
  const long tiles = (rows + tile_rows - 1) / tile_rows;
  FOR_ROWS(tile, tiles) {
    const long begin = tile * tile_rows;
    const long end = begin + tile_rows < rows ? begin + tile_rows : rows;
    const int any_before = tile > 0 || has_before;
    element_out before, running;
    if (any_before) LOAD(ELEMENT_ARGS, before, befores, tile);
    element(ELEMENT_ARGS, begin, &running);
    if (exclusive)
      STORE(out, begin, before);
    else if (any_before)
      STORE_COMBINED(ELEMENT_ARGS, out, begin, before, running);
    else
      STORE(out, begin, running);
    for (long row = begin + 1; row < end; ++row) {
      element_out value;
      if (exclusive) STORE_COMBINED(ELEMENT_ARGS, out, row, before, running);
      element(ELEMENT_ARGS, row, &value);
      COMBINE_INTO(ELEMENT_ARGS, running, value);
      if (exclusive) continue;
      if (any_before)
        STORE_COMBINED(ELEMENT_ARGS, out, row, before, running);
      else
        STORE(out, row, running);
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
    if (takes_) both_ = combine((part)[(item)-step_], (part)[item]); \
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
      total = combine(total, value);
    }
    part[item] = total;
  }
  BARRIER();
  SCAN_GROUP(part, item, count)
  if (item == 0) totals[tile] = part[count - 1];
}

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
      total = combine(total, own[j]);
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
    running = any_before ? combine(running, part[item - 1]) : part[item - 1];
    any_before = 1;
  }
  for (int j = 0; j < ITEM_ROWS && first + j < end; ++j) {
    if (exclusive) out[first + j] = running;
    running = any_before ? combine(running, own[j]) : own[j];
    any_before = 1;
    if (!exclusive) out[first + j] = running;
  }
}

#endif
