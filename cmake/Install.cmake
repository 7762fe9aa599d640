# make install: the library and the client, their headers, the programs, and a package for find_package(plimsoll).

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/plimsoll)
install(TARGETS plimsoll EXPORT plimsollTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/plimsoll
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT plimsollTargets NAMESPACE plimsoll:: DESTINATION ${package_dir})
# Targets of their own, so that who does not want the client needs nothing of what it needs.
install(TARGETS plimsoll_client EXPORT plimsollClientTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT plimsollClientTargets NAMESPACE plimsoll:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/plimsollConfig.cmake.in
  ${CMAKE_BINARY_DIR}/plimsollConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/plimsollConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/plimsollConfig.cmake
  ${CMAKE_BINARY_DIR}/plimsollConfigVersion.cmake DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
