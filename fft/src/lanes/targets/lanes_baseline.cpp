// Defines lanes/lane_kernels.hpp.
// Every processor of this kind has vectors of 16 bytes.
#define PURVIEW_LANE_TABLE kLanesBaseline
#define PURVIEW_LANE_BYTES 16
#include "lanes/unit.inc"
