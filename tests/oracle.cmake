# Random queries, answered by an oracle, too: a hundred; by hand, with a Python that has DuckDB,
#   python3 tests/oracle/compare.py <build>/bin/pappus_oracle --seed 7 --queries 2000
file(GLOB oracle_sources CONFIGURE_DEPENDS oracle/*.cpp)
add_executable(pappus_oracle ${oracle_sources})
pappus_own(pappus_oracle)
pappus_unity(pappus_oracle AT_MOST 5)
target_include_directories(pappus_oracle PRIVATE ${include_roots})
target_link_libraries(pappus_oracle PRIVATE pappus::pappus pappus_test_quick)
target_compile_definitions(pappus_oracle PRIVATE
  PAPPUS_TEST_ARROW=$<BOOL:${PAPPUS_ARROW_INCLUDE}>)

set(compare ${CMAKE_CURRENT_SOURCE_DIR}/oracle/compare.py)
add_test(NAME ${PAPPUS_TEST_PREFIX}oracle/random_queries
  COMMAND ${PAPPUS_PEERS_PYTHON} -B ${compare} $<TARGET_FILE:pappus_oracle> --queries 100)
set_tests_properties(${PAPPUS_TEST_PREFIX}oracle/random_queries PROPERTIES
  LABELS oracle TIMEOUT 300 SKIP_RETURN_CODE 77 COST 5 ENVIRONMENT "${sanitizer_environment}")
add_test(NAME ${PAPPUS_TEST_PREFIX}oracle/finds_wrong_answers
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/oracle/compare_test.py)
set_tests_properties(${PAPPUS_TEST_PREFIX}oracle/finds_wrong_answers PROPERTIES LABELS oracle)
