"""What a user of Python takes on NVIDIA's GPUs, for peers.py: CuPy, whose sums, scans and sorts are
those of CUB, and kernels in CUDA where CuPy has no function that does all in one pass.

With --resident inputs are on the GPU before the clock starts, else NumPy's arrays on the host.
Results are on the host when it stops. Columns are arrays of their own.
"""

import cupy

SOURCE = r"""
typedef unsigned long long u64;

__device__ inline u64 mix64(u64 z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

#define FOR_ROWS(i, n)                                                                       \
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < (n);              \
       i += (long long)blockDim.x * gridDim.x)

// The benchmarks' generator, and the hash of 32-bit numbers by their places.
extern "C" __global__ void random_bits(u64 key, long long n, u64* out) {
  FOR_ROWS(i, n) out[i] = mix64(key + (u64)(i + 1) * 0x9E3779B97F4A7C15ull);
}
extern "C" __global__ void position_hashes(const unsigned* values, long long n, u64* out) {
  FOR_ROWS(i, n) out[i] = mix64(values[i] + (u64)(i + 1) * 0x9E3779B97F4A7C15ull);
}

template <typename T>
__device__ inline T warp_sum(T x) {
  for (int step = 16; step > 0; step /= 2) x += __shfl_down_sync(~0u, x, step);
  return x;
}

// Four numbers a load; n is a multiple of four but for the last ones.
extern "C" __global__ void count_and_sum(const int* x, long long n, u64* out) {
  int count = 0;
  long long sum = 0;
  const auto add = [&](int value) {
    const int y = value + 15;
    if (y % 15 == 0) ++count, sum += y;
  };
  FOR_ROWS(i, n / 4) {
    const int4 four = reinterpret_cast<const int4*>(x)[i];
    add(four.x), add(four.y), add(four.z), add(four.w);
  }
  if (blockIdx.x == 0 && threadIdx.x < n % 4) add(x[n - 1 - threadIdx.x]);
  count = warp_sum(count);
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&out[0], (u64)count);
    atomicAdd(&out[1], (u64)sum);
  }
}

// Tables in shared memory, or straight in the device's where they have no room there.
extern "C" __global__ void group_in_blocks(const int* keys, const double* values, long long n,
                                           int groups, u64* counts, double* sums) {
  extern __shared__ double own_sums[];
  int* own_counts = reinterpret_cast<int*>(own_sums + groups);
  for (int g = threadIdx.x; g < groups; g += blockDim.x) own_sums[g] = 0, own_counts[g] = 0;
  __syncthreads();
  FOR_ROWS(i, n) {
    const int key = keys[i];
    atomicAdd(&own_counts[key], 1);
    atomicAdd(&own_sums[key], values[i]);
  }
  __syncthreads();
  for (int g = threadIdx.x; g < groups; g += blockDim.x) {
    atomicAdd(&counts[g], (u64)own_counts[g]);
    atomicAdd(&sums[g], own_sums[g]);
  }
}
extern "C" __global__ void group_in_place(const int* keys, const double* values, long long n,
                                          u64* counts, double* sums) {
  FOR_ROWS(i, n) {
    atomicAdd(&counts[keys[i]], 1ull);
    atomicAdd(&sums[keys[i]], values[i]);
  }
}

extern "C" __global__ void black_scholes(const float* spots, const float* strikes,
                                         const float* terms, long long n, float* calls,
                                         float* puts) {
  const float rate = 0.02f, volatility = 0.30f;
  FOR_ROWS(i, n) {
    const float spot = spots[i], strike = strikes[i], years = terms[i];
    const float spread = volatility * sqrtf(years);
    const float drift = (rate + 0.5f * volatility * volatility) * years;
    const float d1 = (logf(spot / strike) + drift) / spread;
    const float n1 = normcdff(d1), n2 = normcdff(d1 - spread);
    const float paid = strike * expf(-rate * years);
    calls[i] = spot * n1 - paid * n2;
    puts[i] = paid * (1.0f - n2) - spot * (1.0f - n1);
  }
}

// One step of Lloyd's: a thread a point, centres and sums of a block in shared memory.
template <int D>
__device__ inline void nearest(const float* points, long long n, int k, const float* centres,
                               float* sums, int* counts, double* inertia) {
  extern __shared__ float shared[];
  float *own = shared, *own_sums = shared + k * D;
  int* own_counts = reinterpret_cast<int*>(own_sums + k * D);
  for (int j = threadIdx.x; j < k * D; j += blockDim.x) own[j] = centres[j], own_sums[j] = 0;
  for (int j = threadIdx.x; j < k; j += blockDim.x) own_counts[j] = 0;
  __syncthreads();
  double total = 0;
  FOR_ROWS(i, n) {
    float x[D];
#pragma unroll
    for (int j = 0; j < D; ++j) x[j] = points[i * D + j];
    int best = 0;
    float least = 3.4e38f;
    for (int c = 0; c < k; ++c) {
      float distance = 0;
#pragma unroll
      for (int j = 0; j < D; ++j) distance += (x[j] - own[c * D + j]) * (x[j] - own[c * D + j]);
      if (distance < least) least = distance, best = c;
    }
    total += least;
    atomicAdd(&own_counts[best], 1);
#pragma unroll
    for (int j = 0; j < D; ++j) atomicAdd(&own_sums[best * D + j], x[j]);
  }
  __syncthreads();
  for (int j = threadIdx.x; j < k * D; j += blockDim.x) atomicAdd(&sums[j], own_sums[j]);
  for (int j = threadIdx.x; j < k; j += blockDim.x) atomicAdd(&counts[j], own_counts[j]);
  total = warp_sum(total);
  if (threadIdx.x % 32 == 0) atomicAdd(inertia, total);
}
#define NEAREST(D)                                                                            \
  extern "C" __global__ void nearest_##D(const float* points, long long n, int k,             \
                                         const float* centres, float* sums, int* counts,      \
                                         double* inertia) {                                   \
    nearest<D>(points, n, k, centres, sums, counts, inertia);                                 \
  }
NEAREST(8)
NEAREST(20)
NEAREST(40)
"""

