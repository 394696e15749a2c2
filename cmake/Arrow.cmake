# Arrow's C++ library, which reads and writes Parquet files and its own
# (src/formats/arrow/library/). Debian has no package of it; Python's pyarrow has it within, with
# its headers. Looked for where PAPPUS_ARROW_ROOT says, else where tools/setup.sh puts it, then
# where python3 finds pyarrow.
# Without it opening such a file is an error that says so.
set(PAPPUS_ARROW_ROOT "" CACHE STRING
  "Folder of Arrow 24 or later: of the package pyarrow, or one with include/ and lib/; off: none")

set(arrow_roots ${PAPPUS_ARROW_ROOT})
# ThreadSanitizer would have to see what Arrow's code waits for.
if(PAPPUS_ARROW_ROOT STREQUAL "off" OR PAPPUS_SANITIZE MATCHES "thread")
  set(arrow_roots)
elseif(NOT PAPPUS_ARROW_ROOT)
  file(GLOB arrow_roots ${PROJECT_SOURCE_DIR}/build/arrow/*/pyarrow)
  list(SORT arrow_roots COMPARE NATURAL ORDER DESCENDING)
  find_program(PAPPUS_PYTHON python3)
  mark_as_advanced(PAPPUS_PYTHON)
  if(PAPPUS_PYTHON)
    execute_process(
      COMMAND ${PAPPUS_PYTHON} -c "from importlib.util import find_spec
found = find_spec('pyarrow')
if found: print(*found.submodule_search_locations)"
      OUTPUT_VARIABLE arrow_of_python ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    list(APPEND arrow_roots ${arrow_of_python})
  endif()
endif()

set(PAPPUS_ARROW_INCLUDE "")
foreach(root ${arrow_roots})
  if(PAPPUS_ARROW_INCLUDE OR NOT EXISTS ${root}/include/parquet/arrow/reader.h)
    continue()
  endif()
  set(PAPPUS_ARROW_LIBRARIES "")
  foreach(name parquet arrow)
    # A wheel's have nothing but a name with their version: libarrow.so.2600.
    file(GLOB files ${root}/lib${name}.so ${root}/lib${name}.so.[0-9]* ${root}/lib/lib${name}.so
      ${root}/lib/*/lib${name}.so)
    if(files)
      list(GET files 0 file)
      list(APPEND PAPPUS_ARROW_LIBRARIES ${file})
    endif()
  endforeach()
  list(LENGTH PAPPUS_ARROW_LIBRARIES found)
  if(found EQUAL 2)
    set(PAPPUS_ARROW_INCLUDE ${root}/include)
    set(PAPPUS_ARROW_FOUND_IN ${root})
  endif()
endforeach()

if(PAPPUS_ARROW_INCLUDE)
  # Whether its headers and ours agree on the compiler, the standard and std::string.
  if(NOT "${PAPPUS_ARROW_CHECKED}" STREQUAL "${PAPPUS_ARROW_FOUND_IN}")
    file(WRITE ${PROJECT_BINARY_DIR}/arrow_check.cpp
      "#include <parquet/arrow/reader.h>\n#include <parquet/file_reader.h>\n"
      "int main() {\n"
      "  auto file = parquet::ParquetFileReader::OpenFile(std::string());\n"
      "  return parquet::arrow::FileReader::Make(nullptr, std::move(file)).ok();\n}\n")
    try_compile(arrow_works ${PROJECT_BINARY_DIR}/arrow_check
      ${PROJECT_BINARY_DIR}/arrow_check.cpp
      CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${PAPPUS_ARROW_INCLUDE}"
      LINK_LIBRARIES ${PAPPUS_ARROW_LIBRARIES} CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON
      OUTPUT_VARIABLE arrow_problem)
    if(arrow_works)
      set(PAPPUS_ARROW_CHECKED ${PAPPUS_ARROW_FOUND_IN} CACHE INTERNAL "Arrow that can be linked")
    endif()
  endif()
  if(NOT "${PAPPUS_ARROW_CHECKED}" STREQUAL "${PAPPUS_ARROW_FOUND_IN}")
    message(WARNING "Arrow in ${PAPPUS_ARROW_FOUND_IN} can't be compiled and linked with (expected "
      "version 24 or later): Parquet files won't be read\n${arrow_problem}")
    set(PAPPUS_ARROW_INCLUDE "")
  endif()
elseif(arrow_roots AND PAPPUS_ARROW_ROOT)
  message(WARNING "PAPPUS_ARROW_ROOT=${PAPPUS_ARROW_ROOT}: expected a folder with "
    "include/parquet/arrow/reader.h and libraries of Arrow and Parquet, got none of these: Parquet "
    "files won't be read")
endif()
