// Two ways to scan a chunk by blocks: sums of blocks, where each begins, and the blocks' own scans.

#define BLOCK_BEGIN (rows * get_global_id(0) / get_global_size(0))
#define BLOCK_END (rows * (get_global_id(0) + 1) / get_global_size(0))

kernel void sum_blocks(global const uint* numbers, long rows, global uint* sums) {
  const long end = BLOCK_END;
  uint sum = 0;
  for (long i = BLOCK_BEGIN; i < end; ++i) sum += numbers[i];
  sums[get_global_id(0)] = sum;
}

// sums[b] becomes the sum of all that comes before block b; *carry goes from chunk to chunk.
kernel void scan_sums(global uint* sums, int blocks, int begins, global uint* carry) {
  uint sum = begins ? 0 : *carry;
  for (int b = 0; b < blocks; ++b) {
    const uint own = sums[b];
    sums[b] = sum;
    sum += own;
  }
  *carry = sum;
}

// A row after the other.
kernel void scan_rows(global const uint* numbers, long rows, global const uint* before,
                      global uint* out) {
  const long end = BLOCK_END;
  uint sum = before[get_global_id(0)];
  for (long i = BLOCK_BEGIN; i < end; ++i) {
    sum += numbers[i];
    out[i] = sum;
  }
}

// 64 rows at a time: four vectors, each scanned by log2(16) shifted additions.
uint16 prefix_sums(uint16 v) {
  v += (uint16)(0, v.s0123, v.s4567, v.s89ab, v.scd, v.se);
  v += (uint16)(0, 0, v.s01234567, v.s89ab, v.scd);
  v += (uint16)((uint4)(0), v.s01234567, v.s89ab);
  v += (uint16)((uint8)(0), v.s01234567);
  return v;
}

kernel void scan_vectors(global const uint* numbers, long rows, global const uint* before,
                         global uint* out) {
  const long end = BLOCK_END;
  uint16 carry = before[get_global_id(0)];
  long i = BLOCK_BEGIN;
  for (; i + 64 <= end; i += 64) {
    const uint16 a = prefix_sums(vload16(0, numbers + i));
    const uint16 b = prefix_sums(vload16(1, numbers + i));
    const uint16 c = prefix_sums(vload16(2, numbers + i));
    const uint16 d = prefix_sums(vload16(3, numbers + i));
    vstore16(a + carry, 0, out + i);
    carry += a.sf;
    vstore16(b + carry, 1, out + i);
    carry += b.sf;
    vstore16(c + carry, 2, out + i);
    carry += c.sf;
    vstore16(d + carry, 3, out + i);
    carry += d.sf;
  }
  uint sum = carry.s0;
  for (; i < end; ++i) {
    sum += numbers[i];
    out[i] = sum;
  }
}
