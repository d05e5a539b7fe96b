#define PURVIEW_TARGET_NAME "avx2"
#define PURVIEW_TARGET_TABLE kAvx2Kernels
#define PURVIEW_LANE_TABLE kAvx2LaneKernels
#include "engine/kernels/table/unit.inc"

static_assert(HWY_STATIC_TARGET == HWY_AVX2, "this unit lacks the flags of its target");
