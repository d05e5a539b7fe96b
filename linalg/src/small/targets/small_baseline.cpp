// Defines small/small_kernels.hpp.
// Every processor of this kind has vectors of 16 bytes.
#define PURVIEW_TARGET_NAME "baseline"
#define PURVIEW_SMALL_TABLE kSmallBaseline
#define PURVIEW_LANE_BYTES 16
#include "small/unit.inc"
