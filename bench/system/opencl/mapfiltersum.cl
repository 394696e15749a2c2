// Two ways to count and add the numbers of a chunk that pass. Each work-item adds to its own total,
// which `begins` sets to 0 first.

typedef struct {
  long count, sum;
} count_and_sum;

// A row after the other.
kernel void add_rows(global const int* numbers, long rows, int begins,
                     global count_and_sum* totals) {
  const long begin = rows * get_global_id(0) / get_global_size(0);
  const long end = rows * (get_global_id(0) + 1) / get_global_size(0);
  long count = 0, sum = 0;
  for (long i = begin; i < end; ++i) {
    const int y = numbers[i] + 15;
    if ((uint)y * 0xEEEEEEEFu <= 0x11111111u) {
      count += 1;
      sum += y;
    }
  }
  global count_and_sum* total = totals + get_global_id(0);
  total->count = count + (begins ? 0 : total->count);
  total->sum = sum + (begins ? 0 : total->sum);
}

// 16 rows at a time; pairs of lanes are split into 64-bit sums of the odd and of the even ones.
kernel void add_vectors(global const int* numbers, long rows, int begins,
                        global count_and_sum* totals) {
  const long begin = rows * get_global_id(0) / get_global_size(0);
  const long end = rows * (get_global_id(0) + 1) / get_global_size(0);
  long8 even = 0, odd = 0;
  int16 minus_count = 0;
  long i = begin;
  for (; i + 16 <= end; i += 16) {
    const int16 y = vload16(0, numbers + i) + 15;
    const int16 keep = convert_int16(as_uint16(y) * 0xEEEEEEEFu <= 0x11111111u);
    const long8 kept = as_long8(y & keep);
    even += (kept << 32) >> 32;
    odd += kept >> 32;
    minus_count += keep;
  }
  const long8 both = even + odd;
  const long4 four = both.lo + both.hi;
  const long2 two = four.lo + four.hi;
  const int8 counts = minus_count.lo + minus_count.hi;
  long sum = two.x + two.y, count = 0;
  for (int lane = 0; lane < 8; ++lane) count -= ((const int*)&counts)[lane];
  for (; i < end; ++i) {
    const int y = numbers[i] + 15;
    if ((uint)y * 0xEEEEEEEFu <= 0x11111111u) {
      count += 1;
      sum += y;
    }
  }
  global count_and_sum* total = totals + get_global_id(0);
  total->count = count + (begins ? 0 : total->count);
  total->sum = sum + (begins ? 0 : total->sum);
}
