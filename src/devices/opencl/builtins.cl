// OpenCL C's functions that kernels and compiled lambdas call, and some that users' texts do, for
// compilers that would read them in clang's opencl-c.h: 900 KB once a program, half of the time that
// PoCL takes to compile one.
// A program that defines that header's guard reads these instead. Those that are here have all their
// overloads for scalars, as that header declares them, so that a call means the same; a program that
// needs others doesn't compile, and is compiled with the header (programs.cpp).
#define OVERLOADED __attribute__((overloadable))
#define PURE __attribute__((overloadable, const))
#ifdef cl_khr_fp64
#define FLOATING(declare) declare(float) declare(double)
#else
#define FLOATING(declare) declare(float)
#endif
#define INTEGRAL(declare)                                                                    \
  declare(char, uchar) declare(uchar, uchar) declare(short, ushort) declare(ushort, ushort) \
  declare(int, uint) declare(uint, uint) declare(long, ulong) declare(ulong, ulong)

uint PURE get_work_dim(void);
size_t PURE get_global_size(uint);
size_t PURE get_global_id(uint);
size_t PURE get_local_size(uint);
size_t PURE get_local_id(uint);
size_t PURE get_num_groups(uint);
size_t PURE get_group_id(uint);
size_t PURE get_global_offset(uint);

void __attribute__((overloadable, convergent)) barrier(cl_mem_fence_flags);
int OVERLOADED atomic_inc(volatile global int*);
uint OVERLOADED atomic_inc(volatile global uint*);
int OVERLOADED atomic_inc(volatile local int*);
uint OVERLOADED atomic_inc(volatile local uint*);
int OVERLOADED atomic_or(volatile global int*, int);
uint OVERLOADED atomic_or(volatile global uint*, uint);
int OVERLOADED atomic_or(volatile local int*, int);
uint OVERLOADED atomic_or(volatile local uint*, uint);

#define OF_INTEGERS(T, U)                                                                    \
  U PURE abs(T);                                                                             \
  U PURE abs_diff(T, T);                                                                     \
  T PURE clamp(T, T, T);                                                                     \
  T PURE clz(T);                                                                             \
  T PURE max(T, T);                                                                          \
  T PURE min(T, T);                                                                          \
  T PURE mul_hi(T, T);                                                                       \
  T PURE popcount(T);                                                                        \
  T PURE rotate(T, T);
INTEGRAL(OF_INTEGERS)

#define OF_FLOATS(T)                                                                         \
  T PURE acos(T);                                                                            \
  T PURE acosh(T);                                                                           \
  T PURE asin(T);                                                                            \
  T PURE asinh(T);                                                                           \
  T PURE atan(T);                                                                            \
  T PURE atan2(T, T);                                                                        \
  T PURE atanh(T);                                                                           \
  T PURE cbrt(T);                                                                            \
  T PURE ceil(T);                                                                            \
  T PURE clamp(T, T, T);                                                                     \
  T PURE copysign(T, T);                                                                     \
  T PURE cos(T);                                                                             \
  T PURE cosh(T);                                                                            \
  T PURE erf(T);                                                                             \
  T PURE erfc(T);                                                                            \
  T PURE exp(T);                                                                             \
  T PURE exp10(T);                                                                           \
  T PURE exp2(T);                                                                            \
  T PURE expm1(T);                                                                           \
  T PURE fabs(T);                                                                            \
  T PURE fdim(T, T);                                                                         \
  T PURE floor(T);                                                                           \
  T PURE fma(T, T, T);                                                                       \
  T PURE fmax(T, T);                                                                         \
  T PURE fmin(T, T);                                                                         \
  T PURE fmod(T, T);                                                                         \
  T PURE hypot(T, T);                                                                        \
  int PURE ilogb(T);                                                                         \
  int PURE isfinite(T);                                                                      \
  int PURE isinf(T);                                                                         \
  int PURE isnan(T);                                                                         \
  T PURE ldexp(T, int);                                                                      \
  T PURE lgamma(T);                                                                          \
  T PURE log(T);                                                                             \
  T PURE log10(T);                                                                           \
  T PURE log1p(T);                                                                           \
  T PURE log2(T);                                                                            \
  T PURE logb(T);                                                                            \
  T PURE mad(T, T, T);                                                                       \
  T PURE max(T, T);                                                                          \
  T PURE min(T, T);                                                                          \
  T PURE nextafter(T, T);                                                                    \
  T PURE pow(T, T);                                                                          \
  T PURE remainder(T, T);                                                                    \
  T PURE rint(T);                                                                            \
  T PURE round(T);                                                                           \
  T PURE rsqrt(T);                                                                           \
  T PURE sin(T);                                                                             \
  T PURE sinh(T);                                                                            \
  T PURE sqrt(T);                                                                            \
  T PURE tan(T);                                                                             \
  T PURE tanh(T);                                                                            \
  T PURE tgamma(T);                                                                          \
  T PURE trunc(T);                                                                           \
  IN_MEMORY(T, global)                                                                       \
  IN_MEMORY(T, local)                                                                        \
  IN_MEMORY(T, private)
#define IN_MEMORY(T, memory)                                                                 \
  T OVERLOADED frexp(T, memory int*);                                                        \
  T OVERLOADED modf(T, memory T*);                                                           \
  T OVERLOADED remquo(T, T, memory int*);                                                    \
  T OVERLOADED sincos(T, memory T*);
FLOATING(OF_FLOATS)

#undef OVERLOADED
#undef PURE
#undef FLOATING
#undef INTEGRAL
#undef OF_INTEGERS
#undef OF_FLOATS
#undef IN_MEMORY
