# libspng: `spng::spng`.

include(${CMAKE_CURRENT_LIST_DIR}/PurviewPkgConfig.cmake)
purview_find(spng spng::spng spng spng.h "spng;spng_static")
