# PURVIEW_VERSION=… STATIC_BUILD=… SHARED_BUILD=… DEBFULLNAME=… DEBEMAIL=… cpack --config packaging/debian/cpack.cmake
# libpurview0 and libpurview-dev, of two build folders of the same version: one has made the shared libraries, the other the static ones.

set(CPACK_GENERATOR DEB)
set(CPACK_CMAKE_GENERATOR Ninja)
set(CPACK_PACKAGE_NAME purview)
set(CPACK_PACKAGE_FILE_NAME purview)
set(CPACK_PACKAGE_VERSION $ENV{PURVIEW_VERSION})
set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
set(CPACK_PACKAGE_DESCRIPTION "Arrays and tensors over dense memory, sparse pairs and computed functions alike, lazily composed.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_CMAKE_PROJECTS "$ENV{STATIC_BUILD};purview;ALL;/" "$ENV{SHARED_BUILD};purview;ALL;/") # the .pc files of the second stay
set(CPACK_COMPONENTS_ALL libpurview0 libpurview-dev)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/documents.cmake)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_LIBPURVIEW0_PACKAGE_NAME libpurview0)
set(CPACK_DEBIAN_LIBPURVIEW0_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBPURVIEW0_DESCRIPTION "lazy n-dimensional arrays over anything that can be read by index")
set(CPACK_DEBIAN_LIBPURVIEW0_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBPURVIEW0_PACKAGE_SUGGESTS libopenblas0)
set(CPACK_DEBIAN_LIBPURVIEW-DEV_PACKAGE_NAME libpurview-dev)
set(CPACK_DEBIAN_LIBPURVIEW-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBPURVIEW-DEV_DESCRIPTION "lazy n-dimensional arrays: headers and static libraries")
set(CPACK_DEBIAN_LIBPURVIEW-DEV_PACKAGE_DEPENDS "libpurview0 (= $ENV{PURVIEW_VERSION}-1)")
# What programs with a static library link besides.
set(CPACK_DEBIAN_LIBPURVIEW-DEV_PACKAGE_SUGGESTS "libfmt-dev, libtbb-dev, libsleef-dev, libroaring-dev, libzip-dev, libspng-dev")
