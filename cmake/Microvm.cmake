# The VM tier: the engine as a guest without a kernel, and the program that runs it on KVM. x86-64 only:
# elsewhere the library is built without them, and the provider says so.
#
#   plimsoll_guest_image(SOURCES ... SCRIPT x.ld)   gen/guest.elf: freestanding, without sanitizers in
#                                                   every preset, linked at a fixed address
#
# SOURCES may hold files of the engine's: they are compiled anew, since the image has no C library.

set(PLIMSOLL_GUEST_CFLAGS
  -fno-pie -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-asynchronous-unwind-tables
  -fno-builtin -fno-tree-loop-distribute-patterns -U_FORTIFY_SOURCE)

function(plimsoll_guest_image)
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
