# The worker's side: the program that holds the engine. It is a static-pie without sanitizers in every
# preset, since it runs jailed and restores its memory byte for byte; and it is embedded in the
# library, so that an embedder has nothing to install.
#
#   prelude.js (esbuild) → snapshot.bin (the engine, run at build time) → plimsoll-worker → the library
#
#   plimsoll_engine(SOURCES ... [TESTS ...])    objects plimsoll_engine: our part of the engine's slot
#   plimsoll_prelude(DIR)                       gen/prelude.js, by DIR/build.mjs
#   plimsoll_snapshot(BUILDER x.cc [LIBS ...])  gen/snapshot.bin: BUILDER gen/prelude.js gen/snapshot.bin
#   plimsoll_worker(SOURCES ... [LIBS ...])     bin/plimsoll-worker; an .S file of it embeds the file
#                                               named by the macro SNAPSHOT_BIN_PATH
#   plimsoll_library(EMBEDDED_WORKER x.S EMBEDDED_VMM y.S)   libplimsoll.a; x.S embeds the file
#                                               WORKER_ELF_PATH, y.S the file VMM_ELF_PATH if any

set(PLIMSOLL_GEN ${CMAKE_BINARY_DIR}/gen)

function(plimsoll_engine)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "SOURCES;TESTS;LIBS")
  plimsoll_object_library(plimsoll_engine ${arg_SOURCES})
  target_link_libraries(plimsoll_engine PRIVATE plimsoll_fortify PUBLIC plimsoll_qjs)
  add_dependencies(plimsoll_engine translated_engine)
  if(arg_TESTS)
    plimsoll_test(NAME engine_test SOURCES ${arg_TESTS} PLAIN LABELS unit
      LIBS plimsoll_engine ${arg_LIBS})
  endif()
endfunction()

function(plimsoll_prelude dir)
  find_program(PLIMSOLL_NODE node REQUIRED)
  file(GLOB_RECURSE inputs CONFIGURE_DEPENDS ${dir}/*.js ${dir}/*.mjs ${dir}/*.cjs)
  add_custom_command(
    OUTPUT ${PLIMSOLL_GEN}/prelude.js
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PLIMSOLL_GEN}
    COMMAND ${PLIMSOLL_NODE} ${dir}/build.mjs ${PLIMSOLL_GEN}/prelude.js
    DEPENDS ${inputs} ${PROJECT_SOURCE_DIR}/deps/npm/package-lock.json
    COMMENT "Bundling the guest's prelude"
    VERBATIM)
endfunction()

function(plimsoll_snapshot)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "BUILDER" "LIBS")
  plimsoll_executable(snapshot-builder ${arg_BUILDER})
  target_link_libraries(snapshot-builder PRIVATE
    plimsoll_fortify plimsoll_engine ${arg_LIBS} plimsoll_fmt)
  set_target_properties(snapshot-builder PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tools)
  add_custom_command(
    OUTPUT ${PLIMSOLL_GEN}/snapshot.bin
    COMMAND snapshot-builder ${PLIMSOLL_GEN}/prelude.js ${PLIMSOLL_GEN}/snapshot.bin
    DEPENDS snapshot-builder ${PLIMSOLL_GEN}/prelude.js
    COMMENT "Running the prelude in the engine, and taking the snapshot"
    VERBATIM)
  add_custom_target(snapshot DEPENDS ${PLIMSOLL_GEN}/snapshot.bin)
endfunction()

# Makes every .S file of the list depend on `file`, whose path it gets as the macro `macro`.
function(plimsoll_embed macro file)
  foreach(source IN LISTS ARGN)
    if(source MATCHES "\\.S$")
      set_source_files_properties(${source} PROPERTIES
        OBJECT_DEPENDS ${file} COMPILE_DEFINITIONS "${macro}=\"${file}\"")
    endif()
  endforeach()
endfunction()

function(plimsoll_worker)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "SOURCES;LIBS")
  find_library(PLIMSOLL_LIBSECCOMP_A libseccomp.a REQUIRED)
  add_executable(plimsoll-worker ${arg_SOURCES})
  target_include_directories(plimsoll-worker PRIVATE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(plimsoll-worker PRIVATE
    plimsoll_flags plimsoll_fortify plimsoll_engine ${arg_LIBS} plimsoll_fmt
    ${PLIMSOLL_LIBSECCOMP_A})
  target_link_options(plimsoll-worker PRIVATE -static-pie)
  set_target_properties(plimsoll-worker PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
  plimsoll_embed(SNAPSHOT_BIN_PATH ${PLIMSOLL_GEN}/snapshot.bin ${arg_SOURCES})
  add_dependencies(plimsoll-worker snapshot)
  install(TARGETS plimsoll-worker RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/plimsoll)
endfunction()

# `source` embeds the program `target`, whose path it gets as the macro `name`_ELF_PATH, and its
# content address, so that nobody hashes megabytes at every start, as `name`_SHA256_PATH.
function(plimsoll_embed_program source target name)
  set(program ${CMAKE_BINARY_DIR}/bin/${target})
  set(hash ${PLIMSOLL_GEN}/${target}.sha256)
  add_custom_command(
    OUTPUT ${hash}
    COMMAND sh -c "sha256sum '${program}' | cut -c1-64 > '${hash}'"
    DEPENDS ${target}
    COMMENT "Hashing ${target}"
    VERBATIM)
  set_source_files_properties(${source} PROPERTIES
    OBJECT_DEPENDS "${program};${hash}"
    COMPILE_DEFINITIONS "${name}_ELF_PATH=\"${program}\";${name}_SHA256_PATH=\"${hash}\"")
  add_dependencies(plimsoll ${target})
endfunction()

function(plimsoll_library)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "EMBEDDED_WORKER;EMBEDDED_VMM" "")
  set(objects $<TARGET_OBJECTS:plimsoll_fmt>)
  foreach(layer IN LISTS PLIMSOLL_LAYERS)
    list(APPEND objects $<TARGET_OBJECTS:${layer}>)
  endforeach()
  add_library(plimsoll STATIC ${objects} ${arg_EMBEDDED_WORKER} ${arg_EMBEDDED_VMM})
  add_library(plimsoll::plimsoll ALIAS plimsoll)
  set_target_properties(plimsoll PROPERTIES LINKER_LANGUAGE CXX)
  target_compile_features(plimsoll PUBLIC cxx_std_23)
  target_include_directories(plimsoll PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set(libs ${PLIMSOLL_LAYER_LIBS})
  list(REMOVE_DUPLICATES libs)
  target_link_libraries(plimsoll PUBLIC Threads::Threads ${libs})
  plimsoll_embed_program(${arg_EMBEDDED_WORKER} plimsoll-worker WORKER)
  if(TARGET plimsoll-vmm)
    plimsoll_embed_program(${arg_EMBEDDED_VMM} plimsoll-vmm VMM)
  endif()
endfunction()
