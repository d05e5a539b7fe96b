# What `cmake --install` installs: libraries, headers, a CMake config and .pc files, which may be moved together. Static and shared libraries
# may go into one prefix, one after the other.

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/purview)
set(kind static)
if(purview_type STREQUAL "SHARED_LIBRARY")
    set(kind shared)
endif()

# NAME.pc for LIBRARY, which needs the .pc files of ours in OURS. Where it is static, programs link as well what it was made with: the modules
# of pkg-config in MODULES, or, where pkg-config does not know one, the library of that name. Where it is shared, they do so with
# `pkg-config --static`, for a static library beside it. What headers of COMPONENT include is in public_modules_of_COMPONENT, or, where no module
# has it, in public_flags_of_COMPONENT and public_libraries_of_COMPONENT: programs need it with both kinds.
find_package(PkgConfig QUIET)
function(purview_pkg_config component name description library ours modules)
    string(REGEX REPLACE "^purview-" "" of ${name})
    set(requires "")
    set(libraries "")
    set(private "")
    set(flags "")
    foreach(own IN LISTS ours)
        list(APPEND requires "${own} = ${PROJECT_VERSION}")
    endforeach()
    foreach(module IN LISTS modules)
        if(PkgConfig_FOUND)
            pkg_check_modules(PURVIEW_PC_${module} QUIET ${module})
        endif()
        if(kind STREQUAL "static" AND PURVIEW_PC_${module}_FOUND)
            list(APPEND requires ${module})
        elseif(PURVIEW_PC_${module}_FOUND)
            list(APPEND libraries ${PURVIEW_PC_${module}_STATIC_LDFLAGS})
        else()
            string(REGEX REPLACE "^lib" "" short ${module})
            list(APPEND libraries -l${short})
        endif()
    endforeach()
    if(NOT ours)
        list(APPEND libraries -pthread -ldl -lm)
    endif()
    if(kind STREQUAL "shared")
        list(REMOVE_DUPLICATES libraries)
        list(JOIN libraries " " private)
        set(private "\nLibs.private: ${private}")
        set(libraries "")
    elseif(NOT ours)
        set(flags " -DPURVIEW_STATIC_DEFINE")
        if(purview_link_less) # as for those who link by CMake
            list(APPEND libraries -Wl,${purview_link_less})
        endif()
    endif()
    list(PREPEND libraries -l${library})
    list(APPEND libraries ${public_libraries_of_${of}})
    list(APPEND requires ${public_modules_of_${of}})
    list(TRANSFORM public_flags_of_${of} PREPEND " " OUTPUT_VARIABLE public)
    string(APPEND flags ${public})
    list(JOIN requires " " requires)
    list(JOIN libraries " " libraries)
    cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE libdir)
    cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE includedir)
    cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE prefix)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${name}.pc @ONLY CONTENT [[
prefix=${pcfiledir}/@prefix@
libdir=${prefix}/@libdir@
includedir=${prefix}/@includedir@

Name: @name@
Description: @description@
Version: @PROJECT_VERSION@
Requires: @requires@@private@
Cflags: -I${includedir}@flags@
Libs: -L${libdir} @libraries@
]])
    install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${component}-dev)
endfunction()

# The module of the MPI that was found, as several may be installed: the one whose library is that which purview::mpi is linked to. Where there is
# none, MPI's folders and files.
function(purview_mpi_for_pkg_config)
    set(linked)
    foreach(library IN LISTS MPI_CXX_LIBRARIES)
        if(EXISTS ${library})
            file(REAL_PATH ${library} library)
        endif()
        list(APPEND linked ${library})
    endforeach()
    if(PkgConfig_FOUND)
        foreach(module IN ITEMS ompi-c mpich impi mvapich2 mpi-c mpi)
            pkg_check_modules(PURVIEW_PC_${module} QUIET ${module})
            foreach(library IN LISTS PURVIEW_PC_${module}_LINK_LIBRARIES)
                cmake_path(GET library FILENAME file)
                if(EXISTS ${library})
                    file(REAL_PATH ${library} library)
                endif()
                if(file MATCHES "mpi" AND library IN_LIST linked)
                    set(public_modules_of_mpi ${module} PARENT_SCOPE)
                    return()
                endif()
            endforeach()
        endforeach()
    endif()
    set(flags ${MPI_CXX_INCLUDE_DIRS})
    list(TRANSFORM flags PREPEND -I)
    set(public_flags_of_mpi ${flags} PARENT_SCOPE)
    set(public_libraries_of_mpi ${MPI_CXX_LIBRARIES} PARENT_SCOPE)
