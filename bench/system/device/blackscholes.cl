// Prices of European options, for one record: blackscholes.h in device C.
//
// Exponential and logarithm are polynomials (Moshier's Cephes library), because compilers turn a
// loop over arithmetic into vectors, and calls of library functions rarely.

typedef struct {
  float spot, strike, years;
} quote;

typedef struct {
  float call, put;
} prices;

// e^x for -87 <= x <= 0.
DEVICE float exp_of(float x) {
  union {
    int bits;
    float value;
  } power;
  const int n = (int)(x * 1.44269504f - 0.5f);
  const float r = (x - (float)n * 0.693359375f) + (float)n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  power.bits = (n + 127) << 23;
  return (p * r * r + r + 1.0f) * power.value;
}

// For normal x > 0.
DEVICE float log_of(float x) {
  union {
    int bits;
    float value;
  } m;
  m.value = x;
  const int exponent = (m.bits - 0x3F3504F3) >> 23;  // so that m lies in [sqrt(1/2), sqrt(2))
  m.bits -= exponent << 23;
  const float r = m.value - 1.0f, e = (float)exponent;
  float p = 7.0376836292e-2f;
  p = p * r - 1.1514610310e-1f;
  p = p * r + 1.1676998740e-1f;
  p = p * r - 1.2420140846e-1f;
  p = p * r + 1.4249322787e-1f;
  p = p * r - 1.6668057665e-1f;
  p = p * r + 2.0000714765e-1f;
  p = p * r - 2.4999993993e-1f;
  p = p * r + 3.3333331174e-1f;
  p = p * r * r * r - 2.12194440e-4f * e - 0.5f * r * r;
  return r + p + 0.693359375f * e;
}

// The normal distribution function (Abramowitz and Stegun 26.2.17).
DEVICE float normal_of(float d) {
  const float size = d < 0.0f ? -d : d;
  const float k = 1.0f / (1.0f + 0.2316419f * size);
  float p = 1.330274429f;
  p = p * k - 1.821255978f;
  p = p * k + 1.781477937f;
  p = p * k - 0.356563782f;
  p = p * k + 0.31938153f;
  const float square = 0.5f * size * size;
  const float tail = 0.39894228f * exp_of(square > 87.0f ? -87.0f : -square) * p * k;
  return d < 0.0f ? tail : 1.0f - tail;
}

DEVICE prices price(quote q) {
  const float rate = 0.02f, volatility = 0.30f;
  const float spread = volatility * sqrt(q.years);
  const float d1 = (log_of(q.spot / q.strike) +
                    (rate + 0.5f * volatility * volatility) * q.years) / spread;
  const float n1 = normal_of(d1), n2 = normal_of(d1 - spread);
  const float paid = q.strike * exp_of(-rate * q.years);
  prices result;
  result.call = q.spot * n1 - paid * n2;
  result.put = paid * (1.0f - n2) - q.spot * (1.0f - n1);
  return result;
}
