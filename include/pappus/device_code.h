// Device versions of functions.
//
// A stage runs on a device (OpenCL, CUDA) when all its functions have device code: pointers to
// members and functors such as std::plus<> have it, and a function gets it from its author:
//
//     auto near = with_device_code(fn<nearest>, device_file("nearest.cl", "nearest"));
//     auto scaled = with_device_code(
//         fn<scale>,
//         device_text("scale", "DEVICE float scale(float x, float k) { return x * k; }"), k);
//
// On the CPU these call the C++ function, as fast as without device code. Both versions must do the
// same; Pappus chooses where a stage runs. explain() says which functions lack device code.
//
//   Language   C that OpenCL C 1.2 and CUDA C++ both accept, with OpenCL's names of types: uchar,
//              int, uint, long and ulong (64 bits), float, double. Pointers to shared rows are
//              declared GLOBAL. There are no #includes.
//              Write DEVICE before functions: it makes them inline in the way that suits the
//              device.
//   Arguments  of exactly these types: the record, then for each shared collection
//              `GLOBAL const T* rows, long n`, then the values given to with_device_code. bool is
//              uchar in records and values.
//   Records    A user's struct has its C++ name without namespaces. Define it in the text, with the
//              same layout: typedef struct { float x, y; } point; Its size is checked. A type
//              whose name the text doesn't mention is passed on as bytes. Pappus defines
//              pair_A_B {first, second}, indexed_T {index, value}, keyed_K_V {key, value} and
//              array_T_N {at[N]}, where A, B, ... are the names of their members' types:
//              pair_int_point. Those with records of the user's come after the text; if functions
//              of the text take or return them, define them in the text, with these names.
//   Names      Functions, types and variables of the text may have any name that the text's own
//              language doesn't reserve: the device's compiler reads user_nearest for nearest and
//              record_point for point. Macros keep their names, and so do functions and variables
//              called first, second, index, value, key or at, which are members of records.
//   Results    have the same type as in C++; that of a filter is a number, 0 for false.
//   flat_map   In place of a range, two functions: long NAME_count(record, shared..., values...)
//              and element NAME_at(record, shared..., values..., long j), j from 0.
//   batched    with_device_code(batched<Out>(f), code): the code is for one record.
//   reduce     T NAME(T total, x, values...), of reduce(identity, op).
//   left_join  The match is a pointer, GLOBAL const T* match, null where there is none.
//   Reducers   A reducer R gets device code by a static member: static device_code on_device().
//              The text defines the struct R, laid out as in C++, and void NAME(R* state, value x),
//              which accumulates. merge and finalize stay C++.
//   Texts      Equal texts are compiled once: keep functions of the same records in one file.
//
// Where the device's compiler refuses a text, its messages show the lines of that text; the stage
// then runs elsewhere.
#pragma once

#include <memory>
#include <source_location>
#include <string>
#include <utility>

#include "pappus/detail/fuse/coded.h"
#include "pappus/function.h"

namespace pappus {

/// Device code from a file, which is read now. A relative path starts at the working directory.
/// \param function  the name of the function in it.
/// \throws format_error naming the file, where it can't be read; usage_error where `function` isn't
///         a name.
device_code device_file(const std::string& path, std::string function);

/// Device code as a string.
/// \param function  the name of the function in it.
/// \throws usage_error where `function` isn't a name.
device_code device_text(std::string function, std::string text,
                        std::source_location where = std::source_location::current());

/// A function with its device version, for any operator that takes the function.
///
/// \param values  trivially copyable; the C++ and the device function both get them as their last
///                arguments, after the shared data. They take the place of captures. Other values
///                need no new compilation.
template <typename F, typename... Values>
detail::coded_function<F, Values...> with_device_code(F function, device_code code,
                                                      Values... values) {
  static_assert((detail::record<Values> && ...),
                "with_device_code: the values must be trivially copyable");
  auto shared = std::make_shared<const device_code>(std::move(code));
  if constexpr (sizeof...(Values) == 0)
    return {std::move(function), std::move(shared)};
  else
    return {{std::move(function), detail::list_of(values...)}, std::move(shared)};
}
/// The same for a batched function: the C++ function takes blocks, the device code one record.
template <typename Out, typename F, typename... Values>
auto with_device_code(batched_function<Out, F> function, device_code code, Values... values) {
  return batched<Out>(
      with_device_code(std::move(function.function), std::move(code), std::move(values)...));
}

}  // namespace pappus
