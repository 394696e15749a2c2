# Queries at lower levels than the processor's: of operators that have kernels (levels/kernels.h).
get_target_property(definitions pappus COMPILE_DEFINITIONS)
if(TARGET pappus_test_conformance AND "PAPPUS_LEVELS" IN_LIST definitions)
  foreach(level v2 v3)
    set(name ${PAPPUS_TEST_PREFIX}conformance/at_${level})
    add_test(NAME ${name} COMMAND pappus_test_conformance
      --gtest_filter=*scan.*:join.*:sort.*:sort_by.*:element_wise.*:views.*)
    set_tests_properties(${name} PROPERTIES LABELS conformance TIMEOUT 300
      ENVIRONMENT "${sanitizer_environment};PAPPUS_LEVEL=${level};PAPPUS_DEVICES=cpu"
      SKIP_REGULAR_EXPRESSION "the levels that this processor has")
  endforeach()
endif()
