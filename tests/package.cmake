# The package, installed and used as a stranger would, by this build's compiler and by the plugin's.
add_test(NAME ${PAPPUS_TEST_PREFIX}package/consumer
  COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DSOURCE=${PROJECT_SOURCE_DIR}
    -DCOMPILER=${CMAKE_CXX_COMPILER} -DWORK=${CMAKE_CURRENT_BINARY_DIR}/consumer
    -DLINKER_FLAGS=${CMAKE_EXE_LINKER_FLAGS}
    -P ${CMAKE_CURRENT_SOURCE_DIR}/package/consumer_test.cmake)
set_tests_properties(${PAPPUS_TEST_PREFIX}package/consumer
  PROPERTIES LABELS package TIMEOUT 300 COST 10)
find_program(PAPPUS_CLANG NAMES clang++-${PAPPUS_COMPILER_CLANG})
mark_as_advanced(PAPPUS_CLANG)
if(TARGET pappus_compiler AND PAPPUS_CLANG)
  add_test(NAME ${PAPPUS_TEST_PREFIX}package/consumer_enabled
    COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DSOURCE=${PROJECT_SOURCE_DIR}
      -DCOMPILER=${PAPPUS_CLANG} -DWORK=${CMAKE_CURRENT_BINARY_DIR}/consumer_enabled
      -DLINKER_FLAGS=-fuse-ld=lld -DPLUGIN=ON
      -P ${CMAKE_CURRENT_SOURCE_DIR}/package/consumer_test.cmake)
  set_tests_properties(${PAPPUS_TEST_PREFIX}package/consumer_enabled
    PROPERTIES LABELS package TIMEOUT 300 COST 10)
endif()

# Programs that were built with other settings than the library.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(libraries -lfmt -lpthread -ldl -lblosc -ldeflate -llz4 -lsimdjson -lz -lzstd)
if(NOT PAPPUS_STD_THREADS)
  list(PREPEND libraries -ltbb)
endif()
add_test(NAME ${PAPPUS_TEST_PREFIX}package/other_settings_dont_link
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/package/settings.py
    ${CMAKE_CXX_COMPILER} ${PROJECT_SOURCE_DIR}/include $<TARGET_FILE:pappus> ${libraries})
set_tests_properties(${PAPPUS_TEST_PREFIX}package/other_settings_dont_link PROPERTIES
  LABELS package TIMEOUT 300)

# The library's instructions: those of every x86-64 outside the units of levels.
get_target_property(definitions pappus COMPILE_DEFINITIONS)
if("PAPPUS_LEVELS" IN_LIST definitions)
  add_test(NAME ${PAPPUS_TEST_PREFIX}package/levels
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/package/levels.py
      ${CMAKE_CXX_COMPILER} $<TARGET_OBJECTS:pappus>
    COMMAND_EXPAND_LISTS)
  set_tests_properties(${PAPPUS_TEST_PREFIX}package/levels PROPERTIES LABELS package TIMEOUT 300)
endif()
