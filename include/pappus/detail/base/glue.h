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
