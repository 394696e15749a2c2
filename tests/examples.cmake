# The programs of examples/, compared with answers found another way. two_devices needs a compiler
# that makes its lambda run on them to show more than that it falls back.
set(check_example ${CMAKE_CURRENT_SOURCE_DIR}/examples/check.py)
get_property(example_names DIRECTORY ${PROJECT_SOURCE_DIR}/examples PROPERTY BUILDSYSTEM_TARGETS)
set(on_devices)
if(lambdas_on_opencl)
  set(on_devices --lambdas-on-devices)
endif()
foreach(name ${example_names})
  set(test ${PAPPUS_TEST_PREFIX}examples/${name})
  add_test(NAME ${test} COMMAND ${Python3_EXECUTABLE} -B ${check_example} ${name}
    $<TARGET_FILE:${name}> ${PROJECT_SOURCE_DIR}/examples/data ${on_devices})
  set_tests_properties(${test} PROPERTIES
    LABELS examples TIMEOUT 300 SKIP_RETURN_CODE 77 ENVIRONMENT "${sanitizer_environment}")
endforeach()
