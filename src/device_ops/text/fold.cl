// A fused stage reduced to one state per leaf of rows.
//
// Rows are cut into leaves of a fixed number of rows, and row r of a leaf is added to lane r mod
// LANES, in row order. The host merges leaves in a tree. On devices like a CPU it is the same tree
// of additions as on the CPU (detail/loops/fold.h), so sums differ only where single operations do.
//
// A device that is like a CPU gives a work-item whole leaves, whose lanes become vectors. Others give
// each lane a work-item: neighbours read neighbouring rows. So they do of reducers that have no lanes
// and take rows in any order: NEIGHBOURS leaves share a stretch of rows, dealt out one by one.

KERNEL void fold_rows(ELEMENT_PARAMS, long rows, long leaf_rows, GLOBAL const uchar* initial,
                      GLOBAL uchar* states, long state_bytes) {
#if LIKE_CPU
  const long leaves = (rows + leaf_rows - 1) / leaf_rows;
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
  const long stretch = leaf_rows * NEIGHBOURS, stretches = (rows + stretch - 1) / stretch;
  for (long i = (long)ITEM; i < stretches * NEIGHBOURS * LANES; i += (long)ITEMS) {
    const long first = i / (NEIGHBOURS * LANES) * stretch, own = i % (NEIGHBOURS * LANES);
    const long end = first + stretch < rows ? first + stretch : rows;
    reducer_state state = ((GLOBAL const reducer_state*)initial)[own % LANES];
    for (long row = first + own; row < end; row += NEIGHBOURS * LANES)
      accumulate_row(ELEMENT_ARGS, row, &state);
    ((GLOBAL reducer_state*)(states + i / LANES * state_bytes))[i % LANES] = state;
  }
#endif
}
