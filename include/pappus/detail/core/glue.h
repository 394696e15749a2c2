// PAPPUS_GLUE marks templates that build queries and run once a query, not once a row. Each is used
// once, by one query with lambdas of its own, so compilers would inline all of a program's queries
// into the function that makes them: half of what such a program takes to compile.
#pragma once

#if defined(__clang__)
#define PAPPUS_GLUE [[gnu::noinline, clang::minsize]]
#else
#define PAPPUS_GLUE [[gnu::noinline]]
#endif
