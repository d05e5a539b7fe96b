#define PURVIEW_TARGET_NAME "ssse3"
#define PURVIEW_TARGET_TABLE kSsse3Kernels
#define PURVIEW_LANE_TABLE kSsse3LaneKernels
#include "engine/kernels/table/unit.inc"

static_assert(HWY_STATIC_TARGET == HWY_SSSE3, "this unit lacks the flags of its target");
