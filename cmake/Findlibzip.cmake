# libzip: `libzip::zip`. Its own config asks, in Debian, for programs of other packages.

include(${CMAKE_CURRENT_LIST_DIR}/PurviewPkgConfig.cmake)
purview_find(libzip libzip::zip libzip zip.h zip)
