# The client of a service: a library of its own, so that who embeds libplimsoll.a needs neither libcurl
# nor protobuf.
#
#   plimsoll_client(SOURCES ... TESTS ...)   plimsoll_client (plimsoll::client), and client_test

find_package(CURL 7.88 REQUIRED)  # 7.87 has CURLOPT_QUICK_EXIT
find_package(Protobuf 3.21 REQUIRED)

function(plimsoll_client)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "SOURCES;TESTS")
  # With the messages in it: whoever links this has no other use for them.
  add_library(plimsoll_client STATIC ${arg_SOURCES} $<TARGET_OBJECTS:plimsoll_proto>)
  add_library(plimsoll::client ALIAS plimsoll_client)
  set_target_properties(plimsoll_client PROPERTIES EXPORT_NAME client)
  target_compile_features(plimsoll_client PUBLIC cxx_std_23)
  target_include_directories(plimsoll_client
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_include_directories(plimsoll_client SYSTEM PRIVATE ${CMAKE_BINARY_DIR}/gen/proto)
  add_dependencies(plimsoll_client plimsoll_proto)
  target_link_libraries(plimsoll_client
    PRIVATE $<BUILD_INTERFACE:plimsoll_flags> $<BUILD_INTERFACE:plimsoll_sanitize>
    PUBLIC plimsoll CURL::libcurl protobuf::libprotobuf OpenSSL::Crypto Threads::Threads)
  plimsoll_test(NAME client_test SOURCES ${arg_TESTS} LABELS unit
    LIBS plimsoll_client ZLIB::ZLIB)
  if(TARGET client_test)
    target_include_directories(client_test SYSTEM PRIVATE ${CMAKE_BINARY_DIR}/gen/proto)
  endif()
endfunction()
