# `purview_libdivide`: libdivide for our own sources. In the version that Debian 12 ships, divider's
# operator== names a member that does not exist; clang 19 refuses it even when nobody calls it. Where
# the header has that line, a corrected copy in the build folder goes first.

find_package(libdivide REQUIRED)

add_library(purview_libdivide INTERFACE)
target_link_libraries(purview_libdivide INTERFACE libdivide::libdivide)

find_file(PURVIEW_LIBDIVIDE_HEADER libdivide.h)
mark_as_advanced(PURVIEW_LIBDIVIDE_HEADER)
if(PURVIEW_LIBDIVIDE_HEADER)
    file(READ ${PURVIEW_LIBDIVIDE_HEADER} text)
    string(REPLACE "== other.denom." "== other.div.denom." corrected "${text}")
    if(NOT corrected STREQUAL text)
        set(folder ${PROJECT_BINARY_DIR}/libdivide)
        file(CONFIGURE OUTPUT ${folder}/libdivide.h CONTENT "${corrected}" @ONLY)
        target_include_directories(purview_libdivide SYSTEM INTERFACE ${folder})
    endif()
endif()
