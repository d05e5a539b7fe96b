// Defines purview/evaluation/statistics.hpp.

#include <purview/base/errors.hpp>
#include <purview/dimensions/flip.hpp>
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
#include "engine/places/line_in_memory.hpp"
#include "engine/places/memory_leaf.hpp"
#include "engine/reduce/reduced_source.hpp"
#include "engine/run/range_fold.hpp"
#include "engine/statistics/extreme_search.hpp"
#include "engine/threads/watch.hpp"
#include "evaluation/numbers_only.hpp"

#include <fmt/format.h>

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

/// An extreme element of a group, and its index in the whole; -1: of no element.
struct PlacedExtreme {
    FoldValue value;
    std::int64_t index;
};

class ExtremePlaces final : public ReducerOfStates<PlacedExtreme> {
public:
    ExtremePlaces(Extreme extreme, DType element, bool last, bool skips_nan)
        : ReducerOfStates(extreme == Extreme::least ? (last ? "argmin_last" : "argmin")
                                                    : (last ? "argmax_last" : "argmax"),
                          int64, true),
          extreme_(extreme == Extreme::least ? Reduction::minimum : Reduction::maximum),
          kind_(fold_kind(extreme_, element == boolean ? uint8 : element)),
          last_(last),
          skips_nan_(skips_nan && element.is_floating()) {}

    void clear(std::byte* states, index_t count) const override {
        std::ranges::fill(states_at(states, count), PlacedExtreme{{}, -1});
    }
    void fold(const FoldedPart& part, std::byte* states) const override {
        const Operand source = compared(part.operand);
        const index_t group = source.dims.size() / part.groups;
        std::vector<std::int64_t> indexes(static_cast<std::size_t>(part.groups));
        find(part.operand, part.groups, indexes.data());
        const index_t size = kind_.dtype.size_bytes();
        ElementBlock values(kind_.dtype, part.groups);
        if (group >= kLongExtremeGroup) {
            RangeStore store(source);
            for (index_t g = 0; g < part.groups; ++g)
                if (const std::int64_t index = indexes[static_cast<std::size_t>(g)]; index >= 0)
                    store(g * group + index, 1, values.at(g));
        } else {
            reduce_groups(extreme_, source, part.groups, values.data());
        }
        for (index_t g = 0; PlacedExtreme & state : states_at(states, part.groups)) {
            const std::int64_t index = indexes[static_cast<std::size_t>(g)];
            state.index = index < 0 ? index : part.place(g, index);
            std::memcpy(state.value.bytes, values.at(g++), static_cast<std::size_t>(size));
        }
    }
    void join(std::byte* left, const std::byte* right, index_t count) const override {
        for_both(left, right, count, [&](PlacedExtreme& a, const PlacedExtreme& b) {
            if (is_before(b, a)) a = b;
        });
    }
    void finish(const std::byte* states, index_t count, index_t, void* out) const override {
        auto* index = static_cast<std::int64_t*>(out);
        for (const PlacedExtreme& state : states_at(states, count)) *index++ = checked(state.index);
    }
    void run(const Operand& source, index_t groups, void* out) const override {
        const std::span indexes(static_cast<std::int64_t*>(out), static_cast<std::size_t>(groups));
        find(source, groups, indexes.data());
        if (skips_nan_) std::ranges::for_each(indexes, [&](index_t at) { checked(at); });
    }
    /// As `compare_with_extremes`, where the source and the results lie.
    bool run_elsewhere(const Operand& source, index_t groups,
                       const Destination& out) const override {
        const WatchedOperation watched(name());
        const ShapeSpan shape = source.dims.max_shape();
        const index_t group = source.dims.size() / groups;
        const Operand numbers = compared(source);
        const Operand extremes = results_like(name(), source, kind_.dtype, ShapeSpan(&groups, 1));
        reduce_groups(extreme_, numbers, groups, extremes);
        Operand is_extreme =
            are_extreme(numbers, {extremes.node, dimensions::repeated_groups(shape, groups)});
        if (skips_nan_)
            is_extreme =
                binary_operand(Op::logical_and, is_extreme, is_number(source), boolean, boolean);
        // The last index but where NaN is skipped, if another thread has changed the extreme.
        const std::int64_t none = skips_nan_ ? (last_ ? -1 : group) : (last_ ? 0 : group - 1);
        const auto find_to = [&](const Destination& found) {
            reduce_groups(last_ ? Reduction::maximum : Reduction::minimum,
                          elementwise<3>(Op::choose, int64,
                                         {is_extreme, indexes_in_groups(source, groups),
                                          constant_operand(none, shape)}),
                          groups, found);
        };
        if (!skips_nan_) {
            find_to(out);
            return true;
        }
        const Operand indexes = results_like(name(), source, int64, ShapeSpan(&groups, 1));
        find_to(indexes);
        bool all_found = false;
        reduce_groups(
            Reduction::all_of,
            binary_operand(Op::not_equal, indexes, constant_operand(none), int64, boolean), 1,
            &all_found);
        if (!all_found) checked(-1);
        reduce_groups(Reduction::minimum, indexes, groups, out); // each is folded to itself
        return true;
    }

private:
    /// The elements that are compared: numbers, of which those that are left out are the worst.
    Operand compared(const Operand& x) const {
        if (!skips_nan_) return elements_as(x, kind_.dtype);
        return numbers_only(x, extreme_);
    }

