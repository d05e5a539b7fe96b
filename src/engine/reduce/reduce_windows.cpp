#include "engine/reduce/reduce_windows.hpp"

#include "dtype/element_block.hpp"
#include "engine/compile/plan.hpp"
#include "engine/compile/tile_operations.hpp"
#include "engine/kernels/table/selection.hpp"
#include "engine/places/memory_leaf.hpp"
#include "engine/realise/assign_dense.hpp"
#include "engine/run/plan_threads.hpp"
#include "engine/run/range_fold.hpp"

#include <purview/expression/constant.hpp>
#include <purview/expression/elementwise.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// The fewest elements of a source for which `fold_last_axis` costs less than a fold of one group
/// after the other.
constexpr index_t kLeastFolded = 4096;

bool has_windows(const ReducedSource& source, const Values& values) {
    return std::ranges::any_of(values, [&](const Value& value) {
        return value.leaf() != nullptr && interleave(source.axes, value.view->strides());
    });
}

/// The address offset of each element of a window: over all reduced axes, or over those in front of
/// the axis `last`.
Shape offsets_of(const ReducedSource& source, std::size_t last = SIZE_MAX) {
    Shape offsets{0};
    for (std::size_t i = 0; i < source.axes.size() && i < last; ++i) {
        const ReducedAxis& axis = source.axes[i];
        if (axis.kept) continue;
        Shape all;
        for (const index_t offset : offsets)
            for (index_t k = 0; k < axis.extent; ++k) all.push_back(offset + k * axis.stride);
        offsets = std::move(all);
    }
    return offsets;
}

/// `first`, if there is one, and `view` with each of the offsets added to its base, folded in one
/// expression.
Operand folded(Op op, Operand first, const Operand& view, ShapeSpan offsets) {
    for (const index_t offset : offsets) {
        Operand shifted{view.node, Dimensions::strided(view.dims.max_shape(), view.dims.strides(),
                                                       view.dims.base() + offset)};
        first = first.node == nullptr
                    ? std::move(shifted)
                    : elementwise<2>(op, view.dtype(), {std::move(first), std::move(shifted)});
    }
    return first;
}

/// Whether a leaf has stride 0 along an axis. Sources without such a leaf are cheaper to fold one
/// group after the other, in the order of their memory.
bool has_repeats(const Values& values) {
    return std::ranges::any_of(values, [](const Value& value) {
        return value.leaf() != nullptr && std::ranges::count(value.view->strides(), 0) > 0;
    });
}

/// Whether the axes in front of the last one are walked by long rows: as they are, or, where rows
/// are short, along the axis outside of them (`has_scattered_rows`).
bool has_long_rows(const ReducedSource& source) {
    if (source.axes.size() < 2) return false;
    const std::size_t inner = source.axes.size() - 2;
    if (source.axes[inner].extent >= kLeastResults) return true;
    return inner > 0 && source.axes[inner].extent <= kLongestExchangedRow &&
           source.axes[inner - 1].extent >= kFewestExchangedRows;
}

/// Each of `sums` divided by `count`: multiplied by its reciprocal where that is exact.
Operand divided(Operand sums, index_t count) {
    const bool exact = std::has_single_bit(static_cast<std::uint64_t>(count));
    const auto number = static_cast<double>(count);
    const double factor = exact ? 1 / number : number;
    const DType dtype = sums.dtype();
    const ShapeSpan shape = sums.dims.max_shape();
    Operand all = dtype == float32 ? constant_operand(static_cast<float>(factor), shape)
                                   : constant_operand(factor, shape);
    return elementwise<2>(exact ? Op::multiply : Op::divide, dtype,
                          {std::move(sums), std::move(all)});
}

/// Whether the last axes are those of `has_line_windows`.
bool is_along_lines(const FoldKind& kind, const ReducedSource& source) {
    const std::size_t last = source.axes.size() - 1;
    if (last < 2 || (kind.op != TileOp::minimum && kind.op != TileOp::maximum) ||
        (kind.dtype != float32 && kind.dtype != float64))
        return false;
    const ReducedAxis& along = source.axes[last - 1];
    const ReducedAxis& window = source.axes[last];
    return along.kept && !window.kept && along.stride == 2 * window.stride && window.extent >= 3 &&
           window.extent <= kMostOfAlternateWindow && along.extent >= kLeastResults;
}

} // namespace

std::optional<Windows> find_windows(const ReducedSource& source) {
    const index_t results = source.groups();
    const index_t elements = source.size() / std::max<index_t>(results, 1);
    if (elements < 2 || elements > kMostInWindow || results < kLeastResults) return {};
    const Operand whole = source.operand();
    const Values values(whole);
    if (!has_windows(source, values)) return {};
    return Windows{elements, std::max<index_t>(kMostShiftedViews / (std::ssize(values) + 1), 2)};
}

