// PAPPUS_GLUE marks templates that build queries and run once a query, not once a row. Each
// instance is called once, by the query whose lambdas it is made for, so clang would inline it
// there; not to do so saves a fifth of the time that a program of queries takes to compile. g++
// gains nothing by the mark.
#pragma once

#if defined(__clang__)
#define PAPPUS_GLUE [[gnu::noinline, clang::minsize]]
#else
#define PAPPUS_GLUE
#endif

// PAPPUS_INLINE_BY_CLANG marks what lies between a loop over rows and what is done with a row.
// Where that isn't tiny clang would call it for each row, and read what it captures from memory
// each time. g++ decides well by itself, and makes no vectors of a filtered sum if it is told to.
#if defined(__clang__)
#define PAPPUS_INLINE_BY_CLANG [[gnu::always_inline]]
#define PAPPUS_LAMBDA_INLINE_BY_CLANG __attribute__((always_inline))  // behind its parameters
#else
#define PAPPUS_INLINE_BY_CLANG
#define PAPPUS_LAMBDA_INLINE_BY_CLANG
#endif
