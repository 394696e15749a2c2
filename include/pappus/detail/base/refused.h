// Calls that don't compile: the first line of the compiler's message is a sentence that says why.
#pragma once

/// Declares a function that can't be called: compilers answer a call with the sentence.
#define PAPPUS_REFUSED(sentence) __attribute__((unavailable(sentence)))

#define PAPPUS_CANT_BE_CALLED                                                                 \
  " can't be called with one const record: expected a parameter of type T or const T&, with " \
  "shared data also a std::span<const U> for each, and no `mutable`"
#define PAPPUS_ISNT_A_RECORD                                                                    \
  " isn't trivially copyable, as records must be: use std::string_view or std::array<char, N> " \
  "for std::string, pappus::pair for std::pair, std::array for std::vector"
#define PAPPUS_ISNT_A_KEY                                                                   \
  " isn't a key: keys are integers, enums, floats, std::string_view, pappus::category, or " \
  "structs, pappus::pairs and std::arrays of such (strings excepted) of at most 16 bytes"

#define PAPPUS_ISNT_A_GROUP_KEY                                                             \
  " isn't a key: keys are integers, enums, floats, std::string_view, pappus::category, or " \
  "structs, pappus::pairs and std::arrays of such"

#define PAPPUS_KEYS_DIFFER \
  ": the keys of both sides must have the same type: convert one of them in its key function"
#define PAPPUS_MISSING_TEXT                                                                       \
  ": a key of text can't be a std::optional: leave out the records without one by filter(), and " \
  "return the std::string_view"
#define PAPPUS_SUCH_AS \
  ", as those of std::vector, std::array and std::span; std::vector<bool>, deque and list don't"

namespace pappus::detail {

#define PAPPUS_ANSWER(name)                      \
  template <typename... Args>                    \
  auto(name)(const Args&...) const->refused<T> { \
    return {};                                   \
  }

/// What refused calls return. It has all that the program may call on it, so that the refused call
/// is the only error. T is the record type, for g++ shows the types that a signature names.
template <typename T>
struct refused {
  template <typename R = void, typename... Args>
  refused reduce(const Args&...) const {
    return {};
  }
  const T* begin() const { return nullptr; }
  const T* end() const { return nullptr; }
  template <typename U>
  operator U() const {
    throw;
  }

  // clang-format off
  PAPPUS_ANSWER(map) PAPPUS_ANSWER(filter) PAPPUS_ANSWER(flat_map) PAPPUS_ANSWER(zip)
  PAPPUS_ANSWER(enumerate) PAPPUS_ANSWER(concat) PAPPUS_ANSWER(take) PAPPUS_ANSWER(skip)
  PAPPUS_ANSWER(count) PAPPUS_ANSWER(sum) PAPPUS_ANSWER(mean) PAPPUS_ANSWER(variance)
  PAPPUS_ANSWER(median) PAPPUS_ANSWER(quantile) PAPPUS_ANSWER(quantiles)
  PAPPUS_ANSWER(count_distinct) PAPPUS_ANSWER(value_counts) PAPPUS_ANSWER(histogram)
  PAPPUS_ANSWER(describe) PAPPUS_ANSWER(show) PAPPUS_ANSWER(sample)
  PAPPUS_ANSWER(rolling) PAPPUS_ANSWER(shuffle) PAPPUS_ANSWER(reverse)
  PAPPUS_ANSWER(min) PAPPUS_ANSWER(max) PAPPUS_ANSWER(first) PAPPUS_ANSWER(any)
  PAPPUS_ANSWER(all) PAPPUS_ANSWER(sort_by) PAPPUS_ANSWER(sort) PAPPUS_ANSWER(top)
  PAPPUS_ANSWER(bottom) PAPPUS_ANSWER(inclusive_scan) PAPPUS_ANSWER(exclusive_scan)
  PAPPUS_ANSWER(group_by) PAPPUS_ANSWER(expect) PAPPUS_ANSWER(map_groups)
  PAPPUS_ANSWER(flat_map_groups) PAPPUS_ANSWER(distinct)
  PAPPUS_ANSWER(right_join) PAPPUS_ANSWER(full_join) PAPPUS_ANSWER(union_with)
  PAPPUS_ANSWER(intersect) PAPPUS_ANSWER(except) PAPPUS_ANSWER(scatter)
  PAPPUS_ANSWER(join) PAPPUS_ANSWER(left_join) PAPPUS_ANSWER(semi_join) PAPPUS_ANSWER(anti_join)
  PAPPUS_ANSWER(over) PAPPUS_ANSWER(take_while) PAPPUS_ANSWER(skip_while)
  PAPPUS_ANSWER(asof_join) PAPPUS_ANSWER(cross_join) PAPPUS_ANSWER(range_join)
  PAPPUS_ANSWER(apply) PAPPUS_ANSWER(partition) PAPPUS_ANSWER(keys) PAPPUS_ANSWER(values)
  PAPPUS_ANSWER(on) PAPPUS_ANSWER(materialise) PAPPUS_ANSWER(cache) PAPPUS_ANSWER(shared)
  PAPPUS_ANSWER(collect) PAPPUS_ANSWER(to_vector) PAPPUS_ANSWER(for_each_chunk)
  PAPPUS_ANSWER(write) PAPPUS_ANSWER(explain) PAPPUS_ANSWER(explain_dot)
  PAPPUS_ANSWER(explain_analyze) PAPPUS_ANSWER(get)
  // clang-format on
};
#undef PAPPUS_ANSWER

}  // namespace pappus::detail
