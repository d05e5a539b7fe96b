vcpkg_download_distfile(archive
    URLS "@URL@"
    FILENAME "purview-${VERSION}.tar.gz"
    SHA512 @SHA512@)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${archive}")

vcpkg_check_features(OUT_FEATURE_OPTIONS features
    FEATURES
        sparse PURVIEW_SPARSE
        csv PURVIEW_CSV
        linalg PURVIEW_LINALG
        zarr PURVIEW_ZARR
        hdf5 PURVIEW_HDF5
        archives PURVIEW_ARCHIVES
        arrow PURVIEW_ARROW
        parquet PURVIEW_PARQUET
        gpu PURVIEW_GPU
        mpi PURVIEW_MPI
        image PURVIEW_IMAGE
        fft PURVIEW_FFT)
vcpkg_find_acquire_program(PKGCONFIG)
vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        ${features}
        "-DPKG_CONFIG_EXECUTABLE=${PKGCONFIG}"
        -DPURVIEW_BUILD_TESTS=OFF
        -DPURVIEW_BUILD_EXAMPLES=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/purview)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share" "${CURRENT_PACKAGES_DIR}/share/doc")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/THIRD_PARTY.md" "${SOURCE_PATH}/licenses/Apache-2.0.txt")
