# The flags under which a query's loops are compiled.
#
# Pappus inlines the user's lambdas into loops in the user's own translation unit, so how fast a
# query runs is settled by the flags of the program that uses Pappus, not by those Pappus was built
# with. This file is installed beside PappusConfig.cmake: the project itself and everyone who links
# pappus::pappus get the same flags from one place.
#
#   -O3                 g++ vectorises loops fully only here; not in Debug and MinSizeRel
#   -fno-math-errno     sqrt and friends become instructions; nothing here reads errno after them
#   -fno-trapping-math  a conditional division may be vectorised; nothing here reads the flags
#   -ffp-contract=off   always: fusing a*b+c makes results depend on compiler and vector width
#   -mno-gather         clang for x86: fields of wide records are loaded one by one; gathers of them
#                       keep memory waiting, and loops over them take up to three times as long
#   -march=...          PAPPUS_MARCH: native by default, empty for the compiler's own choice
#
# Not here, on purpose: -ffast-math, which would let results depend on vector width.
set(PAPPUS_MARCH "native" CACHE STRING "Value of -march for a query's loops, empty for none")

# Flags for a target's loops, with the -march given; PAPPUS_MARCH where none is.
function(pappus_add_loop_flags target scope)
  set(march "${PAPPUS_MARCH}")
  if(ARGC GREATER 2)
    set(march "${ARGV2}")
  endif()
  set(known $<COMPILE_LANG_AND_ID:CXX,GNU,Clang,AppleClang>)
  set(optimised $<AND:${known},$<NOT:$<OR:$<CONFIG:Debug>,$<CONFIG:MinSizeRel>>>>)
  target_compile_options(${target} ${scope}
    $<${known}:-ffp-contract=off>
    $<${optimised}:-O3>
    $<${optimised}:-fno-math-errno>
    $<${optimised}:-fno-trapping-math>)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(clang $<COMPILE_LANG_AND_ID:CXX,Clang>)
    set(knows $<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,17>)
    target_compile_options(${target} ${scope}
      $<$<AND:${optimised},${clang},${knows}>:-mno-gather>)
  endif()
  if(march)
    target_compile_options(${target} ${scope} $<${known}:-march=${march}>)
  endif()
endfunction()
