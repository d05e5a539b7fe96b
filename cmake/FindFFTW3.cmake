# FFTW in double precision: `FFTW3::fftw3`.

include(${CMAKE_CURRENT_LIST_DIR}/PurviewPkgConfig.cmake)
purview_find(FFTW3 FFTW3::fftw3 fftw3 fftw3.h fftw3)
