// OpenCL's prelude: what the portable text of a kernel (device_ops/text/) is written in.
//
// devices/host/prelude.h gives the host's meaning of the same names. The driver passes LIKE_CPU: 1
// where few work-items that walk blocks of rows are best and barriers are dear, else 0. Floats are
// neither contracted nor reordered, so that a device's answers are the host's wherever its functions
// are correctly rounded; but for functions that say FAST_FLOATS.
#pragma OPENCL FP_CONTRACT OFF
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define KERNEL kernel
// Clang fills half of AVX-512's registers of its own accord, and has too little under way to hide how
// long arithmetic takes. INDEPENDENT_ROWS stands before a loop whose steps have nothing to do with
// each other and makes vectors of 32, which WIDE before its KERNEL allows to be whole registers.
// Loops that add up mustn't have it, for clang would add in another order. Where clang can't, it
// would warn.
#if LIKE_CPU && defined(__clang__) && defined(__AVX512F__)
#define WIDE __attribute__((min_vector_width(512)))
#define INDEPENDENT_ROWS _Pragma("clang loop vectorize_width(32)")
#pragma clang diagnostic ignored "-Wpass-failed"
#else
#define WIDE
#define INDEPENDENT_ROWS
#endif
// The usual convention passes small structs of floats as vectors, and loops over inlined calls then
// don't vectorise.
#if LIKE_CPU && defined(__clang__) && defined(__x86_64__)
#define DEVICE static inline __attribute__((always_inline, regcall))
#else
#define DEVICE static inline
#endif
#define GLOBAL global
#define CONSTANT constant
#define LOCAL local

// Between the work-items of a group, for local and global memory. All of them or none must call it.
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

// Adds 1 to a uint in local memory, which other work-items of the group may be adding to.
#define LOCAL_INCREMENT(place) atomic_inc(place)

#define ITEM ((ulong)get_global_id(0))
#define ITEMS ((ulong)get_global_size(0))
#define GROUP ((ulong)get_group_id(0))
#define GROUP_ITEM ((ulong)get_local_id(0))
#define GROUP_ITEMS ((ulong)get_local_size(0))

// The rows of this work-item: a block of consecutive ones where it is like a CPU; elsewhere every
// ITEMS-th, so that neighbours read neighbouring rows.
#define ROWS_BEGIN(rows) ((long)((ulong)(rows) * ITEM / ITEMS))
#define ROWS_END(rows) ((long)((ulong)(rows) * (ITEM + 1) / ITEMS))
#if LIKE_CPU
#define FOR_ROWS(row, rows) \
  for (long row = ROWS_BEGIN(rows), row##_end = ROWS_END(rows); row < row##_end; ++row)
#else
#define FOR_ROWS(row, rows) for (long row = (long)ITEM; row < (long)(rows); row += (long)ITEMS)
#endif

// What compiled lambdas are written in: numbers that lie in records of any type, and the address
// space of constant tables.
#define IN_CONSTANT constant
typedef char __attribute__((may_alias)) char_a;
typedef uchar __attribute__((may_alias)) uchar_a;
typedef short __attribute__((may_alias)) short_a;
typedef ushort __attribute__((may_alias)) ushort_a;
typedef int __attribute__((may_alias)) int_a;
typedef uint __attribute__((may_alias)) uint_a;
typedef long __attribute__((may_alias)) long_a;
typedef ulong __attribute__((may_alias)) ulong_a;
typedef float __attribute__((may_alias)) float_a;
#ifdef cl_khr_fp64
typedef double __attribute__((may_alias)) double_a;
#endif

// Stands first in functions whose author allows it (pappus_enable(target FLOATS fast)): products and
// sums may be fused and reordered there. Infinities and NaNs stay what they are.
#if defined(__clang__)
#define FAST_FLOATS _Pragma("clang fp contract(fast) reassociate(on)")
#else
#define FAST_FLOATS _Pragma("OPENCL FP_CONTRACT ON")
#endif

// Tells that a check failed, which several work-items may do at once.
#define SET_TRAP(flag) atomic_or(flag, 1u)
