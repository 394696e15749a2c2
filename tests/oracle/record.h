// What random queries work on, in Pappus and in SQL: one record type, whose fields are the columns
// of the same names.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "pappus/pappus.h"

namespace pappus::oracle {

/// Numbers of `value` and `price` are multiples of 1/8 and small, so that sums of them are the same
/// in any order, and what queries decide by them too.
struct record {
  std::int64_t id;  ///< different ones in a file, ascending
  std::int32_t key;
  std::int64_t big;
  double value;  ///< may be NaN or infinite
  double price;
  std::optional<std::int32_t> maybe;
  std::optional<double> part;  ///< may be NaN
  bool flag;
  date day;
  timestamp moment;
  std::string_view name;
  std::optional<std::string_view> note;
};
using rows = collection<record>;

inline constexpr const char* fields[] = {"id",   "key",  "big", "value",  "price", "maybe",
                                         "part", "flag", "day", "moment", "name",  "note"};

/// Draws what queries and files are made of. The same on every machine.
class draw {
 public:
  explicit draw(std::uint64_t seed) : engine_(seed) {}
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  int number(int low, int high) { return static_cast<int>(between(low, high)); }
  /// Once in n times.
  bool once_in(int n) { return number(1, n) == 1; }
  template <typename T, std::size_t N>
  const T& one_of(const T (&list)[N]) {
    return list[static_cast<std::size_t>(number(0, static_cast<int>(N) - 1))];
  }
  template <typename T>
  const T& one_of(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(number(0, static_cast<int>(list.size()) - 1))];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace pappus::oracle
