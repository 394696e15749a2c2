// map, filter and flat_map: a fused stage's records written to memory.
//
// One record out per record in: each goes to its own row. Otherwise a record's place is the number
// of records that the rows before it yield, and devices find it in different ways.
//
// Like a CPU, a work-item walks a block of consecutive rows. A filter's block writes what it keeps
// one after another at the block's beginning and tells how many; whoever takes the result takes the
// blocks' runs. Nothing is scanned or moved twice; the price is copying runs instead of one piece.
// A flat_map's blocks count first, then write from where the block before ends.
//
// Elsewhere a work-item walks no block: its neighbours would read rows that lie far apart, each from
// a line of its own. A work-item is a row's, and neighbours read and write neighbouring rows. A
// filter's row leaves its record in place and tells 0 or 1; a flat_map's row tells how many records
// it has. The host lets scan.cl turn these into places, with the total behind the last. Then a
// filter's records move to their places, and a flat_map's are written there.
//
// So a filter evaluates the element function once a row everywhere; for a flat_map it is evaluated
// to count and again to write, because there is no room for records whose number isn't known.
//
// Alternatives where it isn't like a CPU: a filter that evaluates the element function again in
// place of keeping records writes and reads less where records are large and few are kept, but
// functions cost what their authors like. A group that scans its own rows' flags in local memory
// and adds its total to a counter saves the scan of all rows, but then the order of groups is up
// to the device, and results keep the order of rows.

#if !ELEMENT_MANY
WIDE KERNEL void map_rows(ELEMENT_PARAMS, long rows, OUT_ROWS out) {
  INDEPENDENT_ROWS
  FOR_ROWS(row, rows) {
    element_out value;
    if (element(ELEMENT_ARGS, row, &value)) STORE(out, row, value);
  }
}
#endif

#if LIKE_CPU

DEVICE long block_begin(long rows, long block, long blocks) {
  return (long)((ulong)rows * (ulong)block / (ulong)blocks);
}

#if !ELEMENT_MANY
KERNEL void filter_blocks(ELEMENT_PARAMS, long rows, long blocks, OUT_ROWS out,
                          GLOBAL long* counts) {
  for (long block = (long)ITEM; block < blocks; block += (long)ITEMS) {
    const long begin = block_begin(rows, block, blocks), end = block_begin(rows, block + 1, blocks);
    long at = begin;
    for (long row = begin; row < end; ++row) {
      element_out value;
      if (element(ELEMENT_ARGS, row, &value)) {
        STORE(out, at, value);
        ++at;
      }
    }
    counts[block] = at - begin;
  }
}
#endif

#if ELEMENT_MANY || LIKE_HOST
KERNEL void count_blocks(ELEMENT_PARAMS, long rows, long blocks, GLOBAL long* counts) {
  for (long block = (long)ITEM; block < blocks; block += (long)ITEMS) {
    const long end = block_begin(rows, block + 1, blocks);
    long count = 0;
    for (long row = block_begin(rows, block, blocks); row < end; ++row)
      count += element_count(ELEMENT_ARGS, row);
    counts[block] = count;
  }
}

KERNEL void write_blocks(ELEMENT_PARAMS, long rows, long blocks, GLOBAL const long* firsts,
                         OUT_ROWS out) {
  for (long block = (long)ITEM; block < blocks; block += (long)ITEMS) {
    const long end = block_begin(rows, block + 1, blocks);
    long at = firsts[block];
    for (long row = block_begin(rows, block, blocks); row < end; ++row)
      at += WRITE_ROW(ELEMENT_ARGS, row, out, at);
  }
}
#endif

#elif !ELEMENT_MANY

KERNEL void mask_rows(ELEMENT_PARAMS, long rows, OUT_ROWS kept, GLOBAL uint* mask) {
  FOR_ROWS(row, rows) {
    element_out value;
    const uint keeps = element(ELEMENT_ARGS, row, &value) ? 1 : 0;
    if (keeps) STORE(kept, row, value);
    mask[row] = keeps;
  }
}

// Of the mask, scanned, there are rows + 1 places.
KERNEL void scatter_rows(GLOBAL const element_out* kept, long rows, GLOBAL const uint* places,
                         OUT_ROWS out) {
  FOR_ROWS(row, rows) {
    const uint to = places[row];
    if (places[row + 1] != to) STORE(out, to, kept[row]);
  }
}

#else

KERNEL void count_rows(ELEMENT_PARAMS, long rows, GLOBAL long* counts) {
  FOR_ROWS(row, rows) { counts[row] = element_count(ELEMENT_ARGS, row); }
}

// Of the counts, scanned, there are rows + 1 places. Rows without records aren't looked at again.
KERNEL void write_rows(ELEMENT_PARAMS, long rows, GLOBAL const long* places, OUT_ROWS out) {
  FOR_ROWS(row, rows) {
    const long to = places[row];
    if (places[row + 1] != to) WRITE_ROW(ELEMENT_ARGS, row, out, to);
  }
}

#endif
