# What every target of this project shares.

if(PAPPUS_SANITIZE)
  add_compile_options(
    -fsanitize=${PAPPUS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${PAPPUS_SANITIZE})
endif()

# Warnings for a target of this project, and src/ as a root of its includes.
function(pappus_own target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra $<$<BOOL:${PAPPUS_WERROR}>:-Werror>
    # g++ 12 takes inlined string concatenation for an overlap (its bug 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
    # libstdc++ 12's stable_sort calls a function that it declares deprecated.
    $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
endfunction()
