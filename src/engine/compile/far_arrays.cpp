#include "engine/compile/far_arrays.hpp"

#include "engine/places/cache_sizes.hpp"

#include <algorithm>
#include <cstdlib>

namespace purview::inline v0_1::engine {
namespace {

/// If two views of one tensor are less than this many bytes apart, what one has read is still
/// cached when the other one reads it.
constexpr index_t kNearBytes = index_t{1} << 18;

bool is_far(const Plan& plan, const Array& array) {
    if (array.scratch || array.access != LoadAccess::direct || array.dtype == boolean) return false;
    const StridedOperand& operand = plan.space.operands[array.operand];
    index_t bytes = array.dtype.size_bytes();
    for (std::size_t axis = 0; axis < plan.space.rank(); ++axis)
        if (operand.strides[axis] != 0) bytes *= plan.space.extents[axis];
    return bytes >= kPrefetchedBytes;
}

} // namespace

std::vector<ArrayId> far_arrays(const Plan& plan, const Values& values) {
    const auto base_of = [&](ArrayId id) { return values[plan.arrays[id].value].view->base(); };
    const auto are_neighbours = [&](ArrayId a, ArrayId b) {
        const Array& first = plan.arrays[a];
        const Array& second = plan.arrays[b];
        return values[first.value].node == values[second.value].node &&
               std::abs(base_of(a) - base_of(b)) < kNearBytes / first.dtype.size_bytes() &&
               plan.space.operands[first.operand].strides ==
                   plan.space.operands[second.operand].strides;
    };
    std::vector<ArrayId> found;
    for (ArrayId id = 1; id < plan.arrays.size(); ++id) {
        if (!is_far(plan, plan.arrays[id])) continue;
        const auto near =
            std::ranges::find_if(found, [&](ArrayId other) { return are_neighbours(other, id); });
        if (near == found.end())
            found.push_back(id);
        else if (base_of(*near) < base_of(id))
            *near = id;
    }
    return found;
}

} // namespace purview::engine
