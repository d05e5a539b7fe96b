// Defines purview/evaluation/statistics.hpp.

#include <purview/base/errors.hpp>
#include <purview/dimensions/flip.hpp>
#include <purview/dimensions/repeated_groups.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/evaluation/sparse_reduction.hpp>
#include <purview/evaluation/statistics.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/reader/range_reader.hpp>

#include "dtype/element_block.hpp"
#include "engine/folds/fold_kind.hpp"
#include "engine/places/line_in_memory.hpp"
#include "engine/run/range_fold.hpp"
#include "engine/statistics/arg_extreme.hpp"
#include "engine/threads/watch.hpp"
#include "evaluation/numbers_only.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

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
