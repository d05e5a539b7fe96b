# SLEEF: `sleef::sleef`.

include(${CMAKE_CURRENT_LIST_DIR}/PurviewPkgConfig.cmake)
purview_find(sleef sleef::sleef sleef sleef.h sleef)
