// What is known of the columns of a file that nobody has bound yet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pappus/detail/base/columns.h"

namespace pappus::formats {

struct file_schema {
  struct column {
    std::string name;
    detail::cell type = detail::cell::string;
    bool optional = false;       ///< its fields may lack a value
    std::int64_t missing = 0;    ///< values that are known to
    bool leading_zeros = false;  ///< text of digits, which isn't a number therefore
    std::string left_out{};      ///< why nothing but its name is known, as none can bind it
  };
  std::vector<column> columns;
  std::int64_t rows = 0;  ///< that were looked at
  bool all = true;        ///< the file has no more
};

}  // namespace pappus::formats
