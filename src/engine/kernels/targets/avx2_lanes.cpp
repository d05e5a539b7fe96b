#define PURVIEW_LANE_TABLE kAvx2LaneKernels
#include "engine/kernels/table/lane_unit.inc"

static_assert(HWY_STATIC_TARGET == HWY_AVX2, "this unit lacks the flags of its target");
