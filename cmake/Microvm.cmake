# The VM tier: the engine as a guest without a kernel, and the program that runs it on KVM. x86-64 only:
# elsewhere the library is built without them, and the provider says so.
#
#   plimsoll_guest_image(NAME x SOURCES ... SCRIPT x.ld [LIBS ...])
#                                                   gen/x.elf: freestanding, without sanitizers in
#                                                   every preset, linked at a fixed address
#
#   plimsoll_vmm(SOURCES ... EMBEDDED_GUEST x.S MAIN main.cc [LIBS ...]
#                [TESTS ... ATTACK_GUEST y.S])
#                                                   bin/plimsoll-vmm, a static-pie as the worker is;
#                                                   x.S embeds GUEST_ELF_PATH and SNAPSHOT_BIN_PATH.
#                                                   Its parts are plimsoll_vmm_parts, for the tests;
#                                                   y.S, for them only, embeds ATTACK_ELF_PATH
#
# SOURCES may hold files of the engine's: they are compiled anew, since the image has no C library.

set(PLIMSOLL_GUEST_CFLAGS
  -fno-pie -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-asynchronous-unwind-tables
  -fno-builtin -U_FORTIFY_SOURCE)

function(plimsoll_guest_image)
  if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;SCRIPT" "SOURCES;LIBS")
  set(script ${CMAKE_CURRENT_SOURCE_DIR}/${arg_SCRIPT})
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_include_directories(${arg_NAME} PRIVATE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_compile_options(${arg_NAME} PRIVATE ${PLIMSOLL_GUEST_CFLAGS})
  target_link_libraries(${arg_NAME} PRIVATE plimsoll_flags ${arg_LIBS} gcc)
  target_link_options(${arg_NAME} PRIVATE
    -nostdlib -static -no-pie -Wl,--build-id=none -Wl,-T,${script})
  set_target_properties(${arg_NAME} PROPERTIES
    POSITION_INDEPENDENT_CODE OFF SUFFIX .elf RUNTIME_OUTPUT_DIRECTORY ${PLIMSOLL_GEN}
    LINK_DEPENDS ${script})
endfunction()

function(plimsoll_vmm)
  if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "ATTACK_GUEST;EMBEDDED_GUEST;MAIN" "SOURCES;LIBS;TESTS")
  set(guest ${PLIMSOLL_GEN}/guest-image.elf)
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
    set(attack ${PLIMSOLL_GEN}/attack-guest.elf)
    set_source_files_properties(${arg_ATTACK_GUEST} PROPERTIES
      OBJECT_DEPENDS ${attack} COMPILE_DEFINITIONS "ATTACK_ELF_PATH=\"${attack}\"")
    plimsoll_test(NAME microvm_test SOURCES ${arg_TESTS} ${arg_ATTACK_GUEST} PLAIN LABELS unit
      LIBS plimsoll_vmm_parts ${arg_LIBS} ${PLIMSOLL_LIBSECCOMP_A})
    if(TARGET microvm_test)
      add_dependencies(microvm_test attack-guest)
    endif()
  endif()
  install(TARGETS plimsoll-vmm RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/plimsoll)
endfunction()
