#include "engine/realise/chunk_states.hpp"

#include "engine/realise/realised_operand.hpp"
#include "engine/ways/way.hpp"

#include <cstring>

namespace purview::inline v0_1::engine {

void fold_cells(const Reducer& reducer, const ChunkedParts& parts, const FoldedPart& part,
                FoundStates found) {
    const ShapeSpan kept = parts.kept();
    const ShapeSpan reduced = part.operand.dims.max_shape().subspan(kept.size());
    parts.run(
        reducer.name(), reducer.state_bytes(),
        [&](const WalkedCell& cell, index_t groups, void* states) {
            const RealisedOperand realised(reducer.name(), cell.operand);
            const auto place = [&](index_t group, index_t at) {
                return part.place(index_of_group(cell, kept, group),
                                  index_in_group(cell, reduced, at));
            };
            reducer.fold({*realised, groups, place}, static_cast<std::byte*>(states));
        },
        [&](void* into, const void* more, index_t count) {
            reducer.join(static_cast<std::byte*>(into), static_cast<const std::byte*>(more), count);
        },
        [&](const Box& box, const void* states) {
            found(box, kept, static_cast<const std::byte*>(states));
        });
    count_way(Way::chunks);
}

namespace {

Box whole_box(ShapeSpan shape) { return {Shape(shape.size(), 0), to_shape(shape)}; }

/// States of runs: of groups of more axes, each of which lies within one of those groups that are
/// wanted. They are joined in the order of their elements.
void fold_runs(const Reducer& reducer, std::size_t leading, const FoldedPart& part,
               FoundStates found) {
    const ShapeSpan shape = part.operand.dims.max_shape();
    index_t runs = 1;
    for (std::size_t axis = 0; axis < leading; ++axis) runs *= shape[axis];
    const index_t size = part.operand.dims.size() / runs;
    const index_t each = runs / part.groups; // of a group
    const index_t bytes = reducer.state_bytes();
    PartialBlock all(runs * bytes, reducer.name());
    ChunkedParts parts;
    parts.find(part.operand, runs);
    const auto place = [&](index_t run, index_t at) {
        return part.place(run / each, run % each * size + at);
    };
    const auto put = [&](const Box& box, ShapeSpan kept, const std::byte* states) {
        place_results(box, kept, bytes, states, all.memory.data());
    };
    fold_cells(reducer, parts, {part.operand, runs, place}, put);
    std::byte* const states = all.memory.at(0);
    for (index_t g = 0; g < part.groups; ++g) {
        std::byte* const first = states + g * each * bytes;
        for (index_t step = 1; step < each; step *= 2)
            for (index_t i = 0; i + step < each; i += 2 * step)
                reducer.join(first + i * bytes, first + (i + step) * bytes, 1);
        std::memmove(states + g * bytes, first, static_cast<std::size_t>(bytes));
    }
    const Shape kept{part.groups};
    found(whole_box(kept), kept, states);
}

} // namespace

bool fold_chunks(const Reducer& reducer, const FoldedPart& part, FoundStates found) {
    ChunkedParts parts;
    if (!ChunkedParts::may_find(part.operand) || !parts.find(part.operand, part.groups))
        return false;
    const std::size_t leading = reducer.keeps_order() ? parts.axes_before_runs() : 0;
    if (leading > parts.kept().size())
        fold_runs(reducer, leading, part, found);
    else
        fold_cells(reducer, parts, part, found);
    return true;
}

void finish_to(const Reducer& reducer, index_t elements, const Box& box, ShapeSpan kept,
               const std::byte* states, void* out) {
    // In their places: results may be strings, which are not copied as bytes.
    const index_t bytes = reducer.results_of(1) * reducer.result().size_bytes();
    for_rows(box, kept, [&](index_t from, index_t to, index_t count) {
        reducer.finish(states + from * reducer.state_bytes(), count, elements,
                       static_cast<std::byte*>(out) + to * bytes);
    });
}

} // namespace purview::engine
