// Where runs of equal keys begin, and what keys they are.
//
// Problem: after a sort, a group is a run of rows. Its number is the number of keys before it that
// differ from their predecessor.
//
// Idea: count such heads, scan the counts (scan.cl), write each head to its place. Like a CPU, a
// count is a block's and a work-item walks its block twice; else it is a row's. Then a run is cut at
// each row whose number is a multiple of mask + 1, a power of two, if as many rows before it are the
// run's, too: so no work-item that goes through a piece gets a very long one.
//
// Alternatives: one pass that guesses the number of groups has nowhere to put the rest.
// KEY is uint or ulong.
#ifndef KEY
#define KEY uint
#endif

DEVICE int is_head(GLOBAL const KEY* keys, long row) {
  return row == 0 || keys[row] != keys[row - 1];
}

#if LIKE_CPU

KERNEL void count_heads(GLOBAL const KEY* keys, long n, uint blocks, uint mask,
                        GLOBAL uint* counts) {
  (void)mask;
  if (ITEM >= blocks) return;
  const long begin = (long)((ulong)n * ITEM / blocks), end = (long)((ulong)n * (ITEM + 1) / blocks);
  uint heads = begin == 0 && end > 0;
  for (long i = begin > 0 ? begin : 1; i < end; ++i) heads += keys[i] != keys[i - 1];
  counts[ITEM] = heads;
}

// The row behind the last one ends the last run.
KERNEL void write_heads(GLOBAL const KEY* keys, long n, uint blocks, uint mask,
                        GLOBAL const uint* places, GLOBAL uint* starts, GLOBAL KEY* unique) {
  (void)mask;
  if (ITEM >= blocks) return;
  const long begin = (long)((ulong)n * ITEM / blocks), end = (long)((ulong)n * (ITEM + 1) / blocks);
  uint to = places[ITEM];
  for (long i = begin; i < end; ++i) {
    if (!is_head(keys, i)) continue;
    starts[to] = (uint)i;
    unique[to] = keys[i];
    ++to;
  }
  if (ITEM + 1 == blocks) starts[to] = (uint)n;
}

#else

DEVICE int begins_piece(GLOBAL const KEY* keys, long row, long mask) {
  return is_head(keys, row) || ((row & mask) == 0 && keys[row - mask - 1] == keys[row]);
}

KERNEL void count_heads(GLOBAL const KEY* keys, long n, uint blocks, uint mask,
                        GLOBAL uint* counts) {
  (void)blocks;
  FOR_ROWS(i, n) { counts[i] = (uint)begins_piece(keys, i, (long)mask); }
}

KERNEL void write_heads(GLOBAL const KEY* keys, long n, uint blocks, uint mask,
                        GLOBAL const uint* places, GLOBAL uint* starts, GLOBAL KEY* unique) {
  (void)blocks;
  (void)mask;
  FOR_ROWS(i, n) {
    if (places[i] != places[i + 1]) {
      starts[places[i]] = (uint)i;
      unique[places[i]] = keys[i];
    }
  }
  if (ITEM == 0) starts[places[n]] = (uint)n;
}

#endif
