#define PURVIEW_TARGET_NAME "neon"
#define PURVIEW_TARGET_TABLE kNeonKernels
#define PURVIEW_LANE_TABLE kNeonLaneKernels
#include "engine/kernels/table/unit.inc"

static_assert(HWY_STATIC_TARGET == HWY_NEON, "this unit lacks the flags of its target");
