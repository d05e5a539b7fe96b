# `purview_libdivide`: libdivide for our own sources. In the version that Debian 12 ships, divider's
# operator== names a member that does not exist; clang 19 refuses it even when nobody calls it. Where
# the header has that line, a corrected copy in the build folder goes first.

# Debian keeps libdivide's config with the libraries of one architecture, where a cross compiler does not look: the header is
# enough.
find_package(libdivide QUIET)
find_file(PURVIEW_LIBDIVIDE_HEADER libdivide.h)
mark_as_advanced(PURVIEW_LIBDIVIDE_HEADER)

add_library(purview_libdivide INTERFACE)
if(libdivide_FOUND)
    target_link_libraries(purview_libdivide INTERFACE libdivide::libdivide)
elseif(PURVIEW_LIBDIVIDE_HEADER)
    cmake_path(GET PURVIEW_LIBDIVIDE_HEADER PARENT_PATH folder)
    target_include_directories(purview_libdivide SYSTEM INTERFACE ${folder})
else()
    message(FATAL_ERROR "Purview needs libdivide (Debian: libdivide-dev)")
endif()

if(PURVIEW_LIBDIVIDE_HEADER)
    file(READ ${PURVIEW_LIBDIVIDE_HEADER} text)
    string(REPLACE "== other.denom." "== other.div.denom." corrected "${text}")
    if(NOT corrected STREQUAL text)
        set(folder ${PROJECT_BINARY_DIR}/libdivide)
        file(CONFIGURE OUTPUT ${folder}/libdivide.h CONTENT "${corrected}" @ONLY)
        target_include_directories(purview_libdivide SYSTEM INTERFACE ${folder})
    endif()
endif()
