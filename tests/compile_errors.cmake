# What compilers say of mistakes, and that headers give users no warnings.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_program(PAPPUS_GCC NAMES g++-12 g++)
find_program(PAPPUS_CLANG NAMES clang++-${PAPPUS_COMPILER_CLANG})
mark_as_advanced(PAPPUS_GCC PAPPUS_CLANG)
foreach(compiler GCC CLANG)
  if(PAPPUS_${compiler})
    string(TOLOWER ${compiler} name)
    add_test(NAME ${PAPPUS_TEST_PREFIX}compile_errors/${name}
      COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/compile_errors/check.py
        ${PAPPUS_${compiler}} ${PROJECT_SOURCE_DIR}/include)
    set_tests_properties(${PAPPUS_TEST_PREFIX}compile_errors/${name} PROPERTIES
      LABELS compile_errors TIMEOUT 600 COST 30)
  endif()
endforeach()
