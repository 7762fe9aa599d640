# The generator of grants: a library of its own, so that who embeds libplimsoll.a needs no yaml-cpp.
#
#   plimsoll_specgen(SOURCES ... TESTS ...)   plimsoll_specgen, and specgen_test

find_package(yaml-cpp 0.7 REQUIRED)

function(plimsoll_specgen)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "SOURCES;TESTS")
  add_library(plimsoll_specgen STATIC ${arg_SOURCES})
  target_include_directories(plimsoll_specgen
    PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(plimsoll_specgen
    PRIVATE plimsoll_flags plimsoll_sanitize yaml-cpp
    PUBLIC plimsoll)
  plimsoll_test(NAME specgen_test SOURCES ${arg_TESTS} LIBS plimsoll_specgen LABELS unit)
endfunction()
