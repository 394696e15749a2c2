# Installs the library, the command, the headers and a package for find_package(Pappus).
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Pappus)

install(TARGETS pappus EXPORT PappusTargets)
if(TARGET pappus_cli AND NOT PAPPUS_EXCLUDE_EXTRAS)
  install(TARGETS pappus_cli)
  install(TARGETS pappus_bench_command OPTIONAL)  # there if it was built
endif()
if(TARGET pappus_compiler)
  install(TARGETS pappus_compiler LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/pappus)
endif()
if(TARGET pappus_arrow)
  install(TARGETS pappus_arrow LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/pappus)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/pappus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
install(EXPORT PappusTargets NAMESPACE pappus:: DESTINATION ${package_dir})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/PappusConfig.cmake.in
  ${PROJECT_BINARY_DIR}/PappusConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/PappusConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/PappusConfig.cmake
  ${PROJECT_BINARY_DIR}/PappusConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/PappusEnable.cmake
  ${PROJECT_SOURCE_DIR}/cmake/PappusLoopFlags.cmake
  ${PROJECT_SOURCE_DIR}/cmake/PappusPrecompile.cmake
  DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
