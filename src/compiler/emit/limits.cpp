#include "compiler/emit/limits.h"

#include <algorithm>

#include "compiler/analysis/positions.h"

namespace pappus::compiler {

const std::vector<limit_row>& all_limits() {
  using enum limit;
  static const std::vector<limit_row> table{
      {address_as_number, "address-as-number", "computes with the address of an object",
       "use indices instead of addresses; differences of pointers into one array are fine"},
      {host_pointer, "host-pointer",
       "follows a pointer stored in a record, to memory that a device doesn't have",
       "put the values into the record, or pass the array as shared data and store indices"},
      {keeps_address, "keeps-address", "stores the address of an object",
       "store an index, or copy the object"},
      {long_double, "long-double", "uses long double", "use double"},
      {mixed_memory, "mixed-memory",
       "takes a reference or pointer that may point to one of several objects, such as to its "
       "argument or to what it captured",
       "copy the values: auto x = ..., instead of auto& x = ..."},
      {mutable_global, "mutable-global", "uses a global variable, which may change",
       "capture its value, or make it constexpr"},
      {narrow_float, "narrow-float", "uses a 16-bit float", "convert to float outside"},
      {reference_size, "reference-size",
       "the size of what the captured pointer or reference points to isn't known",
       "pass the array as shared data, as in rows.map(function, array.shared()), or capture a "
       "std::array"},
      {table_pointers, "table-pointers", "uses a constant table that holds pointers",
       "use a table of values, such as of std::array<char, N> instead of const char*"},
      {table_size, "table-size", "uses constant tables of more than 48 KiB",
       "pass the table as shared data"},
      {unknown_call, "unknown-call", "calls a function that devices don't have",
       "write it in plain C++"},
      {unknown_code, "unknown-code", "does something that has no counterpart on devices",
       "write it in other words"},
      {wide_integer, "int128", "uses a 128-bit integer", "use 64-bit integers, or two of them"},
      {writes_shared, "writes-shared", "writes to its argument, its captures or shared data",
       "return the value; for a sum over all rows use reduce"},
  };
  return table;
}

reason reason_for(limit why, const llvm::Instruction* at, const std::string& otherwise) {
  const auto& table = all_limits();
  const auto row =
      std::find_if(table.begin(), table.end(), [&](const limit_row& r) { return r.why == why; });
  reason result{row->what, row->remedy, otherwise, {}, row->id};
  if (at) {
    auto place = position_of(*at, otherwise);
    result.where = std::move(place.where);
    result.chain = std::move(place.chain);
  }
  return result;
}

}  // namespace pappus::compiler
