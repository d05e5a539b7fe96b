# purview_find(NAME TARGET MODULE HEADER LIBRARY): what pkg-config calls MODULE, as the imported target TARGET; for the Find*.cmake beside this
# file, each for a library whose package in Debian has no CMake config, or none that works. A static library brings what it needs itself.
# Where there is a pkg-config that does not know the library, its CMake config is asked.

include(FindPackageHandleStandardArgs)

function(purview_find name target module header library)
    if(TARGET ${target})
        set(${name}_FOUND TRUE PARENT_SCOPE)
        return()
    endif()
    find_package(PkgConfig QUIET)
    if(PkgConfig_FOUND)
        pkg_check_modules(PC_${name} QUIET ${module})
    endif()
    if(PkgConfig_FOUND AND NOT PC_${name}_FOUND)
        find_package(${name} CONFIG QUIET)
    endif()
    if(TARGET ${target})
        set(${name}_FOUND TRUE PARENT_SCOPE)
        return()
    endif()

    find_path(${name}_INCLUDE_DIR ${header} HINTS ${PC_${name}_INCLUDE_DIRS})
    find_library(${name}_LIBRARY NAMES ${library} HINTS ${PC_${name}_LIBRARY_DIRS})
    mark_as_advanced(${name}_INCLUDE_DIR ${name}_LIBRARY)
    find_package_handle_standard_args(${name}
        REQUIRED_VARS ${name}_LIBRARY ${name}_INCLUDE_DIR
        VERSION_VAR PC_${name}_VERSION)
    set(${name}_FOUND ${${name}_FOUND} PARENT_SCOPE)
    if(NOT ${name}_FOUND)
        return()
    endif()
    add_library(${target} UNKNOWN IMPORTED)
    set_target_properties(${target} PROPERTIES
        IMPORTED_LOCATION ${${name}_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${${name}_INCLUDE_DIR})
    if(${name}_LIBRARY MATCHES "\\.a$")
        set(needed ${PC_${name}_STATIC_LIBRARIES})
        list(REMOVE_ITEM needed ${library})
        set_target_properties(${target} PROPERTIES
            INTERFACE_LINK_LIBRARIES "${needed}"
            INTERFACE_LINK_DIRECTORIES "${PC_${name}_STATIC_LIBRARY_DIRS}")
    endif()
endfunction()
