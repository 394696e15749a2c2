// Two ways to add up a chunk of doubles. Each work-item adds to its own total, which `begins` sets
// to 0 first.

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// Row r goes to lane r mod 16, so that compilers may use vectors.
kernel void add_lanes(global const double* numbers, long rows, int begins, global double* totals) {
  const long begin = rows * get_global_id(0) / get_global_size(0);
  const long end = rows * (get_global_id(0) + 1) / get_global_size(0);
  double sums[16];
  for (int lane = 0; lane < 16; ++lane) sums[lane] = 0;
  long i = begin;
  for (; i + 16 <= end; i += 16)
    for (int lane = 0; lane < 16; ++lane) sums[lane] += numbers[i + lane];
  double total = begins ? 0 : totals[get_global_id(0)];
  for (int lane = 0; lane < 16; ++lane) total += sums[lane];
  for (; i < end; ++i) total += numbers[i];
  totals[get_global_id(0)] = total;
}

// Four vectors of 8.
kernel void add_vectors(global const double* numbers, long rows, int begins,
                        global double* totals) {
  const long begin = rows * get_global_id(0) / get_global_size(0);
  const long end = rows * (get_global_id(0) + 1) / get_global_size(0);
  double8 a = 0, b = 0, c = 0, d = 0;
  long i = begin;
  for (; i + 32 <= end; i += 32) {
    a += vload8(0, numbers + i);
    b += vload8(1, numbers + i);
    c += vload8(2, numbers + i);
    d += vload8(3, numbers + i);
  }
  const double8 all = (a + b) + (c + d);
  const double4 four = all.lo + all.hi;
  const double2 two = four.lo + four.hi;
  double total = (begins ? 0 : totals[get_global_id(0)]) + two.x + two.y;
  for (; i < end; ++i) total += numbers[i];
  totals[get_global_id(0)] = total;
}
