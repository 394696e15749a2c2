// Compiler settings that change how containers and structs lie in memory.
//
// A program, which compiles the headers, hands vectors to the library; a library that was built
// with other settings would read them wrongly. So a session's constructors take the settings as a
// type. The library defines them for its own settings alone; a program with others doesn't link,
// and the name of the missing constructor says what the program was built with.
#pragma once

#include <string>
#include <type_traits>

namespace pappus::detail {

struct GLIBCXX_DEBUG_on;
struct GLIBCXX_DEBUG_off;
struct GLIBCXX_USE_CXX11_ABI_1;
struct GLIBCXX_USE_CXX11_ABI_0;
struct pack_struct_on;
struct pack_struct_off;

template <typename Debug, typename Abi, typename Pack>
struct program_built_with {};

#ifdef _GLIBCXX_DEBUG
using debug_setting = GLIBCXX_DEBUG_on;
#else
using debug_setting = GLIBCXX_DEBUG_off;
#endif
#if defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
using abi_setting = GLIBCXX_USE_CXX11_ABI_0;
#else
using abi_setting = GLIBCXX_USE_CXX11_ABI_1;
#endif
struct padded {
  char first;
  long long second;
};
using pack_setting = std::conditional_t<sizeof(padded) == sizeof(char) + sizeof(long long),
                                        pack_struct_on, pack_struct_off>;

using build_settings = program_built_with<debug_setting, abi_setting, pack_setting>;

}  // namespace pappus::detail
