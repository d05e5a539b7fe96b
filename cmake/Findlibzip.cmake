# libzip: `libzip::zip`. Debian's CMake config of it asks for programs that its package does not have;
# pkg-config knows the library.

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
    pkg_check_modules(PC_LIBZIP QUIET libzip)
endif()

find_path(LIBZIP_INCLUDE_DIR zip.h HINTS ${PC_LIBZIP_INCLUDE_DIRS})
find_library(LIBZIP_LIBRARY NAMES zip HINTS ${PC_LIBZIP_LIBRARY_DIRS})
mark_as_advanced(LIBZIP_INCLUDE_DIR LIBZIP_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(libzip
    REQUIRED_VARS LIBZIP_LIBRARY LIBZIP_INCLUDE_DIR
    VERSION_VAR PC_LIBZIP_VERSION)

if(libzip_FOUND AND NOT TARGET libzip::zip)
    add_library(libzip::zip UNKNOWN IMPORTED)
    set_target_properties(libzip::zip PROPERTIES
        IMPORTED_LOCATION ${LIBZIP_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${LIBZIP_INCLUDE_DIR})
endif()
