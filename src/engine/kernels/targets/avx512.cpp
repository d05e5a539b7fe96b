#define PURVIEW_TARGET_NAME "avx512"
#define PURVIEW_TARGET_TABLE kAvx512Kernels
#define PURVIEW_LANE_TABLE kAvx512LaneKernels
#include "engine/kernels/table/unit.inc"

static_assert(HWY_STATIC_TARGET == HWY_AVX3, "this unit lacks the flags of its target");
