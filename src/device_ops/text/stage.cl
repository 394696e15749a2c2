// What operators' texts say about records and states, for devices that compile them. The host's
// version is device_ops/host/host_stage.h.

#define LIKE_HOST 0

// Records that come out.
#define OUT_ROWS GLOBAL element_out*
#define STORE(rows, at, value) ((rows)[at] = (value))
#define WRITE_ROW(args, row, out, at) element_write(args, row, (out) + (at))

// States of a reduction: LANES of them.
#ifndef LANES
#define LANES 1
#endif
#define LEAF_STATE(state) reducer_state state[LANES]
#define ACCUMULATE(args, row, state, lane) accumulate_row(args, row, &(state)[lane])
#define LOAD_STATE(state, from, bytes) \
  for (int lane_ = 0; lane_ < LANES; ++lane_) \
    (state)[lane_] = ((GLOBAL const reducer_state*)(from))[lane_]
#define STORE_STATE(state, to, bytes) \
  for (int lane_ = 0; lane_ < LANES; ++lane_) \
    ((GLOBAL reducer_state*)(to))[lane_] = (state)[lane_]
