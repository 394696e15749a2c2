# What Pappus needs of others. None of it shows in include/pappus/.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
if(NOT PAPPUS_STD_THREADS)
  find_package(TBB REQUIRED)
endif()

# Debian has no CMake package for these, which are linked by name. lzma is the demo's alone, which
# reads files of more kinds; simdjson is for JSON lines, the others are codecs of chunks of arrays
# and of text files.
function(pappus_need_library name header)
  find_library(PAPPUS_LIBRARY_${name} ${name})
  find_path(PAPPUS_INCLUDE_${name} ${header})
  mark_as_advanced(PAPPUS_LIBRARY_${name} PAPPUS_INCLUDE_${name})
  if(NOT PAPPUS_LIBRARY_${name} OR NOT PAPPUS_INCLUDE_${name})
    message(FATAL_ERROR "lib${name} with ${header} was not found: run tools/setup.sh")
  endif()
endfunction()
pappus_need_library(blosc blosc.h)
pappus_need_library(deflate libdeflate.h)
pappus_need_library(lz4 lz4frame.h)
pappus_need_library(simdjson simdjson.h)
pappus_need_library(z zlib.h)
pappus_need_library(zstd zstd.h)
pappus_need_library(lzma lzma.h)

# libhdf5 is loaded when the first HDF5 file is opened (formats/hdf5/library/): building needs its
# headers, and the name under which the dynamic loader knows it. Without them opening such a file is
# an error that says so.
find_path(PAPPUS_INCLUDE_hdf5 hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(PAPPUS_LIBRARY_hdf5 NAMES hdf5_serial hdf5)
mark_as_advanced(PAPPUS_LIBRARY_hdf5 PAPPUS_INCLUDE_hdf5)
set(PAPPUS_HDF5_LIBRARY "")
if(PAPPUS_INCLUDE_hdf5 AND PAPPUS_LIBRARY_hdf5)
  execute_process(COMMAND ${CMAKE_READELF} -d ${PAPPUS_LIBRARY_hdf5}
    OUTPUT_VARIABLE dynamic_section)
  if(dynamic_section MATCHES "soname: \\[([^]]+)\\]")
    set(PAPPUS_HDF5_LIBRARY ${CMAKE_MATCH_1})
  endif()
endif()
if(NOT PAPPUS_HDF5_LIBRARY)
  message(WARNING "libhdf5 with hdf5.h was not found: HDF5 files won't be read; run tools/setup.sh")
endif()

include(${CMAKE_CURRENT_LIST_DIR}/Arrow.cmake)
