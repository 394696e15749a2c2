// One pass of a radix sort of 32-bit numbers, by blocks; BITS is the width of its digit and FLIP is
// XORed with the last one, to put negative numbers first.
//
// counts[digit * items + item]: how many rows of a block have a digit, then where they go.

enum { digits = 1 << BITS };

#define BLOCK_BEGIN (rows * get_global_id(0) / get_global_size(0))
#define BLOCK_END (rows * (get_global_id(0) + 1) / get_global_size(0))

uint digit_of(uint key, int shift, uint flip) { return (key >> shift ^ flip) & (digits - 1); }

kernel void count_digits(global const uint* keys, long rows, int shift, uint flip,
                         global uint* counts) {
  uint even[digits], odd[digits];
  for (int d = 0; d < digits; ++d) even[d] = odd[d] = 0;
  const long end = BLOCK_END;
  long i = BLOCK_BEGIN;
  for (; i + 2 <= end; i += 2) {
    ++even[digit_of(keys[i], shift, flip)];
    ++odd[digit_of(keys[i + 1], shift, flip)];
  }
  if (i < end) ++even[digit_of(keys[i], shift, flip)];
  for (int d = 0; d < digits; ++d)
    counts[d * get_global_size(0) + get_global_id(0)] = even[d] + odd[d];
}

kernel void scan_counts(global uint* counts, int n) {
  uint sum = 0;
  for (int i = 0; i < n; ++i) {
    const uint own = counts[i];
    counts[i] = sum;
    sum += own;
  }
}

// A row after the other.
kernel void move_rows(global const uint* keys, long rows, int shift, uint flip,
                      global const uint* starts, global uint* to, global uint* lines) {
  uint next[digits];
  for (int d = 0; d < digits; ++d)
    next[d] = starts[d * get_global_size(0) + get_global_id(0)];
  const long end = BLOCK_END;
  for (long i = BLOCK_BEGIN; i < end; ++i) {
    const uint key = keys[i];
    to[next[digit_of(key, shift, flip)]++] = key;
  }
}

// Rows of a digit wait in a line of 64 bytes until it is full: whole lines are written, which a CPU
// needn't read first, and no page is looked up for a single row. `lines` has one for each digit and
// item.
kernel void move_lines(global const uint* keys, long rows, int shift, uint flip,
                       global const uint* starts, global uint* to, global uint* lines) {
  uint next[digits];
  for (int d = 0; d < digits; ++d)
    next[d] = starts[d * get_global_size(0) + get_global_id(0)];
  global uint* line = lines + get_global_id(0) * digits * 16;
  const long end = BLOCK_END;
  for (long i = BLOCK_BEGIN; i < end; ++i) {
    const uint key = keys[i], d = digit_of(key, shift, flip);
    const uint at = next[d]++;
    line[d * 16 + at % 16] = key;
    if (at % 16 == 15) {
      const uint first = starts[d * get_global_size(0) + get_global_id(0)];
      if (at - 15 >= first && at >= 15)
        vstore16(vload16(d, line), at / 16, to);
      else
        for (uint j = first; j <= at; ++j) to[j] = line[d * 16 + j % 16];
    }
  }
  for (int d = 0; d < digits; ++d) {
    const uint first = starts[d * get_global_size(0) + get_global_id(0)];
    for (uint j = max(first, next[d] / 16 * 16); j < next[d]; ++j) to[j] = line[d * 16 + j % 16];
  }
}