    /// Within each group; -1 where all is left out.
    void find(const Operand& source, index_t groups, std::int64_t* out) const {
        search(extreme_, compared(source), groups, out);
        if (!skips_nan_) return;
        // Where the extreme is what elements were replaced by, the first that was not is one.
        if (groups == 1 && is_number_at(source, *out)) return;
        const auto count = static_cast<std::size_t>(groups);
        ElementBlock extremes(kind_.dtype, groups);
        reduce_groups(extreme_, compared(source), groups, extremes.data());
        const auto is_worst = [&](index_t g) {
            FoldValue extreme = kind_.identity;
            std::memcpy(extreme.bytes, extremes.at(g),
                        static_cast<std::size_t>(kind_.dtype.size_bytes()));
            return !kind_.is_better(kind_.identity, extreme);
        };
        std::vector<std::int64_t> numbers;
        std::vector<std::uint8_t> any;
        for (index_t g = 0; g < groups; ++g) {
            if (!is_worst(g)) continue;
            if (numbers.empty()) {
                numbers.resize(count);
                any.resize(count);
                const Operand is = cast_operand(is_number(source), uint8, Op::cast);
                search(Reduction::maximum, is, groups, numbers.data());
                reduce_groups(Reduction::maximum, is, groups, any.data());
            }
            const auto at = static_cast<std::size_t>(g);
            out[g] = any[at] == 0 ? -1 : numbers[at];
        }
    }
    /// Whether an element is known not to be NaN: it lies in memory.
    static bool is_number_at(const Operand& source, std::int64_t at) {
        const std::byte* const memory =
            line_in_memory(source, BoolBytes::rejected, Alignment::natural);
        if (memory == nullptr) return false;
        if (source.dtype() == float32)
            return !std::isnan(reinterpret_cast<const float*>(memory)[at]);
        return !std::isnan(reinterpret_cast<const double*>(memory)[at]);
    }
    /// The first index in each group, or the last: in reverse order, it is the first. All axes are
    /// reversed then, and so is the order of groups.
    void search(Reduction extreme, const Operand& source, index_t groups, std::int64_t* out) const {
        if (!last_) return arg_of_groups(extreme, source, groups, out);
        const index_t group = source.dims.size() / groups;
        arg_of_groups(extreme, {source.node, dimensions::flip(source.dims)}, groups, out);
        std::reverse(out, out + groups);
        for (index_t g = 0; g < groups; ++g) out[g] = group - 1 - out[g];
    }
    bool is_before(const PlacedExtreme& x, const PlacedExtreme& than) const {
        if (x.index < 0) return false;
        if (than.index < 0 || kind_.is_better(than.value, x.value)) return true;
        return !kind_.is_better(x.value, than.value) &&
               (last_ ? x.index > than.index : x.index < than.index);
    }
    std::int64_t checked(std::int64_t index) const {
        if (index >= 0) return index;
        throw ShapeError(
            fmt::format("{}: all elements of a part are NaN, and NaN is skipped", name()));
    }

    Reduction extreme_;
    const FoldKind& kind_;
    bool last_;
    bool skips_nan_;
};

} // namespace

std::unique_ptr<const Reducer> extreme_places(Extreme extreme, DType element, bool last,
                                              bool skips_nan) {
    return std::make_unique<ExtremePlaces>(extreme, element, last, skips_nan);
}

void arg_extreme(Extreme extreme, const Operand& source, index_t groups, const Destination& out,
                 bool last) {
    if (is_sparse(source) && groups > 0)
        return compute_into(out, int64, groups, [&](void* indexes) {
            arg_extreme_sparse(extreme, source, groups, last)->read_into(0, 1, groups, indexes);
        });
    reduce_groups(ExtremePlaces(extreme, source.dtype(), last, false), source, groups, out);
}

} // namespace purview
