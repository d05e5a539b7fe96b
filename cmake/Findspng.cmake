# libspng: `spng::spng`. Debian's package has no CMake config, only pkg-config; Conan's has one.

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
    pkg_check_modules(PC_SPNG QUIET spng)
endif()

find_path(SPNG_INCLUDE_DIR spng.h HINTS ${PC_SPNG_INCLUDE_DIRS})
find_library(SPNG_LIBRARY NAMES spng HINTS ${PC_SPNG_LIBRARY_DIRS})
mark_as_advanced(SPNG_INCLUDE_DIR SPNG_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(spng
    REQUIRED_VARS SPNG_LIBRARY SPNG_INCLUDE_DIR
    VERSION_VAR PC_SPNG_VERSION)

if(spng_FOUND AND NOT TARGET spng::spng)
    add_library(spng::spng UNKNOWN IMPORTED)
    set_target_properties(spng::spng PROPERTIES
        IMPORTED_LOCATION ${SPNG_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${SPNG_INCLUDE_DIR})
endif()
