# prospector-report: its page is made of page/ and compiled in; its reader is a library, for the fuzzer.
#
#   plimsoll_prospector(PAGE dir SOURCES ...)   plimsoll_prospector

find_package(ZLIB REQUIRED)
find_package(simdjson 3.0 REQUIRED)

function(plimsoll_prospector)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "PAGE" "SOURCES")
  set(names report.html report.css report.js)
  list(TRANSFORM names PREPEND ${arg_PAGE}/ OUTPUT_VARIABLE files)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  file(READ ${arg_PAGE}/report.html PROSPECTOR_HTML)
  file(READ ${arg_PAGE}/report.css PROSPECTOR_STYLE)
  file(READ ${arg_PAGE}/report.js PROSPECTOR_SCRIPT)
  set(parts ${CMAKE_BINARY_DIR}/gen/prospector/page_parts.cc)
  configure_file(${arg_PAGE}/../page_parts.cc.in ${parts} @ONLY)
  add_library(plimsoll_prospector STATIC ${arg_SOURCES} ${parts})
  target_include_directories(plimsoll_prospector PRIVATE ${arg_PAGE}/..
    PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(plimsoll_prospector
    PRIVATE plimsoll_flags plimsoll_sanitize simdjson::simdjson
    PUBLIC plimsoll ZLIB::ZLIB)
endfunction()
