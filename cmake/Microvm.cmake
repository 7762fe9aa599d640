# The VM tier: the engine as a guest without a kernel, and the program that runs it on KVM. x86-64 only:
# elsewhere the library is built without them, and the provider says so.
#
#   plimsoll_guest_image(SOURCES ... SCRIPT x.ld)   gen/guest.elf: freestanding, without sanitizers in
#                                                   every preset, linked at a fixed address
#
#   plimsoll_vmm(SOURCES ... EMBEDDED_GUEST x.S MAIN main.cc [LIBS ...] [TESTS ...])
#                                                   bin/plimsoll-vmm, a static-pie as the worker is;
#                                                   x.S embeds GUEST_ELF_PATH and SNAPSHOT_BIN_PATH.
#                                                   Its parts are plimsoll_vmm_parts, for tests
#
# SOURCES may hold files of the engine's: they are compiled anew, since the image has no C library.

set(PLIMSOLL_GUEST_CFLAGS
  -fno-pie -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-asynchronous-unwind-tables
  -fno-builtin -fno-tree-loop-distribute-patterns -U_FORTIFY_SOURCE)

function(plimsoll_guest_image)
  if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SCRIPT" "SOURCES")
  set(script ${CMAKE_CURRENT_SOURCE_DIR}/${arg_SCRIPT})
  add_executable(guest-image ${arg_SOURCES})
  target_include_directories(guest-image PRIVATE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_compile_options(guest-image PRIVATE ${PLIMSOLL_GUEST_CFLAGS})
  target_link_libraries(guest-image PRIVATE plimsoll_flags plimsoll_qjs gcc)
  add_dependencies(guest-image translated_engine)
  target_link_options(guest-image PRIVATE
    -nostdlib -static -no-pie -Wl,--build-id=none -Wl,-T,${script})
  set_target_properties(guest-image PROPERTIES
    POSITION_INDEPENDENT_CODE OFF OUTPUT_NAME guest.elf RUNTIME_OUTPUT_DIRECTORY ${PLIMSOLL_GEN}
    LINK_DEPENDS ${script})
endfunction()

function(plimsoll_vmm)
  if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "EMBEDDED_GUEST;MAIN" "SOURCES;LIBS;TESTS")
  set(guest ${PLIMSOLL_GEN}/guest.elf)
  set(snapshot ${PLIMSOLL_GEN}/snapshot.bin)
  set_source_files_properties(${arg_EMBEDDED_GUEST} PROPERTIES
    OBJECT_DEPENDS "${guest};${snapshot}"
    COMPILE_DEFINITIONS "GUEST_ELF_PATH=\"${guest}\";SNAPSHOT_BIN_PATH=\"${snapshot}\"")
  plimsoll_object_library(plimsoll_vmm_parts ${arg_SOURCES} ${arg_EMBEDDED_GUEST})
  target_link_libraries(plimsoll_vmm_parts PRIVATE plimsoll_fortify)
  add_dependencies(plimsoll_vmm_parts guest-image snapshot)
  add_executable(plimsoll-vmm ${arg_MAIN})
  target_include_directories(plimsoll-vmm PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(plimsoll-vmm PRIVATE plimsoll_flags plimsoll_fortify
    plimsoll_vmm_parts ${arg_LIBS} plimsoll_fmt ${PLIMSOLL_LIBSECCOMP_A})
  target_link_options(plimsoll-vmm PRIVATE -static-pie)
  set_target_properties(plimsoll-vmm PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
  if(arg_TESTS)
    plimsoll_test(NAME microvm_test SOURCES ${arg_TESTS} PLAIN LABELS unit
      LIBS plimsoll_vmm_parts ${arg_LIBS} ${PLIMSOLL_LIBSECCOMP_A})
  endif()
  install(TARGETS plimsoll-vmm RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/plimsoll)
endfunction()
