# How the profile is made that the engine is compiled with (cmake/engine.profdata): which of its code is
# hot, counted while it runs src/engine/tools/training/*.js. The order of the code is all that depends
# on it: a profile that does not fit the source is ignored, not wrong. Anew after a change of
# quickjs.wasm, of wasm2c or of the prelude that matters:
#
#   cmake --build --preset release --target engine-profile      needs the Debian package llvm-19

set(training_dir ${CMAKE_BINARY_DIR}/gen/engine-training)
file(GLOB training_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/engine/tools/training/*.js)
add_custom_command(
  OUTPUT ${training_dir}/qjs.o ${training_dir}/qjs.h
  COMMAND ${PROJECT_SOURCE_DIR}/cmake/translate-engine
    --wasm ${PLIMSOLL_WASM} --sha256 ${PLIMSOLL_WASM_SHA256} --out ${training_dir}
    --cc ${PLIMSOLL_ENGINE_CC} -- ${PLIMSOLL_ENGINE_CFLAGS} -fprofile-generate
  DEPENDS ${PLIMSOLL_WASM} ${PROJECT_SOURCE_DIR}/cmake/translate-engine
    ${PROJECT_SOURCE_DIR}/cmake/engine-postprocess
  COMMENT "Translating the JavaScript engine, with counters"
  VERBATIM USES_TERMINAL)
add_custom_target(engine-training DEPENDS ${training_dir}/qjs.o ${training_dir}/qjs.h)
execute_process(COMMAND ${PLIMSOLL_ENGINE_CC} -print-runtime-dir
  OUTPUT_VARIABLE runtime_dir OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
execute_process(COMMAND ${PLIMSOLL_ENGINE_CC} -print-resource-dir
  OUTPUT_VARIABLE resource_dir OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
find_library(PLIMSOLL_PROFILE_RUNTIME
  NAMES libclang_rt.profile-${CMAKE_SYSTEM_PROCESSOR}.a libclang_rt.profile.a
  PATHS ${resource_dir}/lib/linux ${runtime_dir} NO_DEFAULT_PATH)
find_program(PLIMSOLL_PROFDATA NAMES llvm-profdata-19 PATHS /usr/lib/llvm-19/bin)

function(plimsoll_engine_profile trainer)
  if(NOT PLIMSOLL_PROFILE_RUNTIME)
    return()  # nothing of the build needs it
  endif()
  if(NOT PLIMSOLL_PROFDATA)
    set(PLIMSOLL_PROFDATA llvm-profdata-19)  # fails by its name
  endif()
  add_executable(profile-trainer EXCLUDE_FROM_ALL
    ${trainer} $<TARGET_OBJECTS:plimsoll_engine>)
  target_include_directories(profile-trainer PRIVATE ${PROJECT_SOURCE_DIR}/src)
  # The header is the same with counters and without.
  target_include_directories(profile-trainer SYSTEM PRIVATE ${engine_dir})
  target_link_libraries(profile-trainer PRIVATE
    plimsoll_flags plimsoll_fortify ${training_dir}/qjs.o ${PLIMSOLL_PROFILE_RUNTIME})
  add_dependencies(profile-trainer engine-training)
  target_link_options(profile-trainer PRIVATE -u__llvm_profile_runtime)
  set_target_properties(profile-trainer PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tools)
  add_custom_target(engine-profile
    COMMAND ${CMAKE_COMMAND} -E env LLVM_PROFILE_FILE=${training_dir}/engine.profraw
      $<TARGET_FILE:profile-trainer> ${PLIMSOLL_GEN}/snapshot.bin ${training_files}
    # Sparse: what was never called is compiled as if there were no profile.
    COMMAND ${PLIMSOLL_PROFDATA} merge --sparse
      -o ${PLIMSOLL_ENGINE_PROFILE} ${training_dir}/engine.profraw
    COMMENT "Counting what is hot in the engine"
    VERBATIM)
  add_dependencies(engine-profile profile-trainer snapshot)
endfunction()
