// Stable sort of strings by their bytes, in parallel.
//
// Problem: comparing strings through pointers misses the cache twice a comparison, and n log n of
// them run on one core.
//
// Idea: a word of a string is its next 7 bytes and how many bytes are left, 8 standing for more
// than 7; the order of such words is the order of strings, embedded zero bytes included. Rows are
// sorted by the first word by radix, then each run of rows that still tie and have more bytes: long
// runs the same way by the next word after what all of them share, short ones by comparing, many
// runs at a time.
//
// Alternatives: numbering the distinct strings first (algorithms/strings.h), better where few
// distinct strings come in any order, worse where most differ; multikey quicksort (sequential).
//
// Not here: collation. Bytes compare as unsigned numbers, as operator< of std::string_view does.
#pragma once

#include <cstdint>
#include <string_view>

#include "pappus/detail/base/memory.h"
#include "pappus/detail/base/parallel.h"

namespace pappus::algorithms {

/// Sets order[0..n) to row numbers so that strings[order[i]] ascend, or descend; equal strings keep
/// their order either way. Needs 32 bytes a row. Throws memory_error naming `owner`;
/// pappus::cancelled.
void sort_strings(detail::workers& team, detail::memory_source& memory,
                  const std::string_view* strings, std::uint64_t n, bool descending,
                  std::uint64_t* order, std::string_view owner);

}  // namespace pappus::algorithms
