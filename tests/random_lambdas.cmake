# Random lambdas on OpenCL against the CPU; tools/fuzz_lambdas.sh runs many more.
file(GLOB random_scripts CONFIGURE_DEPENDS compiler/random_*.py)
function(pappus_random_program target seed count)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp)
  add_custom_command(OUTPUT ${source}
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/compiler/random_lambdas.py
      --output ${source} ${seed} ${count}
    DEPENDS ${random_scripts} VERBATIM)
  add_executable(${target} ${source})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE pappus::pappus)
  target_compile_options(${target} PRIVATE -w ${ARGN})
endfunction()

pappus_random_program(pappus_random_lambdas 2026 60 -O1)
pappus_enable(pappus_random_lambdas QUIET)
add_test(NAME ${PAPPUS_TEST_PREFIX}compiler/random_lambdas COMMAND pappus_random_lambdas)
set_tests_properties(${PAPPUS_TEST_PREFIX}compiler/random_lambdas PROPERTIES
  LABELS compiler TIMEOUT 300 SKIP_RETURN_CODE 77 ENVIRONMENT POCL_DEVICES=basic)

# Ten of them under oclgrind, and all as the host's code: the generator promises that nothing
# they do is undefined.
pappus_random_program(pappus_few_random_lambdas 2027 10 -O1)
pappus_enable(pappus_few_random_lambdas QUIET)
add_test(NAME ${PAPPUS_TEST_PREFIX}oclgrind/random_lambdas
  COMMAND ${PROJECT_SOURCE_DIR}/tools/check_kernels.sh $<TARGET_FILE:pappus_few_random_lambdas>)
set_tests_properties(${PAPPUS_TEST_PREFIX}oclgrind/random_lambdas PROPERTIES
  LABELS oclgrind TIMEOUT 300 SKIP_RETURN_CODE 77)

set(undefined -fsanitize=undefined,float-cast-overflow)
pappus_random_program(pappus_defined_lambdas 2026 60
  -O0 ${undefined} -fno-sanitize-recover=all)
target_compile_definitions(pappus_defined_lambdas PRIVATE RANDOM_LAMBDAS_ON_CPU)
target_link_options(pappus_defined_lambdas PRIVATE ${undefined})
add_test(NAME ${PAPPUS_TEST_PREFIX}compiler/random_lambdas_are_defined
  COMMAND pappus_defined_lambdas)
set_tests_properties(${PAPPUS_TEST_PREFIX}compiler/random_lambdas_are_defined PROPERTIES
  LABELS compiler TIMEOUT 300)
