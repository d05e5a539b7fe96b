#include "engine/statistics/arg_extreme.hpp"

#include <purview/dimensions/repeated_groups.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/elementwise.hpp>

#include "dtype/element_block.hpp"
#include "engine/places/line_in_memory.hpp"
#include "engine/places/memory_leaf.hpp"
#include "engine/reduce/reduced_source.hpp"
#include "engine/run/range_fold.hpp"
#include "engine/statistics/extreme_search.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace purview::inline v0_1::engine {
namespace {

/// Groups of at most kFewInGroup elements are searched together, by one expression over all groups
/// (`choose_among_few`), which may consist of at most kMostValuesOfGroup values.
constexpr index_t kFewInGroup = 12;
constexpr index_t kMostValuesOfGroup = 128;

/// `choose_among_few` is used from kGroupsForPlan * n * n groups of n elements on: planning its
/// expression takes as long as searching so many.
constexpr index_t kGroupsForPlan = 16;

/// `compare_with_extremes` holds the indexes of a group in memory, for groups of up to this many
/// elements.
constexpr index_t kMostPositions = 65536;

std::int64_t arg_of_all(Reduction extreme_of, const Operand& source) {
    const FoldKind& kind = fold_kind(extreme_of, source.dtype());
    const index_t size = source.dims.size();
    if (size <= kChunkOfGroup) {
        if (const std::byte* const memory =
                line_in_memory(source, BoolBytes::rejected, Alignment::natural)) {
            FoldValue extreme;
            reduce_groups(extreme_of, source, 1, extreme.bytes);
            return std::min(first_equal(source.dtype(), memory, 0, size, extreme), size - 1);
        }
    }
    ArrangedSource arranged;
    const bool reordered = arrange(source, size, arranged) && arranged.results.has_value();
    // The last one, if the extreme is not found again: another thread may write to memory that is
    // wrapped.
    std::int64_t first = size - 1;
    if (!reordered) {
        ExtremeSearch(kind, source).run_all(false, [&](index_t at) {
            first = std::min(first, at);
        });
        return first;
    }
    // `arranged` is searched in the order of its memory: of all extreme elements, the one with the
    // least row-major index in `source` is the first.
    const Operand operand = arranged.source.operand();
    ExtremeSearch(kind, operand).run_all(true, [&](index_t at) {
        first = std::min(first, arranged.result_place(at));
    });
    return first;
}

/// Whether groups are searched one by one, not by `compare_with_extremes`: if they are long and
/// each is contiguous in memory (or not computed from strided memory), or too long for a list of
/// indexes.
bool by_groups(const Operand& source, index_t groups) {
    const index_t group = source.dims.size() / groups;
    if (group > kMostPositions) return true;
    if (group < kLongExtremeGroup) return false;
    ArrangedSource arranged;
    return !arrange(source, groups, arranged) || !arranged.source.axes.back().kept;
}

/// Reduces all groups together: to their extremes, then to the least index whose element equals the
/// extreme of its group, or is NaN.
void compare_with_extremes(Reduction extreme_of, const Operand& source, index_t groups,
                           std::int64_t* out) {
    const ShapeSpan shape = source.dims.max_shape();
    const index_t group = source.dims.size() / groups;
    const DType dtype = source.dtype();
    ElementBlock extremes(dtype, groups);
    reduce_groups(extreme_of, source, groups, extremes.data());

    const Operand extreme{memory_leaf(dtype, extremes.data(), groups),
                          dimensions::repeated_groups(shape, groups)};
    // Strides of `index`, which is the same in all groups: 0 along the kept axes, which come first.
    Shape along_group(shape.size(), 0);
    index_t size = 1;
    for (std::size_t axis = shape.size(); size < group; size *= shape[axis])
        along_group[--axis] = size;
    const Operand is_extreme = are_extreme(source, extreme);

    // Indexes as wide as the elements, so that both are compared on the same lanes.
    const auto choose = [&]<typename Index>(std::type_identity<Index>) {
        std::vector<Index> indexes(static_cast<std::size_t>(group));
        std::iota(indexes.begin(), indexes.end(), Index{0});
        const Operand index{memory_leaf(kDType<Index>, indexes.data(), group),
                            Dimensions::strided(shape, along_group)};
        const Operand none = constant_operand(static_cast<Index>(group - 1), shape);
        std::vector<Index> found(static_cast<std::size_t>(groups));
        reduce_groups(Reduction::minimum,
                      elementwise<3>(Op::choose, kDType<Index>, {is_extreme, index, none}), groups,
                      found.data());
        std::ranges::copy(found, out);
    };
    if (dtype.size_bytes() == 8)
        choose(std::type_identity<std::int64_t>{});
    else
        choose(std::type_identity<std::int32_t>{});
}

/// A number in an integer as wide as the elements of `dtype`, so that both are compared on the same
/// lanes.
Operand index_as_wide(DType dtype, index_t value, ShapeSpan shape) {
    switch (dtype.size_bytes()) {
    case 1: return constant_operand(static_cast<std::int8_t>(value), shape);
    case 2: return constant_operand(static_cast<std::int16_t>(value), shape);
    case 4: return constant_operand(static_cast<std::int32_t>(value), shape);
    default: return constant_operand(value, shape);
    }
}

/// Searches groups of a few elements by one expression with an operand for each element of a group,
/// so that many groups are computed side by side: the extreme, then the index of the first element
/// that equals it or is NaN. Returns false, with nothing written, where that would not pay.
bool choose_among_few(const FoldKind& kind, const Operand& source, index_t groups,
                      std::int64_t* out) {
    const ShapeSpan shape = source.dims.max_shape();
    const index_t group = source.dims.size() / groups;
    const std::size_t kept = kept_axes(shape, groups);
    if (group < 2 || group > kFewInGroup || !source.dims.is_strided() ||
        shape[kept - 1] < kShortestRow || groups < kGroupsForPlan * group * group)
        return false;
    const Values values(source);
    const bool streamed = std::ranges::any_of(values, &Value::is_streamed);
    if (streamed || checks_conversions(values) ||
        group * (std::ssize(values) + 5) > kMostValuesOfGroup)
        return false;

    const Shape kept_shape(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(kept));
    const ShapeSpan strides = source.dims.strides();
    const Shape kept_strides(strides.begin(), strides.begin() + static_cast<std::ptrdiff_t>(kept));
    const auto element = [&](index_t k) -> Operand {
        index_t base = source.dims.base();
        for (std::size_t axis = shape.size(); axis-- > kept; k /= shape[axis])
            base += k % shape[axis] * strides[axis];
        return {source.node, Dimensions::strided(kept_shape, kept_strides, base)};
    };
    const DType dtype = source.dtype();
    Operand extreme = element(0);
    for (index_t k = 1; k < group; ++k)
        extreme = elementwise<2>(kind.operation, dtype, {std::move(extreme), element(k)});
    const auto index = [&](index_t k) { return index_as_wide(dtype, k, kept_shape); };
    Operand found = index(group - 1);
    const DType index_dtype = found.dtype();
    for (index_t k = group - 1; k-- > 0;)
        found = elementwise<3>(Op::choose, index_dtype,
                               {are_extreme(element(k), extreme), index(k), std::move(found)});
    assign(cast_operand(found, int64, Op::cast), memory_operand(int64, out, kept_shape));
    return true;
}

} // namespace

