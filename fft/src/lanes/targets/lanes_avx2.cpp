// Defines lanes/lane_kernels.hpp.
#define PURVIEW_LANE_TABLE kLanesAvx2
#define PURVIEW_LANE_BYTES 32
#include "lanes/unit.inc"
