// Exclusive prefix sums, in place.
//
// Problem: each place needs the sum of all before it, and a sum that waits for its neighbour is
// sequential.
//
// Idea: reduce, then scan (Merrill and Grimshaw 2009, Parallel Scan for Stream Architectures). Rows
// are cut into few blocks: every block is summed, the sums are scanned by the same kernel as a
// single block, and every block scans its rows from there. Rows are read twice and written once,
// and three launches do for any length. A block is a work-item's where it is like a CPU, else a
// group's, which walks it tile by tile with a running total.
//
// Alternatives: one pass with decoupled look-back (Merrill and Garland 2016) saves a read, but a
// group then waits for another one, and OpenCL doesn't promise that the other one runs.
//
// Not here: scans of records by an operator of the user's. TOTAL is uint or ulong; sums wrap.
#ifndef TOTAL
#define TOTAL ulong
#endif

DEVICE long block_start(long n, uint block, uint blocks) {
  return (long)((ulong)n * block / blocks);
}

#if LIKE_CPU

// sums[b] is the sum of block b.
KERNEL void block_sums(GLOBAL const TOTAL* values, long n, uint blocks, GLOBAL TOTAL* sums) {
  if (ITEM >= blocks) return;
  const uint block = (uint)ITEM;
  const long end = block_start(n, block + 1, blocks);
  TOTAL sum = 0;
  for (long i = block_start(n, block, blocks); i < end; ++i) sum += values[i];
  sums[block] = sum;
}

// Scans each block from the sum of those before it, which isn't read for a single block. The total
// goes behind the last value.
KERNEL void scan_blocks(GLOBAL TOTAL* values, long n, uint blocks, GLOBAL const TOTAL* before) {
  if (ITEM >= blocks) return;
  const uint block = (uint)ITEM;
  const long end = block_start(n, block + 1, blocks);
  TOTAL sum = blocks == 1 ? 0 : before[block];
  for (long i = block_start(n, block, blocks); i < end; ++i) {
    const TOTAL value = values[i];
    values[i] = sum;
    sum += value;
  }
  if (block + 1 == blocks) values[n] = sum;
}

#else

enum { group_items = 256, item_rows = 4, tile_rows = group_items * item_rows };

KERNEL void block_sums(GLOBAL const TOTAL* values, long n, uint blocks, GLOBAL TOTAL* sums) {
  LOCAL TOTAL part[group_items];
  const uint block = (uint)GROUP, item = (uint)GROUP_ITEM;
  if (block >= blocks) return;
  const long end = block_start(n, block + 1, blocks);
  TOTAL sum = 0;
  for (long i = block_start(n, block, blocks) + item; i < end; i += group_items) sum += values[i];
  part[item] = sum;
  BARRIER();
  for (uint reach = group_items / 2; reach > 0; reach /= 2) {
    if (item < reach) part[item] += part[item + reach];
    BARRIER();
  }
  if (item == 0) sums[block] = part[0];
}

KERNEL void scan_blocks(GLOBAL TOTAL* values, long n, uint blocks, GLOBAL const TOTAL* before) {
  LOCAL TOTAL part[group_items];
  const uint block = (uint)GROUP, item = (uint)GROUP_ITEM;
  if (block >= blocks) return;
  const long end = block_start(n, block + 1, blocks);
  TOTAL sum = blocks == 1 ? 0 : before[block];
  for (long tile = block_start(n, block, blocks); tile < end; tile += tile_rows) {
    const long first = tile + (long)item * item_rows;
    TOTAL own[item_rows];
    TOTAL own_sum = 0;
    for (int j = 0; j < item_rows; ++j) {
      own[j] = first + j < end ? values[first + j] : 0;
      own_sum += own[j];
    }
    part[item] = own_sum;
    BARRIER();
    for (uint step = 1; step < group_items; step *= 2) {  // Hillis and Steele 1986
      const TOTAL add = item >= step ? part[item - step] : 0;
      BARRIER();
      part[item] += add;
      BARRIER();
    }
    TOTAL at = sum + part[item] - own_sum;
    for (int j = 0; j < item_rows; ++j) {
      if (first + j < end) values[first + j] = at;
      at += own[j];
    }
    sum += part[group_items - 1];
    BARRIER();
  }
  if (block + 1 == blocks && item == 0) values[n] = sum;
}

#endif
