#define PURVIEW_LANE_TABLE kNeonLaneKernels
#include "engine/kernels/table/lane_unit.inc"

static_assert(HWY_STATIC_TARGET == HWY_NEON, "this unit lacks the flags of its target");
