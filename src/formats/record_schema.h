// What the columns of a file are called, and what they hold, found by looking at some of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pappus/detail/base/columns.h"

namespace pappus::formats {

struct record_schema {
  static constexpr std::size_t few_texts = 1000;

  struct column {
    std::string name;  ///< empty where the file has none for it
    detail::cell type = detail::cell::string;
    std::size_t count = 1;       ///< more than one for arrays of as many
    detail::cell item{};         ///< of lists
    bool may_lack = false;       ///< values of this format may be missing
    bool optional = false;       ///< and its field has to be a std::optional therefore
    std::int64_t missing = 0;    ///< rows without a value that were seen, or are known of
    bool leading_zeros = false;  ///< which is why it is text
    /// Of text, that were seen; 0: more than few_texts, or unknown.
    std::size_t different_texts = 0;
    std::int64_t text_rows = 0;  ///< in so many rows, from the first on; 0: in all of `rows`
    std::string left_out{};      ///< why nothing but its name is known, as none can bind it
  };
  std::vector<column> columns;
  std::int64_t rows = 0;          ///< that were looked at
  bool all = true;                ///< the file has no more
  const char* values = "values";  ///< what they are called: "cells"
};

}  // namespace pappus::formats
