// Stable sort of key bits by radix, with a row number each.
//
// Problem: to order up to 2^32 keys of 4 or 8 bytes, with the same result on any device. Stability
// makes the result unique.
//
// Idea: least significant digit first, 8 bits a pass (Satish, Harris and Garland 2009, Designing
// Efficient Sorting Algorithms for Manycore GPUs). Rows are cut into blocks. A pass counts the
// digits of each block; the counts, ordered by digit and then by block, are scanned (scan.cl),
// which tells where each block's rows of each digit go; then each block moves its rows there, in
// order. A first look at the keys finds the bits in which they differ, so that passes cover only
// those, and whether they are sorted already.
//
// Like a CPU: a block is a work-item's. Else: a block is a group's, which sorts tiles of it in
// local memory, 4 bits at a time with a column of counters for each item (as CUB's BlockRadixRank),
// so that rows leave in runs.
//
// Alternatives: rows that wait in private memory for a cache line to be full (Satish et al. 2010)
// took a third longer on the CPU we measured (Zen 5): its caches and TLB hold 256 open places.
// Buckets by the most significant digit, sorted in the cache, saved a seventh of the time with
// evenly spread keys, and leave one work-item with most rows when they aren't. A single launch for
// all passes (Adinets and Merrill 2022, Onesweep) needs groups that wait for each other, which
// OpenCL doesn't promise.
//
// Not here: making bits of keys (element functions do), moving records (gather.cl).
// KEY is uint or ulong; WITH_ROWS is 0 where keys are all there is.
#ifndef KEY
#define KEY uint
#define WITH_ROWS 1
#endif

enum { digits = 256 };

DEVICE uint digit_of(KEY key, int shift) { return (uint)(key >> shift) & (digits - 1); }

DEVICE long block_start(long n, uint block, uint blocks) {
  return (long)((ulong)n * block / blocks);
}

// The usual first payload: each row's number.
KERNEL void number_rows(GLOBAL uint* rows, long n) {
  FOR_ROWS(i, n) { rows[i] = (uint)i; }
}

#if LIKE_CPU

// Of each block: the bits set in any key, those set in all, and 1 if a key is less than the one
// before it.
KERNEL void look_at_keys(GLOBAL const KEY* keys, long n, uint blocks, GLOBAL KEY* found) {
  if (ITEM >= blocks) return;
  const uint block = (uint)ITEM;
  const long begin = block_start(n, block, blocks), end = block_start(n, block + 1, blocks);
  KEY any = 0, all = (KEY)~(KEY)0, falls = 0;
  KEY before = begin > 0 ? keys[begin - 1] : 0;
  for (long i = begin; i < end; ++i) {
    const KEY key = keys[i];
    any |= key;
    all &= key;
    falls |= key < before ? 1 : 0;
    before = key;
  }
  found[3 * block] = any;
  found[3 * block + 1] = all;
  found[3 * block + 2] = falls;
}

// counts[digit * blocks + block] is the number of such rows.
KERNEL void count_digits(GLOBAL const KEY* keys, long n, int shift, uint blocks,
                         GLOBAL uint* counts) {
  if (ITEM >= blocks) return;
  const uint block = (uint)ITEM;
  const long end = block_start(n, block + 1, blocks);
  uint even[digits], odd[digits];  // two sets, so that equal neighbours don't wait for each other
  for (uint d = 0; d < digits; ++d) even[d] = odd[d] = 0;
  long i = block_start(n, block, blocks);
  for (; i + 2 <= end; i += 2) {
    ++even[digit_of(keys[i], shift)];
    ++odd[digit_of(keys[i + 1], shift)];
  }
  if (i < end) ++even[digit_of(keys[i], shift)];
  for (uint d = 0; d < digits; ++d) counts[d * blocks + block] = even[d] + odd[d];
}

// Moves each block's rows to starts[digit * blocks + block] and on.
KERNEL void move_rows(GLOBAL const KEY* keys, GLOBAL const uint* rows, long n, int shift,
                      uint blocks, GLOBAL const uint* starts, GLOBAL KEY* to_keys,
                      GLOBAL uint* to_rows) {
  if (ITEM >= blocks) return;
  const uint block = (uint)ITEM;
  const long end = block_start(n, block + 1, blocks);
  uint next[digits];
  for (uint d = 0; d < digits; ++d) next[d] = starts[d * blocks + block];
  for (long i = block_start(n, block, blocks); i < end; ++i) {
    const KEY key = keys[i];
    const uint to = next[digit_of(key, shift)]++;
    to_keys[to] = key;
    if (WITH_ROWS) to_rows[to] = rows[i];
  }
}

#else

enum {
  group_items = 256,
  item_rows = 4,
  tile_rows = group_items * item_rows,
  half_bits = 4,  // of a digit, which a tile is sorted by at once
  halves = 1 << half_bits
};

