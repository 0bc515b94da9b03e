# SPDX-License-Identifier: Apache-2.0
# CMake toolchain: cross-compiles with Zig's clang, linker and C library; uses nothing of the host's.
#   cmake --toolchain cmake/zig.cmake -DZIG=/path/to/zig -DZIG_TARGET=aarch64-linux-gnu.2.17
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ZIG ZIG_TARGET)
if(NOT ZIG OR NOT ZIG_TARGET)
  message(FATAL_ERROR "name the compiler with -DZIG=/path/to/zig and its target with -DZIG_TARGET=aarch64-linux-gnu.2.17")
endif()
set(CMAKE_SYSTEM_NAME Linux)
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR "${ZIG_TARGET}")
set(CMAKE_C_COMPILER "${ZIG}" cc -target ${ZIG_TARGET})
# Zig's own defaults are debug information and frame pointers in every build.
set(CMAKE_C_FLAGS_INIT "-g0 -fomit-frame-pointer")
set(CMAKE_SHARED_LINKER_FLAGS_INIT -Wl,--strip-debug) # debug information of Zig's run-time library
if(ZIG_TARGET MATCHES musl)
  set(CMAKE_EXE_LINKER_FLAGS_INIT -dynamic) # otherwise programs for musl are static, and cannot dlopen
endif()
set(CMAKE_C_ARCHIVE_CREATE "\"${ZIG}\" ar qc <TARGET> <OBJECTS>")
set(CMAKE_C_ARCHIVE_FINISH "\"${ZIG}\" ranlib <TARGET>")
