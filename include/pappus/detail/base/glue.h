// PAPPUS_GLUE marks templates that build queries and run once a query, not once a row. Each is used
// once, by one query with lambdas of its own, so clang would inline all of a program's queries into
// the function that makes them: a fifth of what such a program takes to compile. g++ gains nothing
// by the mark.
#pragma once

#if defined(__clang__)
#define PAPPUS_GLUE [[gnu::noinline, clang::minsize]]
#else
#define PAPPUS_GLUE
#endif
