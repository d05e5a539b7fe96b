#include "engine/kernels/table/lane_selection.hpp"
#include "engine/kernels/table/selection.hpp"

#include <string_view>

namespace purview::inline v0_1::engine {

extern const LaneKernels kScalarLaneKernels;
#if defined(PURVIEW_KERNELS_X86)
extern const LaneKernels kSsse3LaneKernels;
extern const LaneKernels kAvx2LaneKernels;
extern const LaneKernels kAvx512LaneKernels;
#elif defined(PURVIEW_KERNELS_NEON)
extern const LaneKernels kNeonLaneKernels;
#endif

const LaneKernels& lane_kernels(const KernelTable& table) {
    const LaneKernels* const all[] = {
#if defined(PURVIEW_KERNELS_X86)
        &kAvx512LaneKernels,
        &kAvx2LaneKernels,
        &kSsse3LaneKernels,
#elif defined(PURVIEW_KERNELS_NEON)
        &kNeonLaneKernels,
#endif
        &kScalarLaneKernels
    };
    for (const LaneKernels* const each : all)
        if (std::string_view(each->name) == table.name) return *each;
    return kScalarLaneKernels;
}

const LaneKernels& lane_kernels() {
    static const LaneKernels& chosen = lane_kernels(kernels());
    return chosen;
}

} // namespace purview::engine
