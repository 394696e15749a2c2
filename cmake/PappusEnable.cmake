# pappus_enable(target): compiles the lambdas of the target's queries for devices, too.
#
#   pappus_enable(kmeans)          what can't be compiled is told as a remark and runs on the CPU
#   pappus_enable(kmeans QUIET)    without remarks; explain() still says why
#   pappus_enable(kmeans FLOATS fast)
#                                  the functions of its queries may round otherwise than C++ says:
#                                  on the CPU and on devices (docs/guides/compiler.md, "Numbers")
#   pappus_enable(kmeans CHECK)    launches check which elements their functions touch
#                                  (docs/arrays/checks.md), whatever the compiler
#
# It needs clang of the version that the plugin was built for. With any other compiler the target
# builds all the same, its lambdas run on the CPU, and explain() says so.
#
# This file is installed beside PappusConfig.cmake. In the project's own build the plugin is the
# target pappus_compiler, in the package the file PAPPUS_COMPILER_PLUGIN.

# Sets `result` to whether this build's compiler can load the plugin, and PAPPUS_PLUGIN_WHY_NOT.
function(pappus_can_enable result)
  set(${result} FALSE PARENT_SCOPE)
  string(REGEX REPLACE "\\..*" "" major "${CMAKE_CXX_COMPILER_VERSION}")
  if(NOT TARGET pappus_compiler AND NOT EXISTS "${PAPPUS_COMPILER_PLUGIN}")
    set(why "Pappus was built without its compiler plugin")
  elseif(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR NOT major EQUAL PAPPUS_COMPILER_CLANG)
    set(why "the compiler plugin needs clang ${PAPPUS_COMPILER_CLANG}, this is")
    string(APPEND why " ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
  else()
    set(${result} TRUE PARENT_SCOPE)
  endif()
  set(PAPPUS_PLUGIN_WHY_NOT "${why}" PARENT_SCOPE)
endfunction()

function(pappus_enable target)
  cmake_parse_arguments(PARSE_ARGV 1 wanted "QUIET;CHECK" "FLOATS" "")
  if(wanted_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "pappus_enable(${target}): expected nothing, QUIET, CHECK or "
      "FLOATS strict|fast, got ${wanted_UNPARSED_ARGUMENTS}")
  endif()
  if(wanted_KEYWORDS_MISSING_VALUES OR DEFINED wanted_FLOATS
     AND NOT wanted_FLOATS MATCHES "^(strict|fast)$")
    message(FATAL_ERROR
      "pappus_enable(${target}): FLOATS is strict (the default) or fast, got \"${wanted_FLOATS}\"")
  endif()
  if(wanted_CHECK)
    target_compile_definitions(${target} PRIVATE PAPPUS_CHECK_ACCESS)
  endif()
  pappus_can_enable(possible)
  if(NOT possible)
    if(wanted_FLOATS STREQUAL "fast")
      set(strictly ", with strict floats")
    endif()
    message(STATUS
      "pappus_enable(${target}): lambdas run on the CPU${strictly}: ${PAPPUS_PLUGIN_WHY_NOT}")
    return()
  endif()
  if(TARGET pappus_compiler)
    set(plugin $<TARGET_FILE:pappus_compiler>)
    add_dependencies(${target} pappus_compiler)
    get_target_property(version pappus_compiler PAPPUS_VERSION)
  else()
    set(plugin ${PAPPUS_COMPILER_PLUGIN})
    file(SHA256 ${plugin} version)
  endif()
  # clang ignores the seed. It makes another plugin another command: else neither build tools nor
  # ccache, which looks at a plugin's name alone, would compile the target anew.
  target_compile_options(${target} PRIVATE -fpass-plugin=${plugin} -frandom-seed=${version})
  # Else clang's calls of <cmath> might write to errno in some builds, and the text of functions
  # with them would be another one there.
  target_compile_options(${target} PRIVATE -fno-math-errno)
  if(wanted_FLOATS STREQUAL "fast")
    target_compile_definitions(${target} PRIVATE PAPPUS_FAST_FLOATS)
  endif()
  # The option also keeps the places in the source that explain() names.
  if(wanted_QUIET)
    target_compile_options(${target} PRIVATE -gline-tables-only)
  else()
    target_compile_options(${target} PRIVATE -Rpass-missed=pappus)
  endif()
endfunction()
