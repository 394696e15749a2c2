// One iteration's work over points, behind device/kmeans.cl: nearest centre, then sums by centre in
// a table for each work-item.

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define BLOCK_BEGIN (rows * get_global_id(0) / get_global_size(0))
#define BLOCK_END (rows * (get_global_id(0) + 1) / get_global_size(0))

void clear_table(global cluster_D* table, int k) {
  for (int c = 0; c < k; ++c) {
    for (int d = 0; d < D; ++d) table[c].sum[d] = 0;
    table[c].inertia = 0;
    table[c].count = 0;
  }
}

// A row after the other, by the functions that the engine is given.
kernel void add_rows(global const point_D* points, long rows, global const point_D* centers, int k,
                     int begins, global cluster_D* tables) {
  global cluster_D* table = tables + get_global_id(0) * k;
  if (begins) clear_table(table, k);
  const long end = BLOCK_END;
  for (long i = BLOCK_BEGIN; i < end; ++i) {
    const assigned_D a = assign(points[i], centers, k);
    cluster_D state = table[a.cluster];
    add_point(&state, a);
    table[a.cluster] = state;
  }
}

// 32 points at a time: a coordinate is two vectors, which serve four centres.
kernel void add_tiles(global const point_D* points, long rows, global const point_D* centers, int k,
                      int begins, global cluster_D* tables) {
  global cluster_D* table = tables + get_global_id(0) * k;
  if (begins) clear_table(table, k);
  const long end = BLOCK_END;
  for (long tile = BLOCK_BEGIN; tile < end; tile += 32) {
    const int n = (int)min((long)32, end - tile);
    float x[D][32];
    for (int i = 0; i < 32; ++i)
      for (int d = 0; d < D; ++d) x[d][i] = points[tile + min(i, n - 1)].x[d];
    float16 best0 = INFINITY, best1 = INFINITY;
    int16 index0 = 0, index1 = 0;
    int c = 0;
    for (; c + 4 <= k; c += 4) {
      float16 s[4][2];
      for (int j = 0; j < 4; ++j) s[j][0] = s[j][1] = 0;
      for (int d = 0; d < D; ++d) {
        const float16 x0 = vload16(0, x[d]), x1 = vload16(1, x[d]);
        for (int j = 0; j < 4; ++j) {
          const float16 y = centers[c + j].x[d];
          s[j][0] = fma(x0 - y, x0 - y, s[j][0]);
          s[j][1] = fma(x1 - y, x1 - y, s[j][1]);
        }
      }
      for (int j = 0; j < 4; ++j) {
        index0 = select(index0, (int16)(c + j), s[j][0] < best0);
        best0 = fmin(best0, s[j][0]);
        index1 = select(index1, (int16)(c + j), s[j][1] < best1);
        best1 = fmin(best1, s[j][1]);
      }
    }
    for (; c < k; ++c) {
      float16 s0 = 0, s1 = 0;
      for (int d = 0; d < D; ++d) {
        const float16 y = centers[c].x[d];
        s0 = fma(vload16(0, x[d]) - y, vload16(0, x[d]) - y, s0);
        s1 = fma(vload16(1, x[d]) - y, vload16(1, x[d]) - y, s1);
      }
      index0 = select(index0, (int16)c, s0 < best0);
      best0 = fmin(best0, s0);
      index1 = select(index1, (int16)c, s1 < best1);
      best1 = fmin(best1, s1);
    }
    float distance[32];
    int nearest[32];
    vstore16(best0, 0, distance);
    vstore16(best1, 1, distance);
    vstore16(index0, 0, nearest);
    vstore16(index1, 1, nearest);
    for (int i = 0; i < n; ++i) {
      global cluster_D* state = table + nearest[i];
      for (int d = 0; d < D; ++d) state->sum[d] += points[tile + i].x[d];
      state->inertia += distance[i];
      state->count += 1;
    }
  }
}
