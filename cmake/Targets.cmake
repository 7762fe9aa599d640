# The kinds of target that this project has. Sources are listed, never globbed; a test finds a .cc
# file that nobody compiles.
#
#   plimsoll_layer(NAME base SOURCES a.cc b.cc [WORKER] [LIBS ...] [TESTS a_test.cc])
#     One layer of the library: objects, added to libplimsoll.a. WORKER: the worker needs it as well,
#     so it is also built as plimsoll_<name>_plain, without sanitizers. LIBS: libraries of others that
#     whoever links libplimsoll.a needs too; cmake/plimsollConfig.cmake.in finds them for an embedder.
#     TESTS: as plimsoll_test() named <name>_test. A layer without sources is a mistake.
#   plimsoll_program(NAME x SOURCES main.cc [LIBS ...] [DIR bin] [TESTS a_test.cc])
#     A host program in build/<preset>/<DIR>, linked with the library, installed when DIR is bin.
#     TESTS: as plimsoll_test() named <name>_program_test, with all of SOURCES but main.cc.
#   plimsoll_test(NAME x SOURCES x_test.cc [LIBS ...] [LABELS unit] [PLAIN] [WHOLE] [TIMEOUT s])
#     A GoogleTest program; each TEST is one ctest entry, or with WHOLE the program is. PLAIN: tests
#     code of the worker's side: no sanitizers, does not link the library, release and debug only.
#   plimsoll_fuzz(NAME x SOURCES x_fuzz.cc)
#     In the fuzz preset a libFuzzer program, elsewhere a test that replays fuzz/corpus/<name>/.
#   plimsoll_bench(NAME x SOURCES x_bench.cc)
#     A Google Benchmark program in build/<preset>/bench/; not built under a sanitizer.

include(GoogleTest)

set(PLIMSOLL_LAYERS "" CACHE INTERNAL "the layers whose objects make up the library")
set(PLIMSOLL_LAYER_LIBS "" CACHE INTERNAL "the libraries of others that these need")

# fmt, compiled once into what we ship: Debian has it as a shared library, which an embedder and a
# static-pie cannot use, or header-only, which costs 3 s for each file that includes it.
add_library(plimsoll_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt.cc)
target_link_libraries(plimsoll_fmt PRIVATE plimsoll_flags plimsoll_fortify)

function(plimsoll_object_library name)
  add_library(${name} OBJECT ${ARGN})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE plimsoll_flags Threads::Threads)
endfunction()

function(plimsoll_layer)
  cmake_parse_arguments(PARSE_ARGV 0 arg "WORKER" "NAME" "SOURCES;LIBS;TESTS")
  plimsoll_object_library(plimsoll_${arg_NAME} ${arg_SOURCES})
  target_link_libraries(plimsoll_${arg_NAME} PRIVATE plimsoll_sanitize ${arg_LIBS})
  set(PLIMSOLL_LAYERS ${PLIMSOLL_LAYERS} plimsoll_${arg_NAME} CACHE INTERNAL "")
  set(PLIMSOLL_LAYER_LIBS ${PLIMSOLL_LAYER_LIBS} ${arg_LIBS} CACHE INTERNAL "")
  if(arg_WORKER)
    if(PLIMSOLL_SANITIZER STREQUAL "")
      add_library(plimsoll_${arg_NAME}_plain ALIAS plimsoll_${arg_NAME})
    else()
      plimsoll_object_library(plimsoll_${arg_NAME}_plain ${arg_SOURCES})
      target_link_libraries(plimsoll_${arg_NAME}_plain PRIVATE plimsoll_fortify)
    endif()
  endif()
  if(arg_TESTS)
    plimsoll_test(NAME ${arg_NAME}_test SOURCES ${arg_TESTS} LABELS unit)
  endif()
endfunction()

function(plimsoll_executable name)
  add_executable(${name} ${ARGN})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE plimsoll_flags plimsoll_pie)
endfunction()

