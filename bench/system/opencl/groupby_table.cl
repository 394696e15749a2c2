// Groups in a table for each work-item, which the host merges.

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

typedef struct {
  int key;
  double value;
} row;

typedef struct {
  double sum;
  long count;
} state;

#define BLOCK_BEGIN (rows * get_global_id(0) / get_global_size(0))
#define BLOCK_END (rows * (get_global_id(0) + 1) / get_global_size(0))

kernel void clear_tables(global state* tables, long states) {
  const long begin = states * get_global_id(0) / get_global_size(0);
  const long end = states * (get_global_id(0) + 1) / get_global_size(0);
  for (long i = begin; i < end; ++i) {
    tables[i].sum = 0;
    tables[i].count = 0;
  }
}

// Keys are 0, ..., keys - 1. *fault becomes 1 if one isn't.
kernel void add_to_table(global const row* input, long rows, int keys, global state* tables,
                         global int* fault) {
  global state* table = tables + get_global_id(0) * keys;
  const long end = BLOCK_END;
  for (long i = BLOCK_BEGIN; i < end; ++i) {
    const row r = input[i];
    if ((uint)r.key >= (uint)keys) {
      *fault = 1;
      continue;
    }
    table[r.key].sum += r.value;
    table[r.key].count += 1;
  }
}

// The same two rows at a time in two tables, so that neighbours with the same key don't wait for
// each other; tables has 2 * keys states for each work-item.
kernel void add_to_two_tables(global const row* input, long rows, int keys, global state* tables,
                              global int* fault) {
  global state* even = tables + get_global_id(0) * 2 * keys;
  global state* odd = even + keys;
  const long end = BLOCK_END;
  int wrong = 0;
  long i = BLOCK_BEGIN;
  for (; i + 2 <= end; i += 2) {
    const row a = input[i], b = input[i + 1];
    const int bad = (uint)a.key >= (uint)keys | (uint)b.key >= (uint)keys;
    wrong |= bad;
    if (bad) continue;
    const double a_sum = even[a.key].sum + a.value, b_sum = odd[b.key].sum + b.value;
    even[a.key].sum = a_sum;
    odd[b.key].sum = b_sum;
    even[a.key].count += 1;
    odd[b.key].count += 1;
  }
  if (i < end) {
    const row a = input[i];
    if ((uint)a.key < (uint)keys) {
      even[a.key].sum += a.value;
      even[a.key].count += 1;
    } else {
      wrong = 1;
    }
  }
  if (wrong) *fault = 1;
}

// Keys are unknown: a hash table with linear probing, `slots` a power of two; states without rows
// are free. *fault becomes 1 when a table is half full; what it would add is then dropped.
kernel void add_to_hash_table(global const row* input, long rows, int slots, global state* tables,
                              global int* keys, global int* fault, global int* fills) {
  global state* table = tables + get_global_id(0) * slots;
  global int* own = keys + get_global_id(0) * slots;
  int fill = fills[get_global_id(0)];
  const long end = BLOCK_END;
  for (long i = BLOCK_BEGIN; i < end; ++i) {
    const row r = input[i];
    uint at = ((uint)r.key * 0x9E3779B1u) >> 7 & (uint)(slots - 1);
    while (table[at].count != 0 && own[at] != r.key) at = (at + 1) & (uint)(slots - 1);
    if (table[at].count == 0) {
      if (2 * fill >= slots) {
        *fault = 1;
        continue;
      }
      ++fill;
      own[at] = r.key;
    }
    table[at].sum += r.value;
    table[at].count += 1;
  }
  fills[get_global_id(0)] = fill;
}
