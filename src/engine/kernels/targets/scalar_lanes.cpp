// The one unit without flags of a target. Highway does not trust its emulation under gcc before
// 12.3, because of a bug in the vectoriser (PR 106322); this unit is compiled without the
// vectoriser.
#define HWY_COMPILE_ONLY_EMU128
#define HWY_BROKEN_EMU128 0

#define PURVIEW_LANE_TABLE kScalarLaneKernels
#include "engine/kernels/table/lane_unit.inc"

static_assert(HWY_STATIC_TARGET == HWY_EMU128, "this unit lacks the flags of its target");