function(plimsoll_program)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;DIR" "SOURCES;LIBS;TESTS")
  if(NOT arg_DIR)
    set(arg_DIR bin)
  endif()
  set(target ${arg_NAME}_program)
  if(arg_TESTS)
    # All but main.cc, once for the program and for its tests.
    set(parts ${arg_SOURCES})
    list(FILTER parts EXCLUDE REGEX "(^|/)main\\.cc$")
    list(FILTER arg_SOURCES INCLUDE REGEX "(^|/)main\\.cc$")
    plimsoll_object_library(${target}_parts ${parts})
    target_link_libraries(${target}_parts PRIVATE plimsoll_sanitize ${arg_LIBS})
    list(APPEND arg_LIBS ${target}_parts)
    plimsoll_test(NAME ${target}_test SOURCES ${arg_TESTS} LIBS ${arg_LIBS} LABELS unit)
  endif()
  plimsoll_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE plimsoll_sanitize ${arg_LIBS} plimsoll)
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${arg_NAME} RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${arg_DIR})
  if(arg_DIR STREQUAL "bin")
    install(TARGETS ${target} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endfunction()

function(plimsoll_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "PLAIN;WHOLE" "NAME;TIMEOUT" "SOURCES;LIBS;LABELS")
  if(PLIMSOLL_SANITIZER STREQUAL "fuzzer" OR (arg_PLAIN AND NOT PLIMSOLL_SANITIZER STREQUAL ""))
    return()
  endif()
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  plimsoll_executable(${arg_NAME} ${arg_SOURCES})
  if(arg_PLAIN)
    target_link_libraries(${arg_NAME} PRIVATE plimsoll_fortify plimsoll_fmt)
  else()
    target_link_libraries(${arg_NAME} PRIVATE plimsoll_sanitize)
    list(APPEND arg_LIBS plimsoll)
  endif()
  target_link_libraries(${arg_NAME} PRIVATE ${arg_LIBS} GTest::gmock GTest::gtest_main)
  if(PLIMSOLL_SANITIZER STREQUAL "address")
    # UBSan's checks of what gtest's macros expand to take half of such a file's time to compile.
    target_compile_options(${arg_NAME} PRIVATE -O0)
  endif()
  target_compile_definitions(${arg_NAME} PRIVATE
    PLIMSOLL_BIN_DIR="${CMAKE_BINARY_DIR}/bin" PLIMSOLL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  set_target_properties(${arg_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  if(arg_WHOLE)
    add_test(NAME ${arg_NAME} COMMAND ${arg_NAME})
    set_tests_properties(${arg_NAME} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
  else()
    gtest_discover_tests(${arg_NAME} DISCOVERY_MODE PRE_TEST
      PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
  endif()
endfunction()

function(plimsoll_fuzz)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;LIBS")
  set(corpus ${PROJECT_SOURCE_DIR}/fuzz/corpus/${arg_NAME})
  if(NOT IS_DIRECTORY ${corpus})
    message(FATAL_ERROR "the fuzz target ${arg_NAME} has no corpus: ${corpus}")
  endif()
  if(PLIMSOLL_SANITIZER STREQUAL "thread")
    return()  # a parser has one thread
  endif()
  if(PLIMSOLL_SANITIZER STREQUAL "fuzzer")
    set(target ${arg_NAME}_fuzz)
    plimsoll_executable(${target} ${arg_SOURCES})
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    set_target_properties(${target} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz OUTPUT_NAME ${arg_NAME})
  else()
    set(target ${arg_NAME}_replay)
    plimsoll_executable(${target} ${arg_SOURCES} ${PROJECT_SOURCE_DIR}/fuzz/replay_main.cc)
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    add_test(NAME fuzz_corpus.${arg_NAME} COMMAND ${target} ${corpus})
    set_tests_properties(fuzz_corpus.${arg_NAME} PROPERTIES LABELS unit TIMEOUT 120)
  endif()
  target_link_libraries(${target} PRIVATE plimsoll_sanitize plimsoll ${arg_LIBS})
endfunction()

function(plimsoll_bench)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;LIBS")
  if(NOT PLIMSOLL_SANITIZER STREQUAL "")
    return()
  endif()
  plimsoll_executable(${arg_NAME} ${arg_SOURCES})
  target_link_libraries(${arg_NAME} PRIVATE
    plimsoll_sanitize plimsoll ${arg_LIBS} benchmark::benchmark)
  set_target_properties(${arg_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
endfunction()
