#define PURVIEW_LANE_TABLE kSsse3LaneKernels
#include "engine/kernels/table/lane_unit.inc"

static_assert(HWY_STATIC_TARGET == HWY_SSSE3, "this unit lacks the flags of its target");