Operand are_extreme(const Operand& x, const Operand& extreme) {
    Operand equal = elementwise<2>(Op::equal, boolean, {x, extreme});
    if (!x.dtype().is_floating()) return equal;
    Operand nan = elementwise<2>(Op::not_equal, boolean, {x, x});
    return elementwise<2>(Op::logical_or, boolean, {std::move(equal), std::move(nan)});
}

void arg_of_groups(Reduction extreme, const Operand& source, index_t groups, std::int64_t* out) {
    if (groups == 1) {
        *out = arg_of_all(extreme, source);
        return;
    }
    const FoldKind& kind = fold_kind(extreme, source.dtype());
    if (choose_among_few(kind, source, groups, out)) {
        return;
    } else if (by_groups(source, groups)) {
        const index_t group = source.dims.size() / groups;
        const int threads = ExtremeSearch(kind, source).threads();
        parallel_for(groups, 1, threads, [&](index_t begin, index_t end) {
            ExtremeSearch search(kind, source);
            for (index_t g = begin; g < end; ++g) {
                out[g] = group - 1;
                search.run(g * group, group, false,
                           [&](index_t at) { out[g] = std::min(out[g], at - g * group); });
            }
        });
    } else {
        compare_with_extremes(extreme, source, groups, out);
    }
}

} // namespace purview::engine