KERNEL void look_at_keys(GLOBAL const KEY* keys, long n, uint blocks, GLOBAL KEY* found) {
  LOCAL KEY part_any[group_items], part_all[group_items], part_falls[group_items];
  const uint block = (uint)GROUP, item = (uint)GROUP_ITEM;
  if (block >= blocks) return;
  const long end = block_start(n, block + 1, blocks);
  KEY any = 0, all = (KEY) ~(KEY)0, falls = 0;
  for (long i = block_start(n, block, blocks) + item; i < end; i += group_items) {
    const KEY key = keys[i];
    any |= key;
    all &= key;
    if (i > 0 && key < keys[i - 1]) falls = 1;
  }
  part_any[item] = any;
  part_all[item] = all;
  part_falls[item] = falls;
  BARRIER();
  for (uint reach = group_items / 2; reach > 0; reach /= 2) {
    if (item < reach) {
      part_any[item] |= part_any[item + reach];
      part_all[item] &= part_all[item + reach];
      part_falls[item] |= part_falls[item + reach];
    }
    BARRIER();
  }
  if (item == 0) {
    found[3 * block] = part_any[0];
    found[3 * block + 1] = part_all[0];
    found[3 * block + 2] = part_falls[0];
  }
}

KERNEL void count_digits(GLOBAL const KEY* keys, long n, int shift, uint blocks,
                         GLOBAL uint* counts) {
  LOCAL uint own[digits];
  const uint block = (uint)GROUP, item = (uint)GROUP_ITEM;
  if (block >= blocks) return;
  const long end = block_start(n, block + 1, blocks);
  own[item] = 0;
  BARRIER();
  for (long i = block_start(n, block, blocks) + item; i < end; i += group_items)
    LOCAL_INCREMENT(&own[digit_of(keys[i], shift)]);
  BARRIER();
  counts[item * blocks + block] = own[item];
}

KERNEL void move_rows(GLOBAL const KEY* keys, GLOBAL const uint* rows, long n, int shift,
                      uint blocks, GLOBAL const uint* starts, GLOBAL KEY* to_keys,
                      GLOBAL uint* to_rows) {
  LOCAL KEY tile_keys[tile_rows];
  LOCAL uint tile_payload[WITH_ROWS ? tile_rows : 1];
  LOCAL ushort places[halves * group_items];  // of an item's next row with each half digit
  LOCAL uint part[group_items];
  LOCAL uint next[digits];   // where the next row of each digit goes
  LOCAL uint first[digits];  // where the tile's rows of each digit begin
  const uint block = (uint)GROUP, item = (uint)GROUP_ITEM;
  if (block >= blocks) return;
  const long end = block_start(n, block + 1, blocks);
  next[item] = starts[item * blocks + block];
  for (long tile = block_start(n, block, blocks); tile < end; tile += tile_rows) {
    const uint rows_here = (uint)(end - tile < tile_rows ? end - tile : tile_rows);
    // What is behind the last row sorts behind all rows: its digit is the greatest, it comes last.
    for (uint i = item; i < tile_rows; i += group_items) {
      tile_keys[i] = i < rows_here ? keys[tile + i] : (KEY) ~(KEY)0;
      if (WITH_ROWS) tile_payload[i] = i < rows_here ? rows[tile + i] : 0;
    }
    BARRIER();
    for (int pass = 0; pass < 2; ++pass) {
      KEY own[item_rows];
      uint own_payload[item_rows], own_half[item_rows], before[item_rows];
      for (uint h = 0; h < halves; ++h) places[h * group_items + item] = 0;
      for (uint j = 0; j < item_rows; ++j) {
        own[j] = tile_keys[item * item_rows + j];
        own_payload[j] = WITH_ROWS ? tile_payload[item * item_rows + j] : 0;
        own_half[j] = digit_of(own[j], shift) >> (half_bits * pass) & (halves - 1);
        before[j] = places[own_half[j] * group_items + item]++;
      }
      BARRIER();
      // Scans all counters, by half digit and then by item; each item takes `halves` of them.
      uint sum = 0;
      for (uint c = 0; c < halves; ++c) sum += places[item * halves + c];
      part[item] = sum;
      BARRIER();
      for (uint step = 1; step < group_items; step *= 2) {  // Hillis and Steele 1986
        const uint add = item >= step ? part[item - step] : 0;
        BARRIER();
        part[item] += add;
        BARRIER();
      }
      uint at = part[item] - sum;
      for (uint c = 0; c < halves; ++c) {
        const uint count = places[item * halves + c];
        places[item * halves + c] = (ushort)at;
        at += count;
      }
      BARRIER();
      for (uint j = 0; j < item_rows; ++j) {
        const uint to = places[own_half[j] * group_items + item] + before[j];
        tile_keys[to] = own[j];
        if (WITH_ROWS) tile_payload[to] = own_payload[j];
      }
      BARRIER();
    }
    for (uint i = item; i < rows_here; i += group_items) {
      const uint d = digit_of(tile_keys[i], shift);
      if (i == 0 || digit_of(tile_keys[i - 1], shift) != d) first[d] = i;
    }
    BARRIER();
    for (uint i = item; i < rows_here; i += group_items) {
      const KEY key = tile_keys[i];
      const uint d = digit_of(key, shift);
      const uint to = next[d] + i - first[d];
      to_keys[to] = key;
      if (WITH_ROWS) to_rows[to] = tile_payload[i];
    }
    BARRIER();
    for (uint i = item; i < rows_here; i += group_items) {
      const uint d = digit_of(tile_keys[i], shift);
      if (i + 1 == rows_here || digit_of(tile_keys[i + 1], shift) != d) next[d] += i + 1 - first[d];
    }
    BARRIER();
  }
}

#endif
