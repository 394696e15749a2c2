// What device code of the engine's users needs around it where a hand-written kernel calls it:
// before device/*.cl.
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
