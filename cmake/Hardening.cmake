# How everything is compiled. Three interface targets, linked by every target of ours:
#
#   plimsoll_flags       warnings and hardening; all code
#   plimsoll_sanitize    what the preset's sanitizer needs; host code only (never the worker)
#   plimsoll_pie         how a shipped or test executable is linked
#
# tests/build/elf_test.py reads the results back from the ELF files.

set(PLIMSOLL_SANITIZER "" CACHE STRING "'', address (with UBSan), thread or fuzzer (clang)")
set_property(CACHE PLIMSOLL_SANITIZER PROPERTY STRINGS "" address thread fuzzer)

# The default flags minus NDEBUG: an assert guards our own bugs, and stays on in what is shipped.
set(CMAKE_C_FLAGS_RELEASE "-O2")
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O1 -g1 -fno-omit-frame-pointer")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1 -fno-omit-frame-pointer")
set(CMAKE_C_FLAGS_DEBUG "-Og -g")
set(CMAKE_CXX_FLAGS_DEBUG "-Og -g")

set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# The library is linked statically; nothing of it is an export of the program that it ends up in.
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

add_library(plimsoll_flags INTERFACE)
target_compile_options(plimsoll_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Wformat=2
  -Wundef -Wvla -Wimplicit-fallthrough -Werror
  # Options structs are written with designated initialisers; the rest have their defaults.
  -Wno-missing-field-initializers
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor;-Woverloaded-virtual;-Wold-style-cast;-Wextra-semi>
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond;-Wlogical-op>
  -fstack-protector-strong -fstack-clash-protection -fcf-protection
  # No path of the build machine in a binary.
  -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=
  -ffile-prefix-map=${CMAKE_BINARY_DIR}/=build/
  -ffunction-sections -fdata-sections)
target_compile_definitions(plimsoll_flags INTERFACE _GLIBCXX_ASSERTIONS)
target_link_options(plimsoll_flags INTERFACE
  -Wl,-z,relro,-z,now,-z,noexecstack,-z,separate-code -Wl,--as-needed -Wl,--gc-sections
  -Wl,--fatal-warnings)

add_library(plimsoll_fortify INTERFACE)
target_compile_options(plimsoll_fortify INTERFACE
  $<$<NOT:$<COMPILE_LANGUAGE:ASM>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=3>)

add_library(plimsoll_sanitize INTERFACE)
if(PLIMSOLL_SANITIZER STREQUAL "")
  # Fortified functions hide from the sanitizers what they check.
  target_link_libraries(plimsoll_sanitize INTERFACE plimsoll_fortify)
else()
  set(PLIMSOLL_UBSAN -fsanitize=undefined -fno-sanitize-recover=all)
  if(PLIMSOLL_SANITIZER STREQUAL "address")
    set(sanitize -fsanitize=address ${PLIMSOLL_UBSAN})
  elseif(PLIMSOLL_SANITIZER STREQUAL "thread")
    set(sanitize -fsanitize=thread)
  elseif(PLIMSOLL_SANITIZER STREQUAL "fuzzer")
    set(sanitize -fsanitize=fuzzer-no-link,address ${PLIMSOLL_UBSAN})
  else()
    message(FATAL_ERROR "PLIMSOLL_SANITIZER is '${PLIMSOLL_SANITIZER}'; "
      "accepted: '', address, thread, fuzzer")
  endif()
  target_compile_options(plimsoll_sanitize INTERFACE
    "$<$<NOT:$<COMPILE_LANGUAGE:ASM>>:${sanitize}>")
  target_link_options(plimsoll_sanitize INTERFACE ${sanitize})
  # gcc 12 sees uninitialised and overflowing values in its own instrumentation.
  target_compile_options(plimsoll_sanitize INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-stringop-overflow;-Wno-array-bounds>)
  # Asio fences beside its locks, and gcc's TSan does not see fences; the locks it does see.
  if(PLIMSOLL_SANITIZER STREQUAL "thread")
    target_compile_options(plimsoll_sanitize INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
  endif()
  target_compile_definitions(plimsoll_sanitize INTERFACE PLIMSOLL_SANITIZED=1)
endif()

add_library(plimsoll_pie INTERFACE)
target_link_options(plimsoll_pie INTERFACE -pie)
