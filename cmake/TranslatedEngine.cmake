# The JavaScript engine: quickjs.wasm, translated ahead of time to C and compiled to one object,
# which all presets share through a cache. cmake/translate-engine does the work and explains it.
#
#   translated_engine   a target to depend on
#   plimsoll_qjs        an interface library: the object and the directory of qjs.h; for code of the
#                       worker's side only

set(PLIMSOLL_WASM ${PROJECT_SOURCE_DIR}/deps/npm/node_modules/quickjs-wasi/quickjs.wasm)
set(PLIMSOLL_WASM_SHA256 c0bd8f296e18cf074969f6401b9ecb72609a1323818ec2b9bf7a8f8d740d1363)
if(NOT EXISTS ${PLIMSOLL_WASM})
  message(FATAL_ERROR "there is no ${PLIMSOLL_WASM}; run deps/setup")
endif()
set(PLIMSOLL_ENGINE_CC clang-19 CACHE STRING "the C compiler of the translated engine, in every preset")
set(engine_dir ${CMAKE_BINARY_DIR}/gen/engine)

# wasm2c's output accesses memory through pointers of other types: -fno-strict-aliasing.
set(PLIMSOLL_ENGINE_CFLAGS
  -std=gnu11 -O2 -fPIE -fno-strict-aliasing -fvisibility=hidden -w
  -fstack-protector-strong -fstack-clash-protection -fcf-protection)
# What is hot in it; EngineProfile.cmake makes it. A third less time in the interpreter.
set(PLIMSOLL_ENGINE_PROFILE ${PROJECT_SOURCE_DIR}/cmake/engine.profdata)

add_custom_command(
  OUTPUT ${engine_dir}/qjs.o ${engine_dir}/qjs.h
  COMMAND ${PROJECT_SOURCE_DIR}/cmake/translate-engine
    --wasm ${PLIMSOLL_WASM} --sha256 ${PLIMSOLL_WASM_SHA256} --out ${engine_dir}
    --cc ${PLIMSOLL_ENGINE_CC} --profile ${PLIMSOLL_ENGINE_PROFILE} -- ${PLIMSOLL_ENGINE_CFLAGS}
  DEPENDS ${PLIMSOLL_WASM} ${PROJECT_SOURCE_DIR}/cmake/translate-engine
    ${PROJECT_SOURCE_DIR}/cmake/engine-postprocess ${PLIMSOLL_ENGINE_PROFILE}
  COMMENT "Translating the JavaScript engine (about 20 s, unless cached)"
  VERBATIM USES_TERMINAL)
add_custom_target(translated_engine DEPENDS ${engine_dir}/qjs.o ${engine_dir}/qjs.h)

add_library(plimsoll_qjs INTERFACE)
target_include_directories(plimsoll_qjs SYSTEM INTERFACE ${engine_dir})
target_link_libraries(plimsoll_qjs INTERFACE ${engine_dir}/qjs.o)
add_dependencies(plimsoll_qjs translated_engine)
