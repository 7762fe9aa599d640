# The daemon's transport: a library of its own, so that who embeds libplimsoll.a needs neither nghttp2 nor
# protobuf.
#
#   plimsoll_rpc(SOURCES ... TESTS ...)   plimsoll_rpc, and rpc_test

find_package(Boost 1.81 REQUIRED)  # headers only: Asio and Beast
find_package(OpenSSL 3.0 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Protobuf 3.21 REQUIRED)
find_library(PLIMSOLL_NGHTTP2 nghttp2 REQUIRED)

function(plimsoll_rpc)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "SOURCES;TESTS")
  add_library(plimsoll_rpc STATIC ${arg_SOURCES})
  target_include_directories(plimsoll_rpc
    PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  # Only what is used of Boost is compiled: no deprecated names, no library of Boost's.
  target_compile_definitions(plimsoll_rpc PRIVATE
    BOOST_ALL_NO_LIB BOOST_ASIO_NO_DEPRECATED BOOST_ERROR_CODE_HEADER_ONLY)
  target_link_libraries(plimsoll_rpc
    PRIVATE plimsoll_flags plimsoll_sanitize
    PUBLIC plimsoll plimsoll_proto protobuf::libprotobuf OpenSSL::SSL ZLIB::ZLIB
      ${PLIMSOLL_NGHTTP2} Threads::Threads)
  plimsoll_test(NAME rpc_test SOURCES ${arg_TESTS} LIBS plimsoll_rpc plimsoll_rpc_echo LABELS unit)
endfunction()
