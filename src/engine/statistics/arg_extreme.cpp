// Defines purview/evaluation/statistics.hpp.

#include <purview/dimensions/repeated_groups.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/evaluation/sparse_reduction.hpp>
#include <purview/evaluation/statistics.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/reader/range_reader.hpp>

#include "dtype/element_block.hpp"
#include "engine/boxes/chunked_parts.hpp"
#include "engine/places/memory_leaf.hpp"
#include "engine/realise/entered_operation.hpp"
#include "engine/reduce/reduced_source.hpp"
#include "engine/statistics/extreme_search.hpp"
#include "evaluation/other_backend.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Groups of at least this many elements that are contiguous in memory are searched one after the
/// other, each by an ExtremeSearch.
constexpr index_t kLongExtremeGroup = 512;

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

/// Whether elements equal the extreme of their group, or are NaN as it is.
Operand are_extreme(const Operand& x, const Operand& extreme) {
    Operand equal = elementwise<2>(Op::equal, boolean, {x, extreme});
    if (!x.dtype().is_floating()) return equal;
    Operand nan = elementwise<2>(Op::not_equal, boolean, {x, x});
    return elementwise<2>(Op::logical_or, boolean, {std::move(equal), std::move(nan)});
}

std::int64_t arg_of_all(const FoldKind& kind, const Operand& source) {
    ArrangedSource arranged;
    const bool reordered =
        arrange(source, source.dims.size(), arranged) && arranged.results.has_value();
    // The last one, if the extreme is not found again: another thread may write to memory that is
    // wrapped.
    std::int64_t first = source.dims.size() - 1;
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
    reduce(extreme_of, source, groups, extremes.data());

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
        reduce(Reduction::minimum,
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

void arg_of_groups(Reduction extreme, const Operand& source, index_t groups, std::int64_t* out) {
    const FoldKind& kind = fold_kind(extreme, source.dtype());
    if (groups == 1) {
        *out = arg_of_all(kind, source);
    } else if (choose_among_few(kind, source, groups, out)) {
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

/// An extreme element of a part, and its index in the whole.
struct FoundExtreme {
    FoldValue value;
    std::int64_t index;
};

/// Of an expression over arrays of chunks, cell by cell. Returns false, with nothing written, for
/// others.
bool arg_of_chunks(Extreme extreme, const Operand& source, index_t groups, std::int64_t* out) {
    ChunkedParts parts;
    if (!parts.find(source, groups)) return false;
    const Reduction reduction = extreme == Extreme::least ? Reduction::minimum : Reduction::maximum;
    const FoldKind& kind = fold_kind(reduction, source.dtype());
    const index_t size = kind.dtype.size_bytes();
    const ShapeSpan reduced = source.dims.max_shape().subspan(parts.kept().size());
    parts.run(
        "position of an extreme", sizeof(FoundExtreme),
        [&](const WalkedCell& cell, index_t count, void* results) {
            const RealisedOperand realised("position of an extreme", cell.operand);
            const index_t group = (*realised).dims.size() / count;
            ElementBlock values(kind.dtype, count);
            std::vector<std::int64_t> indexes(static_cast<std::size_t>(count));
            arg_of_groups(reduction, *realised, count, indexes.data());
            if (group >= kLongExtremeGroup) {
                RangeStore store(*realised);
                for (index_t g = 0; g < count; ++g)
                    store(g * group + indexes[static_cast<std::size_t>(g)], 1, values.at(g));
            } else {
                reduce(reduction, *realised, count, values.data());
            }
            auto* const found = static_cast<FoundExtreme*>(results);
            for (index_t i = 0; i < count; ++i) {
                std::memcpy(found[i].value.bytes, values.at(i), static_cast<std::size_t>(size));
                found[i].index =
                    index_in_group(cell, reduced, indexes[static_cast<std::size_t>(i)]);
            }
        },
        [&](void* into, const void* more, index_t count) {
            auto* const first = static_cast<FoundExtreme*>(into);
            const auto* const second = static_cast<const FoundExtreme*>(more);
            for (index_t i = 0; i < count; ++i) {
                const FoundExtreme& other = second[i];
                if (kind.is_better(first[i].value, other.value) ||
                    (other.index < first[i].index && !kind.is_better(other.value, first[i].value)))
                    first[i] = other;
            }
        },
        [&](const Box& kept, const void* results) {
            const auto* const found = static_cast<const FoundExtreme*>(results);
            std::vector<std::int64_t> indexes;
            for (index_t i = 0; i < kept.size(); ++i) indexes.push_back(found[i].index);
            place_results(kept, parts.kept(), sizeof(std::int64_t), indexes.data(), out);
        });
    return true;
}

/// The row-major index of each element of a source in its group: 0, 1 … in each.
Operand indexes_in_groups(const Operand& source, index_t groups) {
    const ShapeSpan shape = source.dims.max_shape();
    const index_t group = source.dims.size() / groups;
    Shape strides(shape.size(), 0);
    index_t size = 1;
    for (std::size_t axis = shape.size(); size < group; size *= shape[axis]) strides[--axis] = size;
    return {make_node<Leaf>(std::make_shared<RangeReader<std::int64_t>>(0, group, 1)),
            Dimensions::strided(shape, strides)};
}

/// As `compare_with_extremes`, where the source and the results lie.
void arg_elsewhere(Reduction extreme_of, const Operand& source, index_t groups,
                   const Destination& out) {
    const WatchedOperation watched("position of an extreme");
    const ShapeSpan shape = source.dims.max_shape();
    const Operand extremes = results_like(extreme_of == Reduction::minimum ? "argmin" : "argmax",
                                          source, source.dtype(), ShapeSpan(&groups, 1));
    reduce(extreme_of, source, groups, extremes);
    const Operand is_extreme =
        are_extreme(source, {extremes.node, dimensions::repeated_groups(shape, groups)});
    const Operand none = constant_operand(std::int64_t{source.dims.size() / groups - 1}, shape);
    reduce(Reduction::minimum,
           elementwise<3>(Op::choose, int64, {is_extreme, indexes_in_groups(source, groups), none}),
           groups, out);
}

void arg_in_memory(Extreme extreme, const Operand& given, index_t groups, std::int64_t* out) {
    if (ChunkedParts::may_find(given) && groups > 0 && given.dtype() != boolean) [[unlikely]]
        if (arg_of_chunks(extreme, given, groups, out)) return;
    const EnteredOperation entered("position of an extreme", given);
    const Operand& source = *entered;
    if (groups == 0) return;
    if (is_sparse(source))
        return arg_extreme_sparse(extreme, source, groups)->read_into(0, 1, groups, out);
    if (source.dtype() == boolean)
        return arg_in_memory(extreme, cast_operand(source, uint8, Op::cast), groups, out);
    arg_of_groups(extreme == Extreme::least ? Reduction::minimum : Reduction::maximum, source,
                  groups, out);
}

} // namespace

void arg_extreme(Extreme extreme, const Operand& source, index_t groups, const Destination& out) {
    if (lies_elsewhere(source) && groups > 0 && !is_sparse(source)) [[unlikely]]
        return arg_elsewhere(extreme == Extreme::least ? Reduction::minimum : Reduction::maximum,
                             source.dtype() == boolean ? cast_operand(source, uint8, Op::cast)
                                                       : source,
                             groups, out);
    compute_into(out, int64, groups, [&](void* indexes) {
        arg_in_memory(extreme, source, groups, static_cast<std::int64_t*>(indexes));
    });
}

} // namespace purview
