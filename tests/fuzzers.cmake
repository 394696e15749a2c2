# A short run of each fuzzer; by hand: pappus_fuzz_<name> -max_total_time=<seconds> <corpus folder>.
file(GLOB_RECURSE fuzz_sources CONFIGURE_DEPENDS *_fuzz.cpp)
foreach(source ${fuzz_sources})
  get_filename_component(name ${source} NAME_WE)
  string(REGEX REPLACE "_fuzz$" "" name ${name})
  add_executable(pappus_fuzz_${name} ${source})
  pappus_own(pappus_fuzz_${name})
  target_include_directories(pappus_fuzz_${name} PRIVATE ${include_roots})
  target_compile_options(pappus_fuzz_${name} PRIVATE -fsanitize=fuzzer)
  target_link_options(pappus_fuzz_${name} PRIVATE -fsanitize=fuzzer)
  target_link_libraries(pappus_fuzz_${name} PRIVATE pappus::pappus)
  add_test(NAME ${PAPPUS_TEST_PREFIX}fuzz/${name}
    COMMAND pappus_fuzz_${name} -runs=200000 -max_total_time=3 -max_len=4096
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  set_tests_properties(${PAPPUS_TEST_PREFIX}fuzz/${name} PROPERTIES
    LABELS fuzz TIMEOUT 120 COST 4 ENVIRONMENT "${sanitizer_environment}")
endforeach()
