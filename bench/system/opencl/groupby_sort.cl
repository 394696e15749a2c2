// Groups of a chunk by sorting: keys with their rows' numbers, a digit of 8 bits a pass, then runs
// of equal keys are added up.

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

typedef struct {
  int key;
  double value;
} row;

typedef struct {
  int key;
  double sum;
  long count;
} group;

enum { digits = 256 };

#define BLOCK_BEGIN (rows * get_global_id(0) / get_global_size(0))
#define BLOCK_END (rows * (get_global_id(0) + 1) / get_global_size(0))

// Keys as unsigned numbers in the order of the signed ones; the bits set in any and in all of them.
kernel void extract(global const row* input, long rows, global uint* keys, global uint* places,
                    global uint* found) {
  uint any = 0, all = ~0u;
  const long end = BLOCK_END;
  for (long i = BLOCK_BEGIN; i < end; ++i) {
    const uint key = (uint)input[i].key ^ 0x80000000u;
    keys[i] = key;
    places[i] = (uint)i;
    any |= key;
    all &= key;
  }
  found[2 * get_global_id(0)] = any;
  found[2 * get_global_id(0) + 1] = all;
}

kernel void count_digits(global const uint* keys, long rows, int shift, global uint* counts) {
  uint even[digits], odd[digits];
  for (int d = 0; d < digits; ++d) even[d] = odd[d] = 0;
  const long end = BLOCK_END;
  long i = BLOCK_BEGIN;
  for (; i + 2 <= end; i += 2) {
    ++even[keys[i] >> shift & 255];
    ++odd[keys[i + 1] >> shift & 255];
  }
  if (i < end) ++even[keys[i] >> shift & 255];
  for (int d = 0; d < digits; ++d)
    counts[d * get_global_size(0) + get_global_id(0)] = even[d] + odd[d];
}

// The total goes behind the last.
kernel void scan_counts(global uint* counts, int n) {
  uint sum = 0;
  for (int i = 0; i < n; ++i) {
    const uint own = counts[i];
    counts[i] = sum;
    sum += own;
  }
  counts[n] = sum;
}

kernel void move_rows(global const uint* keys, global const uint* places, long rows, int shift,
                      global const uint* starts, global uint* to_keys, global uint* to_places) {
  uint next[digits];
  for (int d = 0; d < digits; ++d)
    next[d] = starts[d * get_global_size(0) + get_global_id(0)];
  const long end = BLOCK_END;
  for (long i = BLOCK_BEGIN; i < end; ++i) {
    const uint key = keys[i], to = next[key >> shift & 255]++;
    to_keys[to] = key;
    to_places[to] = places[i];
  }
}

kernel void count_heads(global const uint* keys, long rows, global uint* counts) {
  const long begin = BLOCK_BEGIN, end = BLOCK_END;
  uint heads = begin == 0 && end > 0;
  for (long i = max(begin, (long)1); i < end; ++i) heads += keys[i] != keys[i - 1];
  counts[get_global_id(0)] = heads;
}

kernel void write_heads(global const uint* keys, long rows, global const uint* places,
                        global uint* starts) {
  uint to = places[get_global_id(0)];
  const long end = BLOCK_END;
  for (long i = BLOCK_BEGIN; i < end; ++i)
    if (i == 0 || keys[i] != keys[i - 1]) starts[to++] = (uint)i;
}

// There are counts[last] groups.
kernel void fold_groups(global const row* input, long rows, global const uint* keys,
                        global const uint* places, global const uint* starts,
                        global const uint* counts, int last, global group* groups) {
  const long n = counts[last];
  const long begin = n * get_global_id(0) / get_global_size(0);
  const long end = n * (get_global_id(0) + 1) / get_global_size(0);
  for (long g = begin; g < end; ++g) {
    const long first = starts[g], behind = g + 1 < n ? starts[g + 1] : rows;
    double sum = 0;
    for (long i = first; i < behind; ++i) sum += input[places[i]].value;
    group out;
    out.key = (int)(keys[first] ^ 0x80000000u);
    out.sum = sum;
    out.count = behind - first;
    groups[g] = out;
  }
}