void fold_windows(const Windows& windows, Op op, const ReducedSource& source, bool averages,
                  void* out) {
    ReducedSource kept{source.node, source.base, {}};
    std::ranges::copy_if(source.axes, std::back_inserter(kept.axes), &ReducedAxis::kept);
    const Operand view = kept.operand();
    const DType dtype = source.node->dtype();
    const Operand destination{memory_leaf(dtype, out, source.groups()),
                              Dimensions::row_major(view.dims.max_shape())};
    const Shape offsets = offsets_of(source);
    const auto together = static_cast<std::size_t>(windows.together);
    Operand before;
    for (std::size_t at = 0; at < offsets.size(); before = destination) {
        const std::size_t count =
            std::min(offsets.size() - at, before.node == nullptr ? together : together - 1);
        Operand all = folded(op, before, view, ShapeSpan(offsets).subspan(at, count));
        at += count;
        if (averages && at == offsets.size()) all = divided(std::move(all), windows.elements);
        assign_dense(all, destination);
    }
}

bool has_line_windows(const FoldKind& kind, const ReducedSource& source) {
    if (!is_along_lines(kind, source)) return false;
    const index_t lines = source.elements_before(source.axes.size() - 1);
    if (lines < 2 || lines > kMostFolded) return false;
    const Operand whole = source.operand();
    const Values values(whole);
    return lines * (std::ssize(values) + 1) <= kMostShiftedViews && !checks_conversions(values);
}

void fold_line_windows(const FoldKind& kind, const ReducedSource& source, std::byte* out) {
    constexpr index_t kPiece = 512; // windows
    const std::size_t last = source.axes.size() - 1;
    const ReducedAxis& along = source.axes[last - 1];
    const ReducedAxis& window = source.axes[last];
    ReducedSource line{source.node, source.base, {}};
    std::ranges::copy_if(source.axes, std::back_inserter(line.axes), &ReducedAxis::kept);
    const index_t width = 2 * (along.extent - 1) + window.extent;
    line.axes.back() = {width, window.stride, true, false};
    const Operand folds = folded(kind.operation, {}, line.operand(), offsets_of(source, last));
    const index_t rows = folds.dims.size() / width;
    const index_t bytes = kind.dtype.size_bytes();
    const int threads = threads_for(RangeStore(folds).plan(), folds.dims.size());
    parallel_for(rows, 1, threads, [&](index_t begin, index_t end) {
        RangeStore fold(folds);
        ElementBlock piece(kind.dtype, std::min(2 * kPiece + window.extent, width));
        for (index_t row = begin; row < end; ++row)
            for (index_t at = 0; at < along.extent; at += kPiece) {
                const index_t count = std::min(kPiece, along.extent - at);
                fold(row * width + 2 * at, 2 * (count - 1) + window.extent, piece.data());
                kernels().fold_alternate_windows(kind.op, static_cast<std::size_t>(bytes),
                                                 piece.data(), count, window.extent,
                                                 out + (row * along.extent + at) * bytes);
            }
    });
}

bool fold_outer_axes(Op op, ReducedSource& source) {
    std::size_t last = source.axes.size();
    while (last > 0 && source.axes[last - 1].kept) --last;
    if (last-- == 0) return false;
    const index_t elements = source.elements_before(last);
    if (elements < 2 || elements > kMostFolded) return false;
    const Operand whole = source.operand();
    if (elements * (std::ssize(Values(whole)) + 1) > kMostShiftedViews) return false;

    ReducedSource left{source.node, source.base, {}};
    for (std::size_t i = 0; i < source.axes.size(); ++i)
        if (source.axes[i].kept || i == last) left.axes.push_back(source.axes[i]);
    const Operand view = left.operand();
    left.node = folded(op, {}, view, offsets_of(source, last)).node;
    left.base = 0;
    index_t stride = left.size();
    for (ReducedAxis& axis : left.axes) axis.stride = stride /= axis.extent;
    ArrangedSource arranged;
    if (!arrange(left.kept_first(), source.groups(), arranged) || arranged.results) return false;
    source = std::move(arranged.source);
    return true;
}

bool has_short_last_axis(const ReducedSource& source) {
    const index_t elements = source.axes.back().extent;
    if (elements < 2 || elements > kMostFolded || source.node->dtype() == boolean ||
        source.size() < kLeastFolded || !has_long_rows(source))
        return false;
    const Operand whole = source.operand();
    const Values values(whole);
    return has_repeats(values) && elements * (std::ssize(values) + 1) <= kMostShiftedViews &&
           !checks_conversions(values);
}

void fold_last_axis(Op op, const ReducedSource& source, void* out) {
    ReducedSource kept = source;
    kept.axes.pop_back();
    const Operand view = kept.operand();
    assign_dense(folded(op, {}, view, offsets_of(source)),
                 {memory_leaf(source.node->dtype(), out, source.groups()),
                  Dimensions::row_major(view.dims.max_shape())});
}

} // namespace purview::engine
