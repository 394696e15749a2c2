# What Pappus needs of others. None of it shows in include/pappus/.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
if(NOT PAPPUS_STD_THREADS)
  find_package(TBB REQUIRED)
endif()

# Debian has no CMake package for these, which are linked by name. lzma is the demo's alone, which
# reads compressed files; the others are codecs of chunks of arrays.
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
pappus_need_library(zstd zstd.h)
pappus_need_library(lzma lzma.h)
