#include "engine/run/runner.hpp"

#include <purview/dtype/cast.hpp>
#include <purview/dtype/element_access.hpp>
#include <purview/dtype/visit.hpp>

#include "engine/compile/tile_operations.hpp"
#include "engine/places/cache_sizes.hpp"
#include "engine/places/line_in_memory.hpp"
#include "engine/places/load.hpp"
#include "engine/places/words.hpp"

#include <cstring>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

std::byte* place_of(const Leaf& leaf, index_t address) {
    // Programs read through it; only destinations are written.
    return const_cast<std::byte*>(element_of(leaf, address));
}

/// Whether user functions, too, may read elements where they lie.
bool is_readable_in_place(MemoryView memory, DType dtype) {
    return memory && dtype != boolean && memory.stride_bytes == dtype.size_bytes() &&
           is_aligned(memory.data, dtype);
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

Runner::Runner(const Plan& plan, const Values& values)
    : plan_(plan), values_(values), tiles_(plan.kernels) {
    // Of whole tiles: the last one may be written beyond the elements.
    constexpr auto kTile = static_cast<index_t>(kMaxTileBytes);
    const index_t longest = std::min(plan.block, (plan.size + kTile - 1) / kTile * kTile);
    for (const DType dtype : plan.blocks)
        scratch_.push_back(std::make_unique<ElementBlock>(dtype, longest));
    places_.resize(plan.arrays.size(), nullptr);
    sources_.resize(plan.arrays.size());
    for (ArrayId id = 0; id < plan.arrays.size(); ++id) {
        if (plan.arrays[id].scratch) places_[id] = scratch_[plan.arrays[id].block]->at(0);
        find_source(id);
        if (plan.arrays[id].source == nullptr) continue;
        readers_.resize(plan.arrays.size());
        readers_[id] = plan.arrays[id].source->make_reader();
        for (ArrayId other = 0; other < id; ++other)
            if (readers_[other] != nullptr) readers_[id]->share_with(*readers_[other]);
    }
    coordinates_.resize(plan.space.rank(), 0);
    positions_.resize(plan.space.operands.size(), 0);
    if (plan.spill_slots > 0) spills_.resize((plan.spill_slots + 1) * kMaxTileBytes);
    if (plan.panel_rows > 0) panels_.resize(plan.arrays.size());
    for (ArrayId id = 0; id < plan.arrays.size(); ++id)
        if (plan.arrays[id].way == LoadWay::panel)
            panels_[id] = std::make_unique<ElementBlock>(plan.arrays[id].dtype,
                                                         plan.panel_rows * kPanelStride);
    find_interleaved();
    code_.resize(plan.instructions);
    for (const Step& step : plan.steps) {
        const auto* const tile = std::get_if<TileStep>(&step);
        if (tile == nullptr) continue;
        prepare(tile->program);
        if (tile->tail) prepare(*tile->tail);
    }
}

void Runner::run_into(index_t begin, index_t count, void* out) {
    const index_t size = plan_.dtype.size_bytes();
    run(
        begin, count, kNoLimit,
        [&](index_t at, index_t) { return static_cast<std::byte*>(out) + (at - begin) * size; },
        kNothingAfter);
}

void Runner::find_source(ArrayId id) {
    const Array& array = plan_.arrays[id];
    if (array.value == kNoValue || array.source) return;
    const Value& value = values_[array.value];
    const Leaf& leaf = *value.leaf();
    // Streams are of addresses from the leaf's first element on.
    const index_t first = array.stream ? 0 : value.view->base();
    if (leaf.memory()) sources_[id] = {place_of(leaf, first), leaf.memory().stride_bytes};
}

void Runner::find_interleaved() {
    interleaved_.for_each(
        [&](ArrayId id, std::byte*) { places_[id] = scratch_[plan_.arrays[id].block]->at(0); });
    moved_interleaved_ = false;
    InterleavedLeaves::List strided;
    if (plan_.by_rows && plan_.size >= kBlock)
        for (const Step& step : plan_.steps)
            if (const auto* const load = std::get_if<LoadStep>(&step);
                load != nullptr && load->to == load->from &&
                plan_.arrays[load->from].way == LoadWay::strided) {
                const Source& source = sources_[load->from];
                strided.push_back({load->from, source.first, source.stride_bytes});
            }
    interleaved_.find(plan_, std::move(strided));
    interleaved_.for_each([&](ArrayId id, std::byte* place) { places_[id] = place; });
}

/// Fills in what is the same for every block.
void Runner::prepare(const TileProgram& program) {
    tiles_.prepare(program, code_.data(),
                   [&](ValueId value) { return operand_of(*values_[value].constant()); });
    if (program.spill_slots == 0) return;
    const std::uintptr_t first = (reinterpret_cast<std::uintptr_t>(spills_.data()) + 63) / 64 * 64;
    for (const Patch& patch : program.spills)
        code_[program.first + patch.instruction].operand =
            reinterpret_cast<void*>(first + patch.target * kMaxTileBytes);
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
        const StridedOperand& operand = plan_.space.operands[k];
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
        if (array.way == LoadWay::panel) places_[i] = panels_[i]->at(panel_row_ * kPanelStride);
        if (array.scratch || (array.way != LoadWay::direct && array.way != LoadWay::repeated))
            continue;
        const index_t address = plan_.by_rows ? address_of(array.operand)
                                              : plan_.space.operands[array.operand].base + begin;
        places_[i] = sources_[i].first + address * sources_[i].stride_bytes;
    }
    for (const Step& step : plan_.steps)
        std::visit([&](const auto& action) { perform(action, begin, count); }, step);
}

