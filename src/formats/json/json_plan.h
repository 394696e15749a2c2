// What a reader of JSON lines does with each key: where the objects of a line have the columns.
//
// A dot in a column's name leads into an object: "user.id" is the key "id" of the object at "user".
// A key that has the dots itself, as some programs write it, is the same column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pappus/detail/base/columns.h"

namespace pappus::formats {

struct json_plan {
  static constexpr std::size_t none = SIZE_MAX;

  struct column {
    std::string name;
    detail::cell type{};
    std::size_t offset = 0, count = 1;
    std::size_t presence = 0;       ///< of the byte that is 1 where there is a value; 0: always
    detail::cell item{};            ///< of a list's items
    std::size_t string_column = 0;  ///< the number among those whose records lead to bytes
    bool wanted = true;
  };
  /// A key of an object that a column lies at, or below.
  struct member {
    std::string key;
    std::size_t column = none;
    std::size_t object = none;
  };
  struct object {
    std::string path;  ///< "user"; "" of a line's own
    std::vector<member> members;
  };

  std::size_t record_bytes = 0;
  std::size_t string_columns = 0;
  std::vector<column> columns;
  std::vector<object> objects;  ///< a line's own first
};

/// Throws usage_error for a layout without columns, a column without a name, and two columns of one
/// name.
json_plan plan_keys(const std::string& file, const detail::record_layout& bound);

}  // namespace pappus::formats
