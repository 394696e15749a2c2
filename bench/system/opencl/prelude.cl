// What device code of the engine's users needs around it where a hand-written kernel calls it:
// before device/*.cl; and what makes clang use whole registers of AVX-512, of which it fills half of
// its own accord: WIDE before a kernel, VECTORS_OF_32 before a loop whose steps don't depend on each
// other.
//
// On CPUs, compilers hand a struct of floats over as vectors, and then don't vectorise the loop
// that calls the function, even where they inline it; `regcall` hands it over field by field.
#pragma OPENCL FP_CONTRACT OFF
#define GLOBAL global
#if defined(__x86_64__) && defined(__clang__)
#define DEVICE static inline __attribute__((always_inline, regcall))
#else
#define DEVICE static inline
#endif
#if defined(__clang__) && defined(__AVX512F__)
#define WIDE __attribute__((min_vector_width(512)))
#define VECTORS_OF_32 _Pragma("clang loop vectorize_width(32)")
#else
#define WIDE
#define VECTORS_OF_32
#endif