/// Calls `f(id, first, stride_bytes)` for each array that is read by panels: the place of its next
/// element, and the bytes from one column to the next.
template <typename F>
void Runner::for_each_panel(F&& f) const {
    for (ArrayId id = 0; id < plan_.arrays.size(); ++id) {
        const Array& array = plan_.arrays[id];
        if (array.way != LoadWay::panel) continue;
        const Source& source = sources_[id];
        f(id, source.first + address_of(array.operand) * source.stride_bytes,
          inner_stride(array.operand) * source.stride_bytes);
    }
}

void Runner::load_panels(index_t rows, index_t columns) {
    for_each_panel([&](ArrayId id, const std::byte* first, index_t stride_bytes) {
        const index_t size = plan_.arrays[id].dtype.size_bytes();
        plan_.kernels.transpose_2d(static_cast<std::size_t>(size), first, stride_bytes,
                                   panels_[id]->at(0), kPanelStride * size, columns, rows, false);
    });
}

// Each line of a panel lies in a page of its own, where hardware does not prefetch.
void Runner::prefetch_panels(index_t rows, index_t columns) {
    for_each_panel([&](ArrayId id, const std::byte* line, index_t stride_bytes) {
        const index_t bytes = rows * plan_.arrays[id].dtype.size_bytes();
        for (index_t column = 0; column < columns; ++column, line += stride_bytes)
            for (index_t at = 0; at < bytes; at += 64) __builtin_prefetch(line + at, 0, 2);
    });
}

void Runner::perform(const LoadStep& step, index_t begin, index_t count) {
    const Array& array = plan_.arrays[step.from];
    std::byte* const out = places_[step.to];
    const auto bytes = static_cast<std::size_t>(array.dtype.size_bytes());
    const std::byte* const place = places_[step.from];
    switch (array.way) {
    case LoadWay::streamed: return load_stream(step, begin, count);
    case LoadWay::gathered:
        readers_[step.from]->read(begin, count, out,
                                  step.to == kResult && array.dtype != boolean &&
                                      plan_.size >= kStreamedBytes / array.dtype.size_bytes());
        break;
    case LoadWay::panel:
    case LoadWay::direct: std::memcpy(out, place, static_cast<std::size_t>(count) * bytes); break;
    case LoadWay::repeated: plan_.kernels.fill(bytes, place, out, count); break;
    case LoadWay::strided:
        if (interleaved_.holds(step.from))
            return interleaved_.load(plan_.kernels, step.from,
                                     address_of(array.operand) * sources_[step.from].stride_bytes,
                                     count);
        load_rows(array, sources_[step.from], begin, count, out);
        break;
    }
    if (array.dtype == boolean) normalise_bools(out, count);
}

// A block of a rotated or tiled axis is mostly contiguous in memory: then it is read where it lies.
void Runner::load_stream(const LoadStep& step, index_t begin, index_t count) {
    const Array& array = plan_.arrays[step.from];
    const Leaf& leaf = *values_[array.value].leaf();
    const Source& source = sources_[step.from];
    const MemoryView memory{source.first, source.stride_bytes};
    if (array.rows) {
        const auto bytes = static_cast<std::size_t>(array.dtype.size_bytes());
        gather_rows(plan_.kernels, *array.rows, 0, bytes, memory.stride_bytes, source.first, begin,
                    count, places_[step.to]);
        if (array.dtype == boolean) normalise_bools(places_[step.to], count);
        return;
    }
    if (step.to != kResult && is_readable_in_place(memory, array.dtype)) {
        const index_t first = array.stream->begin_of_run(begin, count);
        places_[step.to] =
            first >= 0 ? source.first + first * source.stride_bytes : scratch_[array.block]->at(0);
        if (first >= 0) return;
    }
    if (memory && array.dtype.is_builtin())
        return load_from_memory(leaf, memory, *array.stream, begin, count, places_[step.to]);
    load_elements(leaf, *array.stream, begin, count, places_[step.to]);
}

void Runner::load_rows(const Array& array, const Source& source, index_t begin, index_t count,
                       std::byte* out) {
    const auto bytes = static_cast<std::size_t>(array.dtype.size_bytes());
    if (plan_.by_rows) {
        plan_.kernels.load_strided(bytes,
                                   source.first + address_of(array.operand) * source.stride_bytes,
                                   inner_stride(array.operand) * source.stride_bytes, out, count);
    } else {
        gather_rows(plan_.kernels, plan_.space, array.operand, bytes, source.stride_bytes,
                    source.first, begin, count, out);
    }
}

void Runner::perform(const CastStep& step, index_t begin, index_t count) {
    const index_t misfit = step.cast(places_[step.in], places_[step.out], count);
    if (misfit < 0) return;
    const DType from = plan_.arrays[step.in].dtype;
    // The index in the tensor that was converted, which the root may see through a view.
    const index_t index = values_[step.value].view->global_to_local(begin + misfit);
    throw_misfit(from, plan_.arrays[step.out].dtype, places_[step.in] + misfit * from.size_bytes(),
                 index);
}

void Runner::perform(const MapStep& step, index_t, index_t count) {
    boost::container::small_vector<const void*, 4> operands;
    for (const ArrayId array : step.in) operands.push_back(places_[array]);
    values_[step.value].operation()->function()->apply(count, places_[step.out], operands.data());
}

void Runner::perform(const FillStep& step, index_t, index_t count) {
    const DType dtype = plan_.arrays[step.out].dtype;
    const void* const value = values_[step.value].constant()->value();
    if (is_of_words(dtype))
        return plan_.kernels.load_strided(static_cast<std::size_t>(dtype.size_bytes()), value, 0,
                                          places_[step.out], count);
    for (index_t i = 0; i < count; ++i)
        dtype.descriptor().copy(value, places_[step.out] + i * dtype.size_bytes(), 1);
}

} // namespace purview::engine