THREADS = 256
SHARED_BYTES = 40 << 10  # of a block's tables, so that two share a multiprocessor on any GPU


class Kernels:
    def __init__(self):
        self.module = cupy.RawModule(code=SOURCE, options=("--std=c++17",))
        units = cupy.cuda.Device().attributes["MultiProcessorCount"]
        self.blocks = 8 * units

    def run(self, name, *arguments, shared=0):
        kernel = self.module.get_function(name)
        kernel((self.blocks,), (THREADS,), arguments, shared_mem=shared)


def f32(bits, low, high):
    unit = (bits >> 40).astype(cupy.float64) * 2.0**-24
    return (low + (high - low) * unit).astype(cupy.float32)


def f64(bits):
    return (bits >> 32).astype(cupy.float64) * 2.0**-32


def versions(asked, numbers, groups_checksum):
    """Yields (version, run, checksum), as peers.py's functions do.

    numbers: its Numbers, whose keys tell the streams; groups_checksum: its function.
    """
    kernels = Kernels()
    n = cupy.int64(asked.n)

    def bits(number):
        out = cupy.empty(asked.n * (asked.d if asked.name == "kmeans" else 1), cupy.uint64)
        kernels.run("random_bits", numbers(asked.seed, number).key, cupy.int64(out.size), out)
        return out

    def position_hash(values):
        out = cupy.empty(asked.n, cupy.uint64)
        kernels.run("position_hashes", cupy.asarray(values).view(cupy.uint32), n, out)
        return f"{int(out.sum()):016x}"

    def arriving(*columns):
        """A function that yields the columns on the GPU from where they are before."""
        if asked.resident:
            return lambda: columns
        on_host = [cupy.asnumpy(column) for column in columns]
        return lambda: [cupy.asarray(column) for column in on_host]

    def below(number, count):
        words = bits(number)
        low = words & cupy.uint64(0xFFFFFFFF)
        count = cupy.uint64(count)
        return ((words >> 32) * count + ((low * count) >> 32)) >> 32

    def scan():
        there = arriving(bits(0).astype(cupy.uint32).view(cupy.int32))
        run = lambda: cupy.asnumpy(cupy.cumsum(there()[0], dtype=cupy.int32))
        yield "cupy", run, position_hash

    def sort():
        there = arriving(bits(0).astype(cupy.uint32).view(cupy.int32))
        yield "cupy", lambda: cupy.asnumpy(cupy.sort(there()[0])), position_hash

    def total():
        there = arriving(f64(bits(0)))
        yield "cupy", lambda: float(there()[0].sum()), lambda found: f"{found:.9e}"

    def mapfiltersum():
        there = arriving(cupy.arange(1, asked.n + 1, dtype=cupy.int32))

        def run():
            out = cupy.zeros(2, cupy.uint64)
            kernels.run("count_and_sum", there()[0], n, out)
            return cupy.asnumpy(out)

        yield "cuda", run, lambda found: f"{found[0]}/{found[1]}"

    def groupby():
        keys = below(0, asked.keys).astype(cupy.int32)
        values = f64(bits(1))
        there = arriving(keys, values)

        def by_tables():
            keys, values = there()
            counts, sums = (cupy.zeros(asked.keys, t) for t in (cupy.uint64, cupy.float64))
            table = 12 * asked.keys
            if table <= SHARED_BYTES:
                groups = cupy.int32(asked.keys)
                kernels.run("group_in_blocks", keys, values, n, groups, counts, sums, shared=table)
            else:
                kernels.run("group_in_place", keys, values, n, counts, sums)
            return cupy.asnumpy(counts), cupy.asnumpy(sums)

        def by_sorting():
            keys, values = there()
            found, places, counts = cupy.unique(keys, return_inverse=True, return_counts=True)
            sums = cupy.bincount(places, weights=values, minlength=found.size)
            return [cupy.asnumpy(column) for column in (found, counts, sums)]

        def of_tables(found):
            there = found[0].nonzero()[0]
            return groups_checksum(there, found[0][there], found[1][there])

        if asked.domain:
            yield "cuda", by_tables, of_tables
        else:
            yield "cupy", by_sorting, lambda found: groups_checksum(*found)

    def blackscholes():
        there = arriving(f32(bits(0), 5, 30), f32(bits(1), 1, 100), f32(bits(2), 0.25, 10))

        def run():
            calls, puts = (cupy.empty(asked.n, cupy.float32) for _ in range(2))
            kernels.run("black_scholes", *there(), n, calls, puts)
            return cupy.asnumpy(calls), cupy.asnumpy(puts)

        text = lambda found: "/".join(f"{column.sum(dtype=float):.7e}" for column in found)
        yield "cuda", run, text

    def kmeans():
        there = arriving(f32(bits(0), 0, 1))
        k, d = asked.k, asked.d

        def run():
            points = there()[0]
            centres = points[: k * d].copy()
            for step in range(5):
                sums, counts = cupy.zeros(k * d, cupy.float32), cupy.zeros(k, cupy.int32)
                inertia = cupy.zeros(1, cupy.float64)
                arguments = points, n, cupy.int32(k), centres, sums, counts, inertia
                kernels.run(f"nearest_{d}", *arguments, shared=8 * k * d + 4 * k)
                if step < 4:
                    centres = (sums.reshape(k, d) / cupy.maximum(counts, 1)[:, None]).astype(
                        cupy.float32
                    )
            return float(inertia[0])

        yield "cuda", run, lambda found: f"{found:.6e}"

    makers = {
        "scan": scan,
        "sort": sort,
        "sum": total,
        "mapfiltersum": mapfiltersum,
        "groupby": groupby,
        "blackscholes": blackscholes,
        "kmeans": kmeans,
    }
    if asked.name in makers:
        yield from makers[asked.name]()
