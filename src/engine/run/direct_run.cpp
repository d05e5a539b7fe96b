#include "engine/run/direct_run.hpp"

#include "engine/compile/tile_operations.hpp"

#include <purview/base/errors.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>

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
        if (array.scratch ||
            (array.access != LoadAccess::direct && array.access != LoadAccess::repeated) ||
            plan.space.operands[array.operand].base != 0)
            return false;
    }
    return true;
}

const std::byte* start_of(const Leaf& leaf, const Dimensions& dims) noexcept {
    return static_cast<const std::byte*>(leaf.memory().data) +
           dims.base() * leaf.memory().stride_bytes;
}

std::vector<const void*> places_of(const Values& values) {
    std::vector<const void*> places;
    places.reserve(values.size());
    for (const Value& value : values) {
        const void* place = nullptr;
        if (value.leaf() != nullptr && value.leaf()->memory())
            place = start_of(*value.leaf(), *value.view);
        if (value.constant() != nullptr) {
            place = value.constant()->value();
            if (value.node->dtype() == boolean)
                place = mask_constant(*static_cast<const bool*>(place));
        }
        places.push_back(place);
    }
    return places;
}

DirectRun::DirectRun(const Plan& plan, std::span<const void* const> places, index_t count)
    : plan_(plan),
      step_(std::get<TileStep>(plan.steps[0])),
      refills_padding_(plan.divides_integers),
      tail_code_(code_ + step_.program.code.size()) {
    const int shift = std::countr_zero(plan.kernels.tile_bytes / step_.program.lane_bytes);
    tiles_ = count >> shift;
    done_ = tiles_ << shift;
    tail_size_ = count - done_;
    for (std::size_t i = 1; i < plan.arrays.size(); ++i)
        places_[i] = static_cast<const std::byte*>(places[plan.arrays[i].value]);
    bind(step_.program, code_, places);
    if (tail_size_ == 0 || translated() != nullptr) return;
    bind(tail_program(), tail_code_, places);
    prepare_tail();
}

void DirectRun::bind(const TileProgram& program, Instruction* code,
                     std::span<const void* const> places) noexcept {
    std::uninitialized_copy(program.code.begin(), program.code.end(), code);
    for (const Patch& patch : program.constants)
        code[patch.instruction].operand = places[patch.target];
    for (const std::uint32_t instruction : program.accumulators)
        code[instruction].operand = accumulator_;
    for (const Patch& patch : program.arrays)
        if (patch.target != kResult) code[patch.instruction].operand = places_[patch.target];
}

// The elements after the last whole tile are copied to a tile of scratch, and padded by repeats of
// the first of them. The program runs on that tile at their offset, and its operands are moved back
// by as much, so that accumulations go on in their lanes.
void DirectRun::prepare_tail() noexcept {
    const TileProgram& program = tail_program();
    const std::size_t touched = program.touched.size();
    const std::size_t inputs = program.accumulates() ? touched : touched - 1;
    const auto lanes = static_cast<index_t>(plan_.kernels.tile_bytes / program.lane_bytes);
    for (std::size_t i = 0; i < touched; ++i) {
        const TileProgram::Touched& use = program.touched[i];
        if (use.repeated) continue;
        std::byte* const tile = tail_tiles_[i];
        const auto skipped = static_cast<std::uintptr_t>(done_ * use.element_bytes);
        move_operands(
            program, tail_code_, use.array,
            reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(tile) - skipped));
        if (i >= inputs) continue;
        tail_inputs_[tail_input_count_++] = {use.array, use.element_bytes, tile};
        if (!refills_padding_)
            plan_.kernels.fill(use.element_bytes, places_[use.array] + skipped, tile, lanes);
    }
}

void DirectRun::load_tail() noexcept {
    for (std::size_t i = 0; i < tail_input_count_; ++i) {
        const TailInput& input = tail_inputs_[i];
        const std::byte* const from = places_[input.array] + done_ * input.element_bytes;
        if (refills_padding_)
            plan_.kernels.fill(
                input.element_bytes, from, input.tile,
                static_cast<index_t>(plan_.kernels.tile_bytes / step_.program.lane_bytes));
        std::memcpy(input.tile, from, static_cast<std::size_t>(tail_size_ * input.element_bytes));
    }
}

void DirectRun::finish() {
    if ((state_.flags & kDivisionByZero) == 0) [[likely]]
        return;
    state_.flags = 0; // the next run begins anew
    throw ArithmeticError("integer division by zero");
}

void DirectRun::fold(index_t begin, index_t each, index_t folds, const void* start, void* out) {
    const std::size_t tile_bytes = plan_.kernels.tile_bytes;
    fold_program(plan_.kernels, step_.program, code_, state_,
                 static_cast<std::size_t>(begin) * lane_bytes(),
                 static_cast<std::size_t>(each) * lane_bytes() / tile_bytes,
                 static_cast<std::size_t>(folds), start, accumulator_, out);
    finish();
}

void DirectRun::accumulate(index_t begin) {
    if (const Translated* const made = translated()) {
        made->function()(code_, &state_, static_cast<std::size_t>(begin) * lane_bytes(),
                         static_cast<std::size_t>(size() - begin), accumulator_, accumulator_);
        return finish();
    }
    if (tail_size_ > 0) load_tail();
    if (const index_t before = done_ - begin; before > 0)
        run_program(plan_.kernels, step_.program, code_, state_,
                    static_cast<std::size_t>(begin) * lane_bytes(),
                    static_cast<std::size_t>(before) * lane_bytes() / plan_.kernels.tile_bytes,
                    accumulator_);
    if (tail_size_ > 0) {
        state_.valid_lanes = static_cast<std::size_t>(tail_size_);
        run_program(plan_.kernels, tail_program(), tail_code_, state_,
                    static_cast<std::size_t>(done_) * lane_bytes(), 1, accumulator_);
    }
    finish();
}

void DirectRun::store(std::byte* out) {
    const TileProgram& program = step_.program;
    move_operands(program, code_, kResult, out);
    if (const Translated* const made = translated()) {
        made->function()(code_, &state_, 0, static_cast<std::size_t>(size()), nullptr, nullptr);
        return finish();
    }
    if (tail_size_ > 0) load_tail();
    if (tiles_ > 0) {
        run_program(plan_.kernels, program, code_, state_, 0, static_cast<std::size_t>(tiles_),
                    accumulator_);
    }
    if (tail_size_ > 0) {
        run_program(plan_.kernels, tail_program(), tail_code_, state_,
                    static_cast<std::size_t>(done_) * program.lane_bytes, 1, accumulator_);
        const index_t size = program.touched.back().element_bytes;
        std::memcpy(out + done_ * size, tail_tiles_[program.touched.size() - 1],
                    static_cast<std::size_t>(tail_size_ * size));
    }
    finish();
}

} // namespace purview::engine
