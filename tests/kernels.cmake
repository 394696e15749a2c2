# What watches or compiles the kernels that tests run: oclgrind, and CUDA's compiler.

# Every kernel that ran on OpenCL, through CUDA's compiler.
if(TARGET pappus_test_conformance)
  add_executable(pappus_compile_for_cuda conformance/compile_for_cuda.cpp)
  pappus_own(pappus_compile_for_cuda)
  target_include_directories(pappus_compile_for_cuda PRIVATE ${include_roots})
  target_link_libraries(pappus_compile_for_cuda PRIVATE pappus::pappus ${CMAKE_DL_LIBS})
endif()
if(TARGET pappus_compile_for_cuda AND lambdas_on_opencl)
  set(test ${PAPPUS_TEST_PREFIX}kernels)
  add_test(NAME ${test}/of_no_other_run
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${kernels_ran} ${kernels_checked})
  add_test(NAME ${test}/compile_for_cuda COMMAND pappus_compile_for_cuda ${kernels_ran})
  set_tests_properties(${test}/of_no_other_run PROPERTIES
    LABELS kernels FIXTURES_SETUP ${PAPPUS_TEST_PREFIX}no_kernels)
  set_tests_properties(${test}/compile_for_cuda PROPERTIES
    LABELS kernels TIMEOUT 900 COST 60 SKIP_RETURN_CODE 77
    FIXTURES_REQUIRED ${PAPPUS_TEST_PREFIX}kernels_ran)
endif()

# The driver and the operators' kernels under oclgrind, and that it reports what is wrong. Its
# library is preloaded, which sanitizers don't allow.
function(pappus_check_kernels name folder filter)
  if(TARGET pappus_test_${folder} AND NOT PAPPUS_SANITIZE)
    add_test(NAME ${PAPPUS_TEST_PREFIX}oclgrind/${name}
      COMMAND ${PROJECT_SOURCE_DIR}/tools/check_kernels.sh ${ARGN}
        $<TARGET_FILE:pappus_test_${folder}> --gtest_filter=${filter})
    set_tests_properties(${PAPPUS_TEST_PREFIX}oclgrind/${name} PROPERTIES
      LABELS oclgrind TIMEOUT 300 COST 40 SKIP_RETURN_CODE 77)
  endif()
endfunction()
pappus_check_kernels(device_contract devices "opencl.*:*device_contract*opencl_0")
pappus_check_kernels(checked_kernels device_ops "checked_kernels.*")
foreach(fault that_read_behind_a_buffer that_write_behind_a_buffer
    whose_items_write_the_same_place whose_items_read_what_others_write that_forget_a_barrier)
  pappus_check_kernels(finds_kernels_${fault} device_ops "broken_kernels.${fault}" --broken)
endforeach()

# Plain lambdas under oclgrind, on few rows. Those of conformance/ take minutes, for they come with
# every type: they, and whether all kernels that the tests ran were there, are for
# `tools/test.sh --full`.
option(PAPPUS_TEST_ALL_KERNELS "Run the kernels of all tests under oclgrind, too" OFF)
if(lambdas_on_opencl)
  function(pappus_check_lambdas folder shards)
    math(EXPR last "${shards} - 1")
    foreach(shard RANGE ${last})
      set(name ${folder}_lambdas_${shard})
      pappus_check_kernels(${name} ${folder} "*")
      set(environment PAPPUS_TEST_ROWS=few PAPPUS_DEVICES=cpu
        PAPPUS_DUMP=${kernels_checked}/${folder}
        GTEST_TOTAL_SHARDS=${shards} GTEST_SHARD_INDEX=${shard})
      set_tests_properties(${PAPPUS_TEST_PREFIX}oclgrind/${name} PROPERTIES
        ENVIRONMENT "${environment}" FIXTURES_REQUIRED ${PAPPUS_TEST_PREFIX}no_kernels
        FIXTURES_SETUP ${PAPPUS_TEST_PREFIX}kernels_checked)
    endforeach()
  endfunction()
  foreach(folder compiler conformance demo floats)
    if(folder STREQUAL "conformance" AND NOT PAPPUS_TEST_ALL_KERNELS)
      continue()
    elseif(folder STREQUAL "conformance")
      set(shards 4)
    elseif(folder STREQUAL "compiler")
      set(shards 2)
    else()
      set(shards 1)
    endif()
    if(TARGET pappus_test_${folder})
      pappus_check_lambdas(${folder} ${shards})
    endif()
  endforeach()
  if(PAPPUS_TEST_ALL_KERNELS)
    add_test(NAME ${PAPPUS_TEST_PREFIX}oclgrind/saw_all_kernels_that_ran
      COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/kernels_covered.py
        ${kernels_ran} ${kernels_checked})
    set_tests_properties(${PAPPUS_TEST_PREFIX}oclgrind/saw_all_kernels_that_ran PROPERTIES
      LABELS oclgrind SKIP_RETURN_CODE 77 FIXTURES_REQUIRED
      "${PAPPUS_TEST_PREFIX}kernels_ran;${PAPPUS_TEST_PREFIX}kernels_checked")
  endif()
endif()

# Every operator with the kernels that GPUs are given, for `tools/test.sh --full`. PoCL has the
# states of a whole work-group on one stack.
if(lambdas_on_opencl AND PAPPUS_TEST_ALL_KERNELS AND TARGET pappus_test_conformance)
  add_test(NAME ${PAPPUS_TEST_PREFIX}kernels/for_gpus
    COMMAND bash -c "ulimit -s 131072 || exit 77; exec \"$<TARGET_FILE:pappus_test_conformance>\"")
  set_tests_properties(${PAPPUS_TEST_PREFIX}kernels/for_gpus PROPERTIES LABELS kernels TIMEOUT 900
    SKIP_RETURN_CODE 77 ENVIRONMENT "PAPPUS_OPENCL_LIKE=gpu;PAPPUS_CACHE=off;PAPPUS_DEVICES=cpu")
endif()
