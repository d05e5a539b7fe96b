#include "engine/compile/plan_resources.hpp"

#include "engine/compile/block_source.hpp"
#include "engine/places/cache_sizes.hpp"
#include "engine/places/costs.hpp"
#include "engine/places/gathered_places.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <span>

namespace purview::inline v0_1::engine {
namespace {

template <typename F>
void for_each_read(const Step& step, F&& f) {
    if (const auto* cast = std::get_if<CastStep>(&step)) f(cast->in);
    if (const auto* map = std::get_if<MapStep>(&step)) std::ranges::for_each(map->in, f);
    if (const auto* tile = std::get_if<TileStep>(&step))
        for (const TileProgram::Touched& touched : tile->program.touched) f(touched.array);
}
ArrayId written(const Step& step) {
    if (const auto* load = std::get_if<LoadStep>(&step)) return load->to;
    if (const auto* cast = std::get_if<CastStep>(&step)) return cast->out;
    if (const auto* map = std::get_if<MapStep>(&step)) return map->out;
    if (const auto* fill = std::get_if<FillStep>(&step)) return fill->out;
    const auto& program = std::get<TileStep>(step).program;
    return program.accumulates() ? kResult : program.touched.back().array;
}

std::uint32_t take_block(Plan& plan, DType dtype, std::vector<std::uint32_t>& free) {
    const auto fits = [&](std::uint32_t block) { return plan.blocks[block] == dtype; };
    const auto found = std::ranges::find_if(free, fits);
    if (found == free.end()) {
        plan.blocks.push_back(dtype);
        return static_cast<std::uint32_t>(plan.blocks.size() - 1);
    }
    const std::uint32_t block = *found;
    free.erase(found);
    return block;
}

} // namespace

void share_blocks(Plan& plan) {
    if (std::ranges::none_of(plan.arrays, &Array::scratch)) return;
    std::vector<std::size_t> last_read(plan.arrays.size(), 0);
    for (std::size_t i = 0; i < plan.steps.size(); ++i)
        for_each_read(plan.steps[i], [&](ArrayId array) { last_read[array] = i; });
    std::vector<std::uint32_t> free;
    std::vector<bool> given(plan.arrays.size(), false);
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        Array& out = plan.arrays[written(plan.steps[i])];
        if (out.scratch) out.block = take_block(plan, out.dtype, free);
        for_each_read(plan.steps[i], [&](ArrayId id) {
            const Array& array = plan.arrays[id];
            if (!array.scratch || last_read[id] != i || given[id] || &array == &out) return;
            given[id] = true;
            free.push_back(array.block);
        });
    }
}

double estimated_cost(const Plan& plan) {
    double cost = costs::kCachedByte * static_cast<double>(plan.dtype.size_bytes());
    for (const Array& array : plan.arrays) {
        if (array.value == kNoValue) continue;
        cost += costs::kCachedByte * static_cast<double>(array.dtype.size_bytes());
        if (array.way == LoadWay::strided || array.way == LoadWay::panel)
            cost += costs::kMovedElement;
        if (array.way == LoadWay::streamed || array.way == LoadWay::gathered)
            cost += costs::kCalledElement;
    }
    for (const Step& step : plan.steps) {
        if (std::holds_alternative<MapStep>(step)) cost += costs::kCalledElement;
        if (std::holds_alternative<CastStep>(step)) cost += costs::kMovedElement;
        if (const auto* const tile = std::get_if<TileStep>(&step)) {
            cost += costs::kLaneByte * tile->program.lane_bytes *
                    (static_cast<double>(tile->program.code.size()) +
                     costs::kFunctionInstructions * tile->program.values.functions) *
                    kMaxTileBytes / static_cast<double>(plan.kernels.tile_bytes);
        }
    }
    return cost;
}

namespace {

/// Whether an array of the plan is gathered one element at a time, at indexes of its own.
bool gathers_elements(const Array& array) {
    if (!array.scratch || array.value == kNoValue || !array.dtype.is_builtin()) return false;
    if (array.stream) return array.stream->follows_list();
    return array.source != nullptr && array.source->reads_indexes_of_elements();
}

/// Bytes of a block whose gathered elements lie near each other: they, and the cache lines they
/// come from, pass through the first-level cache, and blocks that leave room there are up to twice
/// as fast. Elements that lie far apart are prefetched within a block instead, which should then be
/// long.
constexpr index_t kNearBlockBytes = 1024;
constexpr index_t kLeastNearBlock = 128;
/// For fewer elements, how near they lie is not examined.
constexpr index_t kLeastSampledElements = 4096;

/// Whether consecutive elements lie close to each other in memory, as `are_near` has it.
bool is_read_near(const Array& array, const Values& values) {
    if (!array.stream) return reads_near(*values[array.value].gather());
    return are_near(array.stream->size(), [&](index_t place) {
        index_t address = 0;
        array.stream->read(place, std::span(&address, 1));
        return address;
    });
}

/// The block size that gathers of single elements ask for; 0 if they ask for none.
index_t gathered_block(const Plan& plan, const Values& values) {
    index_t gathers = 0;
    index_t bytes = 1;
    bool near = plan.size >= kLeastSampledElements;
    for (const Array& array : plan.arrays) {
        if (!gathers_elements(array)) continue;
        ++gathers;
        bytes = std::max<index_t>(bytes, array.dtype.size_bytes());
        near = near && is_read_near(array, values);
    }
    if (gathers == 0) return 0;
    if (near) return std::clamp(kNearBlockBytes / bytes, kLeastNearBlock, kGatheredBlock);
    return gathers > 1 ? kGatheredBlock : 0;
}

/// If two views of one tensor are less than this many bytes apart, what one has read is still
/// cached when the other one reads it.
constexpr index_t kNearBytes = index_t{1} << 18;

bool is_far(const Plan& plan, const Array& array) {
    if (array.scratch || array.way != LoadWay::direct || array.dtype == boolean) return false;
    const StridedOperand& operand = plan.space.operands[array.operand];
    index_t bytes = array.dtype.size_bytes();
    for (std::size_t axis = 0; axis < plan.space.rank(); ++axis)
        if (operand.strides[axis] != 0) bytes *= plan.space.extents[axis];
    return bytes >= kPrefetchedBytes;
}

} // namespace

index_t largest_block(const Plan& plan, const Values& values, Walk walk) {
    if (plan.panel_rows > 0) return kPanelColumns;
    if (walk == Walk::any_order)
        if (const index_t block = gathered_block(plan, values); block > 0) return block;
    const bool needs_blocks = std::ranges::any_of(plan.arrays, &Array::scratch);
    return needs_blocks || !plan.by_rows ? kBlock : std::numeric_limits<index_t>::max();
}

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
