// The functions of k-means, in device C.
//
// D is the number of coordinates, a multiple of 4. Structs are called as C++ calls them: for D of
// 20, _D in their names is replaced by _20 before the text is compiled. A squared distance is
// summed in four lanes, which compilers put in a vector: they may not reorder a plain sum.

typedef struct {
  float x[D];
} point_D;

typedef struct {
  point_D at;
  float distance;
  int cluster;
} assigned_D;

typedef struct {
  float sum[D];
  double inertia;
  long count;
} cluster_D;

DEVICE assigned_D assign(point_D p, GLOBAL const point_D* centers, long k) {
  float best = INFINITY;
  int index = 0;
  for (int c = 0; c < (int)k; ++c) {
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (int d = 0; d < D; d += 4) {
      const float a0 = p.x[d] - centers[c].x[d], a1 = p.x[d + 1] - centers[c].x[d + 1];
      const float a2 = p.x[d + 2] - centers[c].x[d + 2], a3 = p.x[d + 3] - centers[c].x[d + 3];
      s0 = fma(a0, a0, s0);
      s1 = fma(a1, a1, s1);
      s2 = fma(a2, a2, s2);
      s3 = fma(a3, a3, s3);
    }
    const float distance = (s0 + s1) + (s2 + s3);
    if (distance < best) {
      best = distance;
      index = c;
    }
  }
  assigned_D result;
  result.at = p;
  result.distance = best;
  result.cluster = index;
  return result;
}

DEVICE void add_point(cluster_D* s, assigned_D p) {
  for (int d = 0; d < D; ++d) s->sum[d] += p.at.x[d];
  s->inertia += p.distance;
  s->count += 1;
}
