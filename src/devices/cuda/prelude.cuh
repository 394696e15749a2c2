// CUDA's prelude: what the portable text of a kernel (device_ops/text/) is written in.
//
// devices/opencl/prelude.cl and devices/host/prelude.h give their meaning of the same names. NVRTC
// compiles it, without any system header, with these options:
//   --fmad=false                              neither contracts floats nor reorders them, as the
//                                             other preludes; the defaults round divisions and
//                                             roots correctly and keep subnormal numbers
//   --device-as-default-execution-space       users' functions, which have no qualifier, are the
//                                             device's
//   --std=c++17
// Kernels are launched on one dimension, without shared memory of the launch's.
#define LIKE_CPU 0

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
static_assert(sizeof(long) == 8, "the text of kernels needs a long of 64 bits");
static_assert((char)-1 < 0, "the text of kernels needs a signed char");

#define KERNEL extern "C" __global__
#define DEVICE static __device__ inline
#define GLOBAL
#define CONSTANT static __constant__ const
#define LOCAL __shared__

// Between the work-items of a group, for local and global memory. All of them or none must call it.
#define BARRIER() __syncthreads()

// Adds 1 to a uint in local memory, which other work-items of the group may be adding to.
#define LOCAL_INCREMENT(place) atomicAdd(place, 1u)

#define ITEM ((ulong)blockIdx.x * blockDim.x + threadIdx.x)
#define ITEMS ((ulong)gridDim.x * blockDim.x)
#define GROUP ((ulong)blockIdx.x)
#define GROUP_ITEM ((ulong)threadIdx.x)
#define GROUP_ITEMS ((ulong)blockDim.x)

// Every ITEMS-th row from the work-item's own, so that neighbours read neighbouring rows.
#define FOR_ROWS(row, rows) for (long row = (long)ITEM; row < (long)(rows); row += (long)ITEMS)
#define WIDE
#define INDEPENDENT_ROWS

// What compiled lambdas are written in: numbers that lie in records of any type, the address space
// of constant tables, and those of OpenCL's functions that CUDA spells otherwise or not at all.
#define IN_CONSTANT
typedef char __attribute__((may_alias)) char_a;
typedef uchar __attribute__((may_alias)) uchar_a;
typedef short __attribute__((may_alias)) short_a;
typedef ushort __attribute__((may_alias)) ushort_a;
typedef int __attribute__((may_alias)) int_a;
typedef uint __attribute__((may_alias)) uint_a;
typedef long __attribute__((may_alias)) long_a;
typedef ulong __attribute__((may_alias)) ulong_a;
typedef float __attribute__((may_alias)) float_a;
typedef double __attribute__((may_alias)) double_a;

DEVICE float as_float(uint bits) { return __uint_as_float(bits); }
DEVICE uint as_uint(float x) { return __float_as_uint(x); }
DEVICE double as_double(ulong bits) { return __longlong_as_double((long long)bits); }
DEVICE ulong as_ulong(double x) { return (ulong)__double_as_longlong(x); }
DEVICE int popcount(uint x) { return __popc(x); }
DEVICE int popcount(ulong x) { return __popcll(x); }
DEVICE int clz(uint x) { return __clz((int)x); }
DEVICE int clz(ulong x) { return __clzll((long long)x); }
DEVICE long mul_hi(long a, long b) { return __mul64hi(a, b); }
DEVICE ulong mul_hi(ulong a, ulong b) { return __umul64hi(a, b); }

// Stands first in functions that may fuse and reorder floats' products and sums. NVRTC allows that
// (--fmad) to a whole program or to none of it, and a program has the operator's functions, too.
#define FAST_FLOATS

// Tells that a check failed, which several work-items may do at once.
#define SET_TRAP(flag) atomicOr(flag, 1u)
