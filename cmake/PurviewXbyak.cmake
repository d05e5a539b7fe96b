# `purview_xbyak`: xbyak, a header, with which programs that run often become machine code (src/engine/machine_code). On other processors, without the
# header and with PURVIEW_JIT=OFF it does not exist, and all programs are interpreted.

if(NOT PURVIEW_JIT OR NOT UNIX OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    return()
endif()
find_package(xbyak QUIET CONFIG)
find_path(PURVIEW_XBYAK_FOLDER xbyak/xbyak.h)
mark_as_advanced(PURVIEW_XBYAK_FOLDER)
if(NOT TARGET xbyak::xbyak AND NOT PURVIEW_XBYAK_FOLDER)
    message(STATUS "xbyak was not found (Debian: libxbyak-dev): programs are not translated to machine code")
    return()
endif()

add_library(purview_xbyak INTERFACE)
if(TARGET xbyak::xbyak)
    target_link_libraries(purview_xbyak INTERFACE xbyak::xbyak)
else()
    target_include_directories(purview_xbyak SYSTEM INTERFACE ${PURVIEW_XBYAK_FOLDER})
endif()
