#include "engine/sparse/repetition.hpp"

#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/graph.hpp>

#include "engine/places/compact_leaf.hpp"

#include <memory>
#include <utility>

namespace purview::inline v0_1::engine {

std::optional<Repetition> repetition_of(const Dimensions& view) {
    if (!view.is_strided() || !view.is_broadcast() || view.size() == 0) return std::nullopt;
    Shape extents;
    Shape strides;
    for (std::size_t a = 0; a < view.strides().size(); ++a) {
        if (view.strides()[a] == 0) continue;
        extents.push_back(view.max_shape()[a]);
        strides.push_back(view.strides()[a]);
    }
    const Dimensions packed = Dimensions::row_major(extents);
    Shape repeating;
    for (std::size_t a = 0, kept = 0; a < view.strides().size(); ++a)
        repeating.push_back(view.strides()[a] == 0 ? 0 : packed.strides()[kept++]);
    return Repetition{Dimensions::strided(extents, strides, view.base()),
                      Dimensions::strided(view.max_shape(), repeating)};
}

RepeatedOperand::RepeatedOperand(const Elementwise& operation, std::vector<Operand> others,
                                 std::size_t operand, const SparseSource& source)
    : dtype_(operation.dtype()), positions_(source.positions()), results_(dtype_, count()) {
    const index_t entries = count();
    if (entries == 0) return;
    const MemoryView values = source.pairs().values;
    const auto* const first =
        static_cast<const std::byte*>(values.data) + positions_.begin * values.stride_bytes;
    for (Operand& other : others)
        other.dims = Dimensions::strided(ShapeSpan(&entries, 1), Shape{0});
    others[operand] = compact_leaf(std::make_shared<CompactReader>(
        source.dtype(), entries, MemoryView{first, values.stride_bytes}));
    Evaluation({with_operands(operation, others), Dimensions::row_major(ShapeSpan(&entries, 1))})
        .read(0, entries, results_.data());
}

const void* RepeatedOperand::most_frequent() const {
    // The vote of Boyer and Moore (1981): a majority outlives all pairs of different results.
    const auto same = dtype_.descriptor().same;
    index_t candidate = 0;
    index_t votes = 0;
    for (index_t i = 0; i < count(); ++i) {
        if (votes == 0) candidate = i;
        votes += same(results_.at(i), results_.at(candidate)) ? 1 : -1;
    }
    return count() == 0 ? nullptr : results_.at(candidate);
}

std::vector<index_t> RepeatedOperand::differing(const void* fill) const {
    const auto same = dtype_.descriptor().same;
    std::vector<index_t> positions;
    for (index_t i = 0; i < count(); ++i)
        if (!same(results_.at(i), fill)) positions.push_back(positions_.begin + i);
    return positions;
}

} // namespace purview::engine
