# Installs this build to a fresh prefix, builds examples/consumer against it as a stranger would,
# and runs it. Takes BUILD, SOURCE, COMPILER, LINKER_FLAGS and WORK, a folder that it may empty.
# PLUGIN says that the compiler is one that the plugin is for: then lambdas must run on OpenCL.
file(REMOVE_RECURSE ${WORK})

function(step what)
  execute_process(COMMAND ${ARGN}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(status)
    message(FATAL_ERROR "consumer: ${what} failed (${status}):\n${output}")
  endif()
  message(STATUS "${what}: ok")
endfunction()

step("installing" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)

# What only the demo needs is nothing for users of the package to have.
file(GLOB package_files ${WORK}/prefix/lib*/cmake/Pappus/*.cmake
  ${WORK}/prefix/lib*/*/cmake/Pappus/*.cmake)
foreach(file ${package_files})
  file(READ ${file} text)
  if(text MATCHES "lzma|CLI11|nlohmann")
    message(FATAL_ERROR "consumer: ${file} asks its users for ${CMAKE_MATCH_0}")
  endif()
endforeach()
if(NOT package_files)
  message(FATAL_ERROR "consumer: no package was installed below ${WORK}/prefix")
endif()

# Copied, so that nothing of the source tree is found by accident.
file(COPY ${SOURCE}/examples ${SOURCE}/examples/consumer DESTINATION ${WORK})
set(settings -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${COMPILER}
  -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_EXE_LINKER_FLAGS=${LINKER_FLAGS}
  -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)
step("configuring" ${CMAKE_COMMAND} -G Ninja -S ${WORK}/consumer -B ${WORK}/build ${settings})
step("building" ${CMAKE_COMMAND} --build ${WORK}/build)
step("running" ${WORK}/build/consumer)

file(READ ${WORK}/build/compile_commands.json commands)
if(commands MATCHES "${SOURCE}/include")
  message(FATAL_ERROR "consumer: compiled against the source tree, not the package:\n${commands}")
endif()
if(NOT commands MATCHES "cmake_pch")
  message(FATAL_ERROR "consumer: pappus_precompile precompiled nothing:\n${commands}")
endif()
foreach(flag -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math)
  if(NOT commands MATCHES "${flag}")
    message(FATAL_ERROR "consumer: the package didn't ask for ${flag}:\n${commands}")
  endif()
endforeach()

# The examples as a project of their own; one stands for all, which the build itself compiles.
step("configuring the examples" ${CMAKE_COMMAND} -G Ninja -S ${WORK}/examples
  -B ${WORK}/examples_build ${settings})
step("building an example" ${CMAKE_COMMAND} --build ${WORK}/examples_build --target word_count)
step("running an example"
  ${WORK}/examples_build/word_count ${WORK}/examples/data/gettysburg.txt)

if(PLUGIN)
  if(NOT commands MATCHES "-fpass-plugin=${WORK}/prefix/")
    message(FATAL_ERROR "consumer: pappus_enable didn't use the package's plugin:\n${commands}")
  endif()
  set(ENV{POCL_DEVICES} basic)
  set(ENV{PAPPUS_DEVICES} opencl:0)
  set(ENV{PAPPUS_EXPLAIN} text)
  execute_process(COMMAND ${WORK}/build/consumer
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(errors MATCHES "opencl:0")
    message(STATUS "SKIP: no OpenCL device: ${errors}")
  elseif(NOT output MATCHES "DEVICE void fn_main_cpp_[0-9]+")
    message(FATAL_ERROR "consumer: no device code in (${status}):\n${output}${errors}")
  endif()
endif()

# Queries in a shared library, which a program opens and closes: on the CPU and, where lambdas are
# compiled for devices, there, too.
file(COPY ${SOURCE}/tests/package/shared DESTINATION ${WORK})
step("configuring a shared library" ${CMAKE_COMMAND} -G Ninja -S ${WORK}/shared
  -B ${WORK}/shared_build ${settings} -DCMAKE_SHARED_LINKER_FLAGS=${LINKER_FLAGS})
step("building a shared library" ${CMAKE_COMMAND} --build ${WORK}/shared_build)
unset(ENV{PAPPUS_EXPLAIN})
set(places cpu)
if(PLUGIN AND NOT errors MATCHES "opencl:0")
  list(APPEND places opencl:0)
endif()
foreach(place ${places})
  set(ENV{PAPPUS_DEVICES} ${place})
  step("opening and closing a shared library on ${place}" ${WORK}/shared_build/opens)
endforeach()

# Whatever the build, what decides the text of kernels is the same.
step("configuring for debugging" ${CMAKE_COMMAND} -G Ninja -S ${WORK}/consumer
  -B ${WORK}/debug_build ${settings} -DCMAKE_BUILD_TYPE=Debug)
file(READ ${WORK}/debug_build/compile_commands.json commands)
if(PLUGIN AND NOT commands MATCHES "-fno-math-errno")
  message(FATAL_ERROR "consumer: pappus_enable didn't ask for -fno-math-errno:\n${commands}")
endif()

# Fast floats: whatever the compiler, the program builds and its results are close.
file(COPY ${SOURCE}/tests/package/floats DESTINATION ${WORK})
set(ENV{PAPPUS_DEVICES} cpu)
unset(ENV{PAPPUS_EXPLAIN})
step("configuring with fast floats" ${CMAKE_COMMAND} -G Ninja -S ${WORK}/floats
  -B ${WORK}/floats_build ${settings} -DFLOATS=fast)
step("building with fast floats" ${CMAKE_COMMAND} --build ${WORK}/floats_build)
step("running with fast floats" ${WORK}/floats_build/floats)
file(READ ${WORK}/floats_build/compile_commands.json commands)
if(PLUGIN AND NOT commands MATCHES "-DPAPPUS_FAST_FLOATS ")
  message(FATAL_ERROR "consumer: FLOATS fast wasn't passed on:\n${commands}")
endif()
if(PLUGIN AND CMAKE_HOST_SYSTEM_PROCESSOR STREQUAL "x86_64")
  file(STRINGS ${WORK}/floats_build/floats vector_functions REGEX "_ZGV[bcde]N[248]+v_(exp|erfc)")
  if(NOT vector_functions)
    message(FATAL_ERROR "consumer: the program with fast floats calls none of libmvec's functions")
  endif()
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${WORK}/floats -B ${WORK}/wrong_build
    ${settings} -DFLOATS=loose
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
string(REGEX REPLACE "[ \n]+" " " output "${output}")
set(expected [[pappus_enable(floats): FLOATS is strict (the default) or fast, got "loose"]])
string(FIND "${output}" "${expected}" found)
if(status EQUAL 0 OR found EQUAL -1)
  message(FATAL_ERROR "consumer: expected the error ${expected}, got (${status}):\n${output}")
endif()
