// A fused stage reduced to one state per leaf of rows.
//
// Rows are cut into leaves of a fixed number of rows, and row r of a leaf is added to lane r mod
// LANES, in row order: the same tree of additions as on the CPU (detail/loops/fold.h), so sums
// differ between devices only where single operations do. The host merges leaves, first to last.
//
// A device that is like a CPU gives a work-item whole leaves, whose lanes become vectors. Others give
// each lane a work-item: neighbours read neighbouring rows.

KERNEL void fold_rows(ELEMENT_PARAMS, long rows, long leaf_rows, GLOBAL const uchar* initial,
                      GLOBAL uchar* states, long state_bytes) {
  const long leaves = (rows + leaf_rows - 1) / leaf_rows;
#if LIKE_CPU
  FOR_ROWS(leaf, leaves) {
    const long begin = leaf * leaf_rows;
    const long end = begin + leaf_rows < rows ? begin + leaf_rows : rows;
    LEAF_STATE(state);
    LOAD_STATE(state, initial, state_bytes);
    long row = begin;
    for (; row + LANES <= end; row += LANES)
      for (int lane = 0; lane < LANES; ++lane)
        ACCUMULATE(ELEMENT_ARGS, row + lane, state, lane);
    for (int lane = 0; row < end; ++row, ++lane) ACCUMULATE(ELEMENT_ARGS, row, state, lane);
    STORE_STATE(state, states + leaf * state_bytes, state_bytes);
  }
#else
  for (long i = (long)ITEM; i < leaves * LANES; i += (long)ITEMS) {
    const long leaf = i / LANES, lane = i % LANES;
    const long end = (leaf + 1) * leaf_rows < rows ? (leaf + 1) * leaf_rows : rows;
    reducer_state state = ((GLOBAL const reducer_state*)initial)[lane];
    for (long row = leaf * leaf_rows + lane; row < end; row += LANES)
      accumulate_row(ELEMENT_ARGS, row, &state);
    ((GLOBAL reducer_state*)(states + leaf * state_bytes))[lane] = state;
  }
#endif
}
