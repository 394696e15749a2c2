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
