#include "compiler/analysis/reasons.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <iterator>

namespace pappus::compiler {
namespace {

/// In `what`, {} stands for a name.
struct rejection {
  cause why;
  const char* id;
  const char* what;
  const char* remedy;
};

using enum cause;
constexpr rejection table[] = {
    {address_as_number, "address-as-number", "computes with the address of an object",
     "use indices instead of addresses; differences of pointers into one array are fine"},
    {allocates, "allocates", "allocates memory ({})",
     "use an array of fixed size, such as std::array, or a field of the result"},
    {asks_processor, "asks-processor", "uses an instruction of this processor ({})",
     "write it in plain C++; the compilers of device and CPU choose the instructions"},
    {assembly, "assembly", "contains assembly", "write it in plain C++"},
    {atomic, "atomic", "uses an atomic operation",
     "let an operator of the query combine values, such as reduce or group_by"},
    {catches, "catches", "catches an exception",
     "return a value that tells of the failure, such as std::optional; an exception may leave "
     "the function, the CPU throws it then"},
    {category_text, "category-text",
     "looks at the text of a pappus::category, or makes one of text",
     "capture one that is made outside, const auto aa = pappus::category(\"AA\"), and compare with "
     "that: categories are equal where their codes are"},
    {computed_goto, "computed-goto", "jumps to a label whose address was taken", "use a switch"},
    {coroutine, "coroutine", "uses a coroutine", "return all results at once, or use flat_map"},
    {float_environment, "float-environment", "was compiled with {}, which devices don't know",
     "compile this file without it to run the function on a device"},
    {frees, "frees", "frees memory ({})", "leave owning objects outside; capture plain values"},
    {host_pointer, "host-pointer",
     "follows a pointer stored in an object, to memory that a device doesn't have",
     "put the values into the record, or pass the array as shared data and store indices"},
    {int128, "int128", "uses a 128-bit integer", "use 64-bit integers, or two of them"},
    {keeps_address, "keeps-address", "stores the address of an object",
     "store an index, or copy the object"},
    {locks, "locks", "takes a lock ({})",
     "let an operator of the query combine values, such as reduce or group_by"},
    {long_double, "long-double", "uses long double", "use double"},
    {looks_up, "looks-up", "uses a {}, whose elements lie in memory that a device doesn't have",
     "join with the elements, or pass them sorted as shared data and look there with "
     "std::lower_bound"},
    {mixed_memory, "mixed-memory",
     "takes a reference or pointer that may point to one of several objects, such as to its "
     "argument or to what it captured",
     "copy the values: auto x = ..., instead of auto& x = ..."},
    {mutable_global, "mutable-global", "uses the variable {}, which may change",
     "capture its value, or make it constexpr"},
    {narrow_float, "narrow-float", "uses a 16-bit float", "convert to float outside"},
    {not_inlined, "not-inlined", "calls {}, which can't be copied into the function",
     "simplify that function"},
    {pointer_call, "pointer-call", "calls a function through a pointer",
     "pass pappus::fn<function>, a lambda or a function object, whose type tells which function "
     "it is"},
    {prints, "prints", "reads or writes a file or the terminal ({})",
     "put it in the result, and print that on the CPU"},
    {recursion, "recursion", "calls {}, which calls itself", "write it as a loop"},
    {reference_size, "reference-size",
     "follows a captured pointer or reference to memory whose size isn't known",
     "pass the array as shared data, as in rows.map(function, array.shared()), or capture a "
     "std::array"},
    {replaceable, "replaceable",
     "calls {}, which is declared weak and may be replaced when linking",
     "remove the attribute weak"},
    {run_time_type, "run-time-type", "asks for the type that an object has when it runs ({})",
     "keep a number that tells the kind in the record, or use a std::variant"},
    {setjmp, "setjmp", "calls setjmp", "use return or break"},
    {sorts, "sorts", "calls {}, which calls itself",
     "sort with the query's sort, or for few elements write an insertion sort"},
    {static_local, "static-local", "uses the static variable {}, which the first call sets up",
     "make it constexpr, or compute it before and capture it"},
    {std_any, "std-any", "uses a std::any", "use a std::variant of the types that it may hold"},
    {std_function, "std-function", "calls a std::function",
     "take the function as a template parameter (auto), so that its type tells what it does"},
    {table_pointers, "table-pointers", "uses a constant table that holds pointers",
     "use a table of values, such as of std::array<char, N> instead of const char*"},
    {table_size, "table-size", "uses constant tables of more than 48 KiB",
     "pass the table as shared data"},
    {thread_local_, "thread-local", "uses the thread_local variable {}", "capture its value"},
    {trapping, "trapping",
     "was compiled with -ftrapv or -fsanitize-trap, whose checks devices lack",
     "compile this file without it to run the function on a device"},
    {ubsan, "ubsan", "was compiled with -fsanitize=undefined, whose checks devices lack",
     "compile this file without it to run the function on a device"},
    {unknown_call, "unknown-call", "calls a function that devices don't have",
     "write it in plain C++"},
    {unknown_code, "unknown-code", "does something that has no counterpart on devices",
     "write it in other words"},
    {unseen_body, "unseen-body", "calls {}, whose body this file doesn't see",
     "define it inline in a header, or in this file"},
    {unseen_library, "unseen-library", "calls {}, of which a header has only the declaration",
     "use what headers define whole, such as <algorithm>, <array>, <cmath> or <span>"},
    {unseen_value, "unseen-value", "uses the variable {}, whose value this file doesn't see",
     "make it inline constexpr in a header, or capture its value"},
    {variable_array, "variable-array", "has an array whose size is known only when it runs",
     "use an array of the largest size"},
    {variadic, "variadic", "calls {}, which takes any number of arguments (...)",
     "use a template with a parameter pack"},
    {virtual_call, "virtual-call", "calls a virtual function",
     "make the class final, use a std::variant, or a template"},
    {volatile_access, "volatile", "accesses a volatile variable", "remove volatile"},
    {writes_argument, "writes-argument", "writes to its argument",
     "take it by value, or return a changed copy"},
    {writes_captures, "writes-captures", "writes to what it captured by value",
     "use a local variable; for state over all rows use reduce or scan"},
    {writes_global, "writes-global", "writes to the variable {}",
     "return the value; for one over all rows use reduce or scan"},
    {writes_reference, "writes-reference", "writes through a captured reference or pointer",
     "return the value; for a sum over all rows use reduce"},
    {writes_shared, "writes-shared", "writes to its argument, its captures or shared data",
     "return the value; for a sum over all rows use reduce"},
    {writes_side, "writes-side", "writes to shared data", "return the value as a record"},
};

}  // namespace

llvm::StringRef line_of(const reason& r) {
  const auto [before, last] = llvm::StringRef(r.where).rsplit(':');
  const auto number = before.rsplit(':').second;
  const bool has_column = !number.empty() && llvm::all_of(number, llvm::isDigit);
  return has_column ? before : llvm::StringRef(r.where);
}

reason reason_for(cause why, const std::string& name, const position& at) {
  const auto* row = std::find_if(std::begin(table), std::end(table),
                                 [&](const rejection& r) { return r.why == why; });
  reason result{row->what, row->remedy, at.where, at.chain, row->id};
  if (const auto place = result.what.find("{}"); place != std::string::npos)
    result.what.replace(place, 2, name);
  return result;
}

}  // namespace pappus::compiler
