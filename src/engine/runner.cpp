#include "engine/runner.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/cast.hpp>
#include <purview/dtype/element_access.hpp>
#include <purview/dtype/visit.hpp>

#include "engine/load.hpp"

#include <cstring>

namespace purview::engine {
namespace {

std::byte* memory_of(const Leaf& leaf) {
    // Programs read through it; only destinations are written.
    return static_cast<std::byte*>(const_cast<void*>(leaf.memory().data));
}

void normalise_bools(std::byte* bools, index_t count) {
    for (index_t i = 0; i < count; ++i) bools[i] = static_cast<std::byte>(bools[i] != std::byte{0});
}

[[noreturn]] void throw_misfit(DType from, DType to, const std::byte* element, index_t index) {
    visit_dtype(from, "cast", [&]<typename From>(std::type_identity<From>) {
        throw_cast_of(load_element<From>(element), index, to);
    });
    std::unreachable();
}

} // namespace

Runner::Runner(const Plan& plan) : plan_(plan) {
    for (const DType dtype : plan.blocks) scratch_.emplace_back(dtype, plan.block);
    places_.resize(plan.arrays.size(), nullptr);
    for (std::size_t i = 0; i < plan.arrays.size(); ++i)
        if (plan.arrays[i].scratch) places_[i] = scratch_[plan.arrays[i].block].at(0);
    coordinates_.resize(plan.space.rank(), 0);
    positions_.resize(plan.space.operands.size(), 0);
    std::uint32_t slots = 0;
    for (const Step& step : plan.steps)
        if (const auto* tile = std::get_if<TileStep>(&step))
            slots = std::max(slots, tile->program.spill_slots);
    if (slots > 0) spills_.resize((slots + 1) * kMaxTileBytes);
}

// --- the position in the space -------------------------------------------------------------------

void Runner::seek(index_t begin) {
    if (!plan_.by_rows) return;
    const std::size_t rank = plan_.space.rank();
    offset_ = rank == 0 ? 0 : begin % plan_.row;
    index_t row = rank == 0 ? 0 : begin / plan_.row;
    for (std::size_t axis = rank; axis-- > 0;) {
        if (axis + 1 == rank) continue;
        coordinates_[axis] = row % plan_.space.extents[axis];
        row /= plan_.space.extents[axis];
    }
    for (std::size_t k = 0; k < positions_.size(); ++k) {
        const Strided& operand = plan_.space.operands[k];
        positions_[k] = operand.base;
        for (std::size_t axis = 0; axis + 1 < rank; ++axis)
            positions_[k] += coordinates_[axis] * operand.strides[axis];
    }
}

void Runner::advance(index_t length) {
    if (!plan_.by_rows) return;
    offset_ += length;
    if (offset_ == plan_.row) next_row();
}

void Runner::next_row() {
    offset_ = 0;
    for (std::size_t axis = plan_.space.rank(); axis-- > 0;) {
        if (axis + 1 == plan_.space.rank()) continue;
        const index_t extent = plan_.space.extents[axis];
        const bool wraps = ++coordinates_[axis] == extent;
        for (std::size_t k = 0; k < positions_.size(); ++k) {
            const index_t stride = plan_.space.operands[k].strides[axis];
            positions_[k] += wraps ? -(extent - 1) * stride : stride;
        }
        if (!wraps) return;
        coordinates_[axis] = 0;
    }
}

// --- blocks --------------------------------------------------------------------------------------

void Runner::run_block(index_t begin, index_t count, std::byte* result) {
    places_[kResult] = result;
    for (std::size_t i = 1; i < plan_.arrays.size(); ++i) {
        const Array& array = plan_.arrays[i];
        if (array.scratch || array.value == kNoValue) continue;
        const Value& value = plan_.values[array.value];
        if (array.access != Access::direct && array.access != Access::repeated) continue;
        const index_t address =
            plan_.by_rows ? positions_[array.operand] + offset_ * inner_stride(array.operand)
                          : plan_.space.operands[array.operand].base + begin;
        places_[i] = memory_of(*value.leaf()) + address * value.leaf()->memory().stride_bytes;
    }
    for (const Step& step : plan_.steps)
        std::visit([&](const auto& action) { perform(action, begin, count); }, step);
}

void Runner::perform(const LoadStep& step, index_t begin, index_t count) {
    const Array& array = plan_.arrays[step.from];
    const Leaf& leaf = *plan_.values[array.value].leaf();
    std::byte* const out = places_[step.to];
    const auto bytes = static_cast<std::size_t>(array.dtype.size_bytes());
    const std::byte* const place = places_[step.from];
    switch (array.access) {
    case Access::streamed: return load_elements(leaf, *array.stream, begin, count, out);
    case Access::direct: std::memcpy(out, place, static_cast<std::size_t>(count) * bytes); break;
    case Access::repeated: plan_.kernels.fill(bytes, place, out, count); break;
    case Access::strided: load_rows(array, begin, count, out); break;
    }
    if (array.dtype == boolean) normalise_bools(out, count);
}

void Runner::load_rows(const Array& array, index_t begin, index_t count, std::byte* out) {
    const Leaf& leaf = *plan_.values[array.value].leaf();
    const auto bytes = static_cast<std::size_t>(array.dtype.size_bytes());
    const index_t stride_bytes = leaf.memory().stride_bytes;
    if (plan_.by_rows) {
        const index_t address = positions_[array.operand] + offset_ * inner_stride(array.operand);
        plan_.kernels.load_strided(bytes, memory_of(leaf) + address * stride_bytes,
                                   inner_stride(array.operand) * stride_bytes, out, count);
    } else {
        gather_rows(plan_.kernels, plan_.space, array.operand, bytes, stride_bytes, memory_of(leaf),
                    begin, count, out);
    }
}

void Runner::perform(const CastStep& step, index_t begin, index_t count) {
    const index_t misfit = step.cast(places_[step.in], places_[step.out], count);
    if (misfit < 0) return;
    const DType from = plan_.arrays[step.in].dtype;
    // The index in the tensor that was converted, which the root may see through a view.
    const index_t index = plan_.values[step.value].view.global_to_local(begin + misfit);
    throw_misfit(from, plan_.arrays[step.out].dtype, places_[step.in] + misfit * from.size_bytes(),
                 index);
}

void Runner::perform(const MapStep& step, index_t, index_t count) {
    boost::container::small_vector<const void*, 4> operands;
    for (const ArrayId array : step.in) operands.push_back(places_[array]);
    step.function->apply(count, places_[step.out], operands.data());
}

void Runner::perform(const FillStep& step, index_t, index_t count) {
    const DType dtype = plan_.arrays[step.out].dtype;
    if (dtype.is_builtin())
        return plan_.kernels.fill(static_cast<std::size_t>(dtype.size_bytes()), step.value,
                                  places_[step.out], count);
    for (index_t i = 0; i < count; ++i)
        dtype.descriptor().copy(step.value, places_[step.out] + i * dtype.size_bytes(), 1);
}

// --- tiles ---------------------------------------------------------------------------------------

void Runner::bind(const TileProgram& program, std::span<Instruction> code) {
    for (const Patch& patch : program.arrays)
        code[patch.instruction].operand = places_[patch.target];
    if (program.spill_slots > 0) {
        auto first = reinterpret_cast<std::uintptr_t>(spills_.data());
        first = (first + 63) / 64 * 64;
        for (const Patch& patch : program.spills)
            code[patch.instruction].operand =
                reinterpret_cast<void*>(first + patch.target * kMaxTileBytes);
    }
    if (program.accumulates) code.back().operand = accumulator_;
}

void Runner::perform(const TileStep& step, index_t, index_t count) {
    const TileProgram& program = step.program;
    const auto tile = static_cast<index_t>(plan_.kernels.tile_bytes / program.lane_bytes);
    const index_t tiles = count / tile;
    if (tiles > 0) {
        code_.assign(program.code.begin(), program.code.end());
        bind(program, std::span(code_.data(), code_.size()));
        plan_.kernels.run_tiles(code_.data(), &state_, 0, static_cast<std::size_t>(tiles));
    }
    if (tiles * tile < count)
        perform_partial_tile(step.tail ? *step.tail : program, tiles * tile, count - tiles * tile);
    if ((state_.flags & kDivisionByZero) != 0) [[unlikely]]
        throw ArithmeticError("integer division by zero");
}

// The last elements are padded, by repeats of the first of them, to a tile that lies elsewhere.
void Runner::perform_partial_tile(const TileProgram& program, index_t done, index_t count) {
    alignas(64) std::byte tiles[16][kMaxTileBytes];
    boost::container::small_vector<std::byte, 1> more;
    const std::size_t touched = program.touched.size();
    std::byte* first_tile = tiles[0];
    if (touched > std::size(tiles)) {
        more.resize((touched + 1) * kMaxTileBytes);
        first_tile = reinterpret_cast<std::byte*>(
            (reinterpret_cast<std::uintptr_t>(more.data()) + 63) / 64 * 64);
    }
    const std::size_t lanes = plan_.kernels.tile_bytes / program.lane_bytes;
    boost::container::small_vector<std::byte*, 16> saved;
    const std::size_t inputs = program.accumulates ? touched : touched - 1;
    for (std::size_t i = 0; i < touched; ++i) {
        const TileProgram::Touched& use = program.touched[i];
        std::byte*& place = places_[use.array];
        saved.push_back(place);
        if (use.repeated) continue;
        std::byte* const from = place + done * use.element_bytes;
        std::byte* const tile = first_tile + i * kMaxTileBytes;
        if (i < inputs) {
            std::memcpy(tile, from, static_cast<std::size_t>(count) * use.element_bytes);
            plan_.kernels.fill(use.element_bytes, tile, tile + count * use.element_bytes,
                               static_cast<index_t>(lanes) - count);
        }
        // Programs start at the offset of the partial tile, so that accumulations go on in their lanes.
        place = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(tile) -
                                             static_cast<std::uintptr_t>(done * use.element_bytes));
    }
    code_.assign(program.code.begin(), program.code.end());
    bind(program, std::span(code_.data(), code_.size()));
    state_.valid_lanes = static_cast<std::size_t>(count);
    plan_.kernels.run_tiles(code_.data(), &state_,
                            static_cast<std::size_t>(done) * program.lane_bytes, 1);
    for (std::size_t i = 0; i < touched; ++i) places_[program.touched[i].array] = saved[i];
    if (program.accumulates) return;
    const TileProgram::Touched& result = program.touched.back();
    std::memcpy(places_[result.array] + done * result.element_bytes,
                first_tile + inputs * kMaxTileBytes,
                static_cast<std::size_t>(count) * result.element_bytes);
}

} // namespace purview::engine
