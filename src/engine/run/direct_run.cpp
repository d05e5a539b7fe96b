#include "engine/run/direct_run.hpp"

#include "engine/compile/tile_operations.hpp"
#include "engine/places/load.hpp"

namespace purview::inline v0_1::engine {

bool is_direct(const Plan& plan) noexcept {
    if (plan.steps.size() != 1 || !plan.blocks.empty() || plan.spill_slots > 0 ||
        plan.panel_rows > 0 || (plan.by_rows && plan.space.rank() > 1) ||
        plan.arrays.size() > kDirectArrays || plan.instructions > kDirectInstructions)
        return false;
    const auto* const step = std::get_if<TileStep>(&plan.steps[0]);
    if (step == nullptr || step->program.touched.size() > kDirectArrays) return false;
    for (std::size_t i = 1; i < plan.arrays.size(); ++i) {
        const Array& array = plan.arrays[i];
        if (array.scratch || (array.way != LoadWay::direct && array.way != LoadWay::repeated) ||
            plan.space.operands[array.operand].base != 0)
            return false;
    }
    return true;
}

std::vector<const void*> places_of(const Values& values) {
    std::vector<const void*> places;
    places.reserve(values.size());
    for (const Value& value : values) {
        const void* place = nullptr;
        if (value.leaf() != nullptr && value.leaf()->memory())
            place = element_of(*value.leaf(), value.view->base());
        if (value.constant() != nullptr) place = operand_of(*value.constant());
        places.push_back(place);
    }
    return places;
}

DirectRun::DirectRun(const Plan& plan, std::span<const void* const> places, index_t count)
    : plan_(plan), step_(std::get<TileStep>(plan.steps[0])), size_(count), tiles_(plan.kernels) {
    for (ArrayId id = 1; id < plan.arrays.size(); ++id)
        move_source(id, places[plan.arrays[id].value]);
    const auto constant = [&](ValueId value) { return places[value]; };
    tiles_.prepare(step_.program, code_, constant);
    if (step_.tail && tiles_.of_any_count(step_.program, count) == nullptr)
        tiles_.prepare(*step_.tail, code_, constant);
}

bool DirectRun::may_store(const std::byte* out) const noexcept {
    const index_t result_bytes = plan_.dtype.size_bytes();
    for (ArrayId id = 1; id < plan_.arrays.size(); ++id) {
        const index_t bytes = plan_.arrays[id].dtype.size_bytes();
        const std::byte* const place = places_[id];
        if (place == out && bytes == result_bytes) continue;
        if (place < out + size_ * result_bytes && out < place + size_ * bytes) return false;
    }
    return true;
}

void DirectRun::fold(index_t begin, index_t each, index_t folds, const void* start, void* out) {
    const std::size_t tile_bytes = plan_.kernels.tile_bytes;
    fold_program(plan_.kernels, step_.program, TileRun::bind(step_.program, code_, places_),
                 tiles_.state, static_cast<std::size_t>(begin) * lane_bytes(),
                 static_cast<std::size_t>(each) * lane_bytes() / tile_bytes,
                 static_cast<std::size_t>(folds), start, tiles_.accumulator, out);
    tiles_.check();
}

} // namespace purview::engine
