// Looks up keys in the index of a join's build side, as the CPU built it (algorithms/join_table.h).
//
// One buffer holds a join_index, then what keys are found in, then the rows of keys that occur more
// than once. Entries of a known domain lie by key. Otherwise a hash tells the bucket of 64 bytes: a
// few keys and as many entries, in use from the front; a key that isn't in a full bucket may be in
// the next one of its region, which is a ring. Most look-ups read one bucket.
//
// Keys are bits of 4 or 8 bytes, and key_bytes, wherever it is given, a constant.

// chunk_loop/join_image.h has the same.
typedef struct {
  ulong found_by;    // 0: nothing, there are no rows; 1: row i has the key base + i
                     // 2: key - base is the number of an entry; 3: hash
  ulong base, size;  // of 1 and 2
  ulong seed, region_buckets, region_bits;
  ulong rows_at;  // where the rows begin, bytes from here
  ulong unused;
} join_index;

// Rows that have a key: `first` itself is the row if there is one, else where the rows' numbers
// begin. None: count is 0.
typedef struct {
  uint first, count;
} join_entry;

// detail/base/hash.h
DEVICE ulong join_mix(ulong x, ulong seed) {
  x ^= seed;
  x ^= x >> 32;
  x *= 0x9e3779b97f4a7c15ul;
  x ^= x >> 29;
  x *= 0xd6e8feb86659fd93ul;
  return x ^ (x >> 32);
}

DEVICE join_entry join_find(GLOBAL const join_index* index, int key_bytes, ulong key) {
  join_entry found;
  found.first = 0;
  found.count = 0;
  GLOBAL const uchar* content = (GLOBAL const uchar*)(index + 1);
  if (index->found_by == 0) return found;
  if (index->found_by < 3) {
    const ulong place = key - index->base;  // beyond any size for keys below the base
    if (place >= index->size) return found;
    if (index->found_by == 2) return ((GLOBAL const join_entry*)content)[place];
    found.first = (uint)place;
    found.count = 1;
    return found;
  }
  const int width = key_bytes == 4 ? 5 : 4;  // of a bucket
  const ulong h = join_mix(key, index->seed), buckets = index->region_buckets;
  const ulong region = h >> 1 >> (63 - index->region_bits);
  ulong bucket = (h << index->region_bits >> 32) * buckets >> 32;
  for (ulong step = 0; step < buckets; ++step) {
    GLOBAL const uchar* here = content + (region * buckets + bucket) * 64;
    GLOBAL const join_entry* entries = (GLOBAL const join_entry*)(here + width * key_bytes);
    for (int i = 0; i < width; ++i) {
      const join_entry entry = entries[i];
      if (entry.count == 0) return found;
      const ulong stored =
          key_bytes == 4 ? ((GLOBAL const uint*)here)[i] : ((GLOBAL const ulong*)here)[i];
      if (stored == key) return entry;
    }
    bucket = bucket + 1 == buckets ? 0 : bucket + 1;
  }
  return found;
}

// The j-th of the rows, in ascending order.
DEVICE long join_row(GLOBAL const join_index* index, join_entry found, long j) {
  if (found.count == 1) return (long)found.first;
  return (long)((GLOBAL const uint*)((GLOBAL const uchar*)index + index->rows_at))[found.first + j];
}
