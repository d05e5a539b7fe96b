# PURVIEW_VERSION=… STATIC_BUILD=… SHARED_BUILD=… DEBFULLNAME=… DEBEMAIL=… cpack --config packaging/debian/cpack.cmake
# libpurview0 and libpurview-dev, of two build folders of the same version: one has made the shared libraries, the other the static ones.
# libpurview-mpi0 and libpurview-mpi-dev have purview::mpi, so that nobody else has MPI installed.

set(CPACK_GENERATOR DEB)
set(CPACK_CMAKE_GENERATOR Ninja)
set(CPACK_PACKAGE_NAME purview)
set(CPACK_PACKAGE_FILE_NAME purview)
set(CPACK_PACKAGE_VERSION $ENV{PURVIEW_VERSION})
set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
set(CPACK_PACKAGE_DESCRIPTION "Arrays and tensors over dense memory, sparse pairs and computed functions alike, lazily composed.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_CMAKE_PROJECTS "$ENV{STATIC_BUILD};purview;ALL;/" "$ENV{SHARED_BUILD};purview;ALL;/") # the .pc files of the second stay
set(CPACK_COMPONENTS_ALL libpurview0 libpurview-dev libpurview-mpi0 libpurview-mpi-dev)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/documents.cmake)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_LIBPURVIEW0_PACKAGE_NAME libpurview0)
set(CPACK_DEBIAN_LIBPURVIEW0_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBPURVIEW0_DESCRIPTION "lazy n-dimensional arrays over anything that can be read by index")
set(CPACK_DEBIAN_LIBPURVIEW0_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBPURVIEW0_PACKAGE_SUGGESTS libopenblas0)
# What packages depend on whose programs link a library: its minor version, as the name of the file has it.
string(REGEX MATCH "^([0-9]+)\\.([0-9]+)" minor $ENV{PURVIEW_VERSION})
math(EXPR next "${CMAKE_MATCH_2} + 1")
set(folder ${CMAKE_CURRENT_LIST_DIR}/../../build/deb)
set(shlibs ${folder}/shlibs)
file(WRITE ${shlibs} "")
foreach(library IN ITEMS purview purview_archives purview_arrow purview_csv purview_fft purview_gpu purview_hdf5 purview_image purview_linalg purview_sparse purview_zarr)
    file(APPEND ${shlibs} "lib${library} ${minor} libpurview0 (>= ${minor}), libpurview0 (<< ${CMAKE_MATCH_1}.${next}~)\n")
endforeach()
set(CPACK_DEBIAN_LIBPURVIEW0_PACKAGE_CONTROL_EXTRA ${shlibs})

set(exactly "= $ENV{PURVIEW_VERSION}-1")
set(CPACK_DEBIAN_LIBPURVIEW-MPI0_PACKAGE_NAME libpurview-mpi0)
set(CPACK_DEBIAN_LIBPURVIEW-MPI0_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBPURVIEW-MPI0_DESCRIPTION "lazy n-dimensional arrays whose parts lie on the ranks of an MPI program")
set(CPACK_DEBIAN_LIBPURVIEW-MPI0_PACKAGE_SHLIBDEPS ON)
# Where dpkg-shlibdeps finds libpurview.so: in the folder of the build, by itself or as a part of another project.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "$ENV{SHARED_BUILD}" "$ENV{SHARED_BUILD}/purview")
set(CPACK_DEBIAN_LIBPURVIEW-MPI0_PACKAGE_DEPENDS "libpurview0 (${exactly})")
set(mpi_shlibs ${folder}/mpi/shlibs)
file(WRITE ${mpi_shlibs} "libpurview_mpi ${minor} libpurview-mpi0 (>= ${minor}), libpurview-mpi0 (<< ${CMAKE_MATCH_1}.${next}~)\n")
set(CPACK_DEBIAN_LIBPURVIEW-MPI0_PACKAGE_CONTROL_EXTRA ${mpi_shlibs})
set(CPACK_DEBIAN_LIBPURVIEW-MPI-DEV_PACKAGE_NAME libpurview-mpi-dev)
set(CPACK_DEBIAN_LIBPURVIEW-MPI-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBPURVIEW-MPI-DEV_DESCRIPTION "lazy n-dimensional arrays over MPI: headers and static library")
# Its headers include mpi.h: of the MPI that the library was built with, Debian's default.
set(CPACK_DEBIAN_LIBPURVIEW-MPI-DEV_PACKAGE_DEPENDS "libpurview-mpi0 (${exactly}), libpurview-dev (${exactly}), libopenmpi-dev")

set(CPACK_DEBIAN_LIBPURVIEW-DEV_PACKAGE_NAME libpurview-dev)
set(CPACK_DEBIAN_LIBPURVIEW-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBPURVIEW-DEV_DESCRIPTION "lazy n-dimensional arrays: headers and static libraries")
set(CPACK_DEBIAN_LIBPURVIEW-DEV_PACKAGE_DEPENDS "libpurview0 (${exactly})")
# What programs with a static library link besides.
set(CPACK_DEBIAN_LIBPURVIEW-DEV_PACKAGE_SUGGESTS "libfmt-dev, libtbb-dev, libsleef-dev, libroaring-dev, libzip-dev, libspng-dev, libblosc-dev, libdeflate-dev, libzstd-dev, liblz4-dev, libjsoncpp-dev, libhdf5-dev")
