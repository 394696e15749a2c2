// Two ways to price a chunk of options; behind device/blackscholes.cl.

// A row after the other.
WIDE kernel void price_rows(global const quote* quotes, long rows, global prices* out) {
  const long begin = rows * get_global_id(0) / get_global_size(0);
  const long end = rows * (get_global_id(0) + 1) / get_global_size(0);
  VECTORS_OF_32
  for (long i = begin; i < end; ++i) out[i] = price(quotes[i]);
}

// 16 rows at a time, with vectors and the library's functions.
float16 normals_of(float16 d) {
  const float16 k = 1.0f / (1.0f + 0.2316419f * fabs(d));
  const float16 p =
      ((((1.330274429f * k - 1.821255978f) * k + 1.781477937f) * k - 0.356563782f) * k +
       0.31938153f) * k;
  const float16 tail = 0.39894228f * exp(-0.5f * d * d) * p;
  return select(1.0f - tail, tail, d < 0.0f);
}

WIDE kernel void price_vectors(global const quote* quotes, long rows, global prices* out) {
  const float rate = 0.02f, volatility = 0.30f;
  const long tiles = (rows + 15) / 16;
  const long begin = tiles * get_global_id(0) / get_global_size(0);
  const long end = tiles * (get_global_id(0) + 1) / get_global_size(0);
  for (long tile = begin; tile < end; ++tile) {
    const long first = tile * 16;
    const int n = min((long)16, rows - first);
    float fields[3][16], results[2][16];
    for (int i = 0; i < 16; ++i) {
      const quote q = quotes[first + min(i, n - 1)];
      fields[0][i] = q.spot;
      fields[1][i] = q.strike;
      fields[2][i] = q.years;
    }
    const float16 spot = vload16(0, fields[0]), strike = vload16(0, fields[1]);
    const float16 years = vload16(0, fields[2]);
    const float16 spread = volatility * sqrt(years);
    const float16 d1 =
        (log(spot / strike) + (rate + 0.5f * volatility * volatility) * years) / spread;
    const float16 n1 = normals_of(d1), n2 = normals_of(d1 - spread);
    const float16 paid = strike * exp(-rate * years);
    vstore16(spot * n1 - paid * n2, 0, results[0]);
    vstore16(paid * (1.0f - n2) - spot * (1.0f - n1), 0, results[1]);
    for (int i = 0; i < n; ++i) {
      prices p;
      p.call = results[0][i];
      p.put = results[1][i];
      out[first + i] = p;
    }
  }
}
