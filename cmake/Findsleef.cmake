# SLEEF: `sleef::sleef`. Debian's package has no CMake config, only pkg-config; Conan's has one.

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
    pkg_check_modules(PC_SLEEF QUIET sleef)
endif()

find_path(SLEEF_INCLUDE_DIR sleef.h HINTS ${PC_SLEEF_INCLUDE_DIRS})
find_library(SLEEF_LIBRARY NAMES sleef HINTS ${PC_SLEEF_LIBRARY_DIRS})
mark_as_advanced(SLEEF_INCLUDE_DIR SLEEF_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(sleef
    REQUIRED_VARS SLEEF_LIBRARY SLEEF_INCLUDE_DIR
    VERSION_VAR PC_SLEEF_VERSION)

if(sleef_FOUND AND NOT TARGET sleef::sleef)
    add_library(sleef::sleef UNKNOWN IMPORTED)
    set_target_properties(sleef::sleef PROPERTIES
        IMPORTED_LOCATION ${SLEEF_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${SLEEF_INCLUDE_DIR})
endif()
