include(CMakePackageConfigHelpers)

set(purview_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/purview)

set(purview_libraries purview purview_sparse)
foreach(optional IN ITEMS fft image csv)
    if(TARGET purview_${optional})
        list(APPEND purview_libraries purview_${optional})
    endif()
endforeach()
install(TARGETS ${purview_libraries}
    EXPORT purview-targets
    FILE_SET HEADERS
    FILE_SET optional_headers)
install(EXPORT purview-targets NAMESPACE purview:: DESTINATION ${purview_package_dir})

configure_package_config_file(
    ${PROJECT_SOURCE_DIR}/cmake/purview-config.cmake.in
    ${PROJECT_BINARY_DIR}/purview-config.cmake
    INSTALL_DESTINATION ${purview_package_dir}
    NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(
    ${PROJECT_BINARY_DIR}/purview-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES
    ${PROJECT_BINARY_DIR}/purview-config.cmake
    ${PROJECT_BINARY_DIR}/purview-config-version.cmake
    ${PROJECT_SOURCE_DIR}/cmake/FindFFTW3.cmake
    ${PROJECT_SOURCE_DIR}/cmake/Findlibzip.cmake
    ${PROJECT_SOURCE_DIR}/cmake/Findsleef.cmake
    ${PROJECT_SOURCE_DIR}/cmake/Findspng.cmake
    DESTINATION ${purview_package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# gdb looks for what goes with a library under its share/gdb/auto-load, by the library's path; programs with a static one source the file.
install(FILES ${PROJECT_SOURCE_DIR}/tools/gdb/purview_gdb.py DESTINATION ${CMAKE_INSTALL_DATADIR}/purview/gdb)
if(purview_type STREQUAL "SHARED_LIBRARY")
    install(FILES ${PROJECT_SOURCE_DIR}/tools/gdb/purview_gdb.py
        DESTINATION ${CMAKE_INSTALL_DATADIR}/gdb/auto-load/${CMAKE_INSTALL_FULL_LIBDIR}
        RENAME $<TARGET_FILE_NAME:purview>-gdb.py)
endif()
