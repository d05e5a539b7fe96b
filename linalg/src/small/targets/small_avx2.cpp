// Defines small/small_kernels.hpp.
#define PURVIEW_TARGET_NAME "avx2"
#define PURVIEW_SMALL_TABLE kSmallAvx2
#define PURVIEW_LANE_BYTES 32
#include "small/unit.inc"
