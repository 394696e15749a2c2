# Checks of the tree itself.
foreach(rule includes cycles adding_an_operator file_length function_length line_length dead_files
        public_headers
        forbidden_words formatting)
  add_test(NAME ${PAPPUS_TEST_PREFIX}tidy/${rule}
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/tidy/tidy.py ${rule}
      --build ${PROJECT_BINARY_DIR} --compiler ${CMAKE_CXX_COMPILER})
  set_tests_properties(${PAPPUS_TEST_PREFIX}tidy/${rule} PROPERTIES
    LABELS tidy TIMEOUT 300 SKIP_RETURN_CODE 77)
endforeach()
set_tests_properties(${PAPPUS_TEST_PREFIX}tidy/public_headers PROPERTIES COST 30)
add_test(NAME ${PAPPUS_TEST_PREFIX}tidy/finds_violations
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/tidy/tidy_test.py)
set_tests_properties(${PAPPUS_TEST_PREFIX}tidy/finds_violations PROPERTIES LABELS tidy)

# Scripts that are no part of a build.
foreach(script bench_matrix bench_pairs bench_peers picture test_times)
  add_test(NAME ${PAPPUS_TEST_PREFIX}tools/${script}
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/tools/${script}_test.py)
  set_tests_properties(${PAPPUS_TEST_PREFIX}tools/${script} PROPERTIES
    LABELS tools SKIP_RETURN_CODE 77)
endforeach()
