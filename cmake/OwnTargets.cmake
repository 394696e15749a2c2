# What every target of this project shares.

if(PAPPUS_SANITIZE)
  add_compile_options(
    -fsanitize=${PAPPUS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${PAPPUS_SANITIZE})
endif()

# Warnings for a target of this project, and src/ as a root of its includes.
function(pappus_own target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra $<$<BOOL:${PAPPUS_WERROR}>:-Werror>
    # g++ 12 takes inlined string concatenation for an overlap (its bug 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
    # libstdc++ 12's stable_sort calls a function that it declares deprecated.
    $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
endfunction()

# Compiles <pappus/pappus.h>, which is most of what small programs take, once for all targets of
# this folder: these must have the same options.
macro(pappus_precompile_once target)
  if(precompiled)
    target_precompile_headers(${target} REUSE_FROM ${precompiled})
  else()
    target_precompile_headers(${target} PRIVATE <pappus/pappus.h>)
    set(precompiled ${target})
  endif()
endmacro()

# With PAPPUS_UNITY, compiles a target's sources folder by folder instead of file by file, small
# folders together: a third of the time, since headers are read once a folder; but a change of one
# file costs its whole folder. Names in the unnamed namespaces of a folder must differ. ALONE names
# files that are compiled by themselves, because theirs don't; AT_MOST cuts large folders, too.
function(pappus_unity target)
  cmake_parse_arguments(PARSE_ARGV 1 unity "" "AT_MOST" "ALONE")
  if(NOT PAPPUS_UNITY)
    return()
  endif()
  set(sources)
  get_target_property(paths ${target} SOURCES)
  foreach(path ${paths})
    cmake_path(ABSOLUTE_PATH path)
    list(APPEND sources ${path})
  endforeach()
  list(TRANSFORM unity_ALONE PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(REMOVE_ITEM sources ${unity_ALONE})
  set(files_a_unit 16)
  list(TRANSFORM sources REPLACE "/([^/]*)$" "//\\1")  # a folder's files before its folders'
  list(SORT sources)
  if(unity_AT_MOST)  # units of about one length
    list(LENGTH sources files)
    math(EXPR units "(${files} + ${unity_AT_MOST} - 1) / ${unity_AT_MOST}")
    math(EXPR files_a_unit "(${files} + ${units} - 1) / ${units}")
  endif()
  set(unit 0)
  set(files 0)
  set(last_folder "")
  foreach(source ${sources})
    string(REPLACE "//" "/" source ${source})
    get_filename_component(folder ${source} DIRECTORY)
    if(files GREATER_EQUAL files_a_unit AND (unity_AT_MOST OR NOT folder STREQUAL last_folder))
      math(EXPR unit "${unit} + 1")
      set(files 0)
    endif()
    math(EXPR files "${files} + 1")
    set(last_folder ${folder})
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${unit})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # g++ takes a unit's parts for headers, in which unnamed namespaces would be a mistake.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  # Nor need it look for memory to give back before a unit has taken this much, in KiB.
  target_compile_options(${target} PRIVATE
    $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1048576>)
endfunction()
