# pappus_precompile(target): compiles <pappus/pappus.h> once for all sources of the target, which
# then see it whether they include it or not. It pays where a target has several sources, or one
# that is compiled again and again. Installed beside PappusConfig.cmake.
function(pappus_precompile target)
  target_precompile_headers(${target} PRIVATE <pappus/pappus.h>)
endfunction()