endfunction()

purview_pkg_config(libpurview purview "${PROJECT_DESCRIPTION}" purview "" "fmt;tbb;roaring;sleef")
set(modules_of_sparse libzip)
set(modules_of_image spng)
set(modules_of_zarr blosc libdeflate libzstd liblz4 jsoncpp)
set(modules_of_hdf5 hdf5 blosc libdeflate libzstd)
set(modules_of_archives jsoncpp)
set(modules_of_arrow libzstd liblz4)
set(modules_of_parquet parquet arrow)
if(PURVIEW_PYARROW AND TARGET purview_parquet AND purview_libparquet_FROM MATCHES "pyarrow") # files without the names that -l has
    get_target_property(public_libraries_of_parquet purview_with::libparquet INTERFACE_LINK_LIBRARIES)
    list(APPEND public_libraries_of_parquet -Wl,-rpath,${PURVIEW_PYARROW})
    set(modules_of_parquet)
endif()
if(TARGET purview_mpi)
    purview_mpi_for_pkg_config()
endif()
foreach(name IN ITEMS core sparse linalg fft image csv zarr hdf5 archives arrow parquet gpu mpi)
    set(target purview_${name})
    set(component libpurview)
    if(name STREQUAL "mpi") # in packages of its own: who does without it has no MPI installed
        set(component libpurview-mpi)
    elseif(name STREQUAL "parquet") # and in none of Debian's, which has no Arrow
        set(component libpurview-parquet)
    endif()
    if(name STREQUAL "core")
        set(target purview)
    elseif(NOT TARGET ${target})
        continue()
    else()
        set(ours purview)
        if(name STREQUAL "zarr") # its zip files are read by purview::sparse
            set(ours purview-sparse)
        elseif(name STREQUAL "archives") # and its files by these
            set(ours purview-zarr purview-hdf5)
        endif()
        purview_pkg_config(${component} purview-${name} "purview::${name}" ${target} "${ours}" "${modules_of_${name}}")
    endif()
    install(TARGETS ${target}
        EXPORT purview-${kind}-${name}
        LIBRARY COMPONENT ${component}0 NAMELINK_COMPONENT ${component}-dev
        ARCHIVE COMPONENT ${component}-dev
        FILE_SET HEADERS COMPONENT ${component}-dev
        FILE_SET optional_headers COMPONENT ${component}-dev)
    install(EXPORT purview-${kind}-${name} NAMESPACE purview:: DESTINATION ${package_dir} COMPONENT ${component}-dev)
endforeach()

configure_package_config_file(
    ${PROJECT_SOURCE_DIR}/cmake/purview-config.cmake.in
    ${PROJECT_BINARY_DIR}/purview-config.cmake
    INSTALL_DESTINATION ${package_dir}
    NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(
    ${PROJECT_BINARY_DIR}/purview-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES
    ${PROJECT_BINARY_DIR}/purview-config.cmake
    ${PROJECT_BINARY_DIR}/purview-config-version.cmake
    ${PROJECT_SOURCE_DIR}/cmake/PurviewFind.cmake
    DESTINATION ${package_dir}
    COMPONENT libpurview-dev)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/THIRD_PARTY.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT libpurview-dev)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/licenses DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT libpurview-dev)

# gdb looks for what goes with a library under its share/gdb/auto-load, by the library's path; programs with a static one source the file.
install(FILES ${PROJECT_SOURCE_DIR}/tools/gdb/purview_gdb.py
    DESTINATION ${CMAKE_INSTALL_DATADIR}/purview/gdb COMPONENT libpurview-dev)
if(kind STREQUAL "shared")
    install(FILES ${PROJECT_SOURCE_DIR}/tools/gdb/purview_gdb.py
        DESTINATION ${CMAKE_INSTALL_DATADIR}/gdb/auto-load/\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR} COMPONENT libpurview-dev
        RENAME $<TARGET_FILE_NAME:purview>-gdb.py)
endif()
