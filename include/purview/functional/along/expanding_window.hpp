#pragma once

#include <purview/functional/along/rolling_window.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/cast.hpp>
#include <purview/tensor/accepting_arrays.hpp>

namespace purview {

/// The scan that computes a reduction over expanding windows; `void` where there is none.
template <typename Operation>
struct ScanOf {
    using type = void;
};
template <>
struct ScanOf<FoldOperation<SumFold>> {
    using type = ScanAlong<CumulativeSum>;
};
template <>
struct ScanOf<FoldOperation<ProductFold>> {
    using type = ScanAlong<CumulativeProduct>;
};
template <>
struct ScanOf<FoldOperation<MinFold>> {
    using type = ScanAlong<CumulativeMin>;
};
template <>
struct ScanOf<FoldOperation<MaxFold>> {
    using type = ScanAlong<CumulativeMax>;
};

template <typename Operation>
    requires(!std::is_void_v<typename ScanOf<Operation>::type>)
struct ScanOf<SkippingNan<Operation>> {
    using type = SkippingAlong<typename ScanOf<Operation>::type>;
};
template <typename Operation>
    requires(!std::is_void_v<typename ScanOf<Operation>::type>)
struct ScanOf<RefusingNan<Operation>> : ScanOf<Operation> {};

/// The means of each element and all before it in its lane, of float32 or float64.
PURVIEW_EXPORT Operand cumulative_means(const AxisParts& parts, DType dtype);
/// The same over the elements that are not NaN; NaN while there is none.
PURVIEW_EXPORT Operand cumulative_means_of_non_nan(const AxisParts& parts, DType dtype);

struct ExpandingWindowFunction {
    static constexpr const char* kName = "expanding_window";

    template <TensorLike X, typename Reducer>
        requires(!kDefersReductions<X> && !AxisLike<Reducer>)
    auto operator()(const X& x, const Reducer& reducer) const { return along(x, reducer, {}); }
    template <TensorLike X, typename Reducer, OneAxisLike A = AxisOrDim>
        requires(!kDefersReductions<X>)
    auto operator()(const X& x, const Reducer& reducer, const A& axis) const {
        return along(x, reducer, AxisOrDim(axis));
    }
    template <typename Reducer>
        requires(!AxisLike<Reducer> && !array_like<Reducer>)
    auto operator()(const Reducer& reducer) const { return make_stage(*this, reducer); }
    template <typename Reducer, OneAxisLike A = AxisOrDim>
        requires(!array_like<Reducer>)
    auto operator()(const Reducer& reducer, const A& axis) const {
        return make_stage(*this, reducer, axis);
    }

private:
    template <TensorLike X, typename Reducer>
    static auto along(const X& x, const Reducer& reducer, const ChosenAxis& axis) {
        using Given = typename ReducerOperation<Reducer>::type;
        using Operation = typename PolicyOf<Given>::Plain;
        using Scan = typename ScanOf<Given>::type;
        constexpr NanRule kRule = PolicyOf<Given>::kRule;
        if constexpr (kRule == NanRule::refuse) require_no_nan(kName, x);
        if constexpr (!std::is_void_v<Scan>) {
            return Scan{}(x, axis);
        } else if constexpr (std::same_as<Operation, MeanOperation> && kOnEngine<X, Operation>) {
            return along_axis<ReducedTo<Operation, X>>(kName, x, axis, [](const AxisParts& parts) {
                const DType dtype = parts.operand.dtype();
                const DType result = reduced_dtype<Operation>(kName, dtype);
                return kRule == NanRule::skip && dtype.is_floating()
                           ? cumulative_means_of_non_nan(parts, result)
                           : cumulative_means(parts, result);
            });
        } else {
            return by_function(kName, x, reducer, [&](const auto& typed) {
                using T = typename std::remove_cvref_t<decltype(typed)>::value_type;
                using R = LaneResult<Reducer, T>;
                return along_axis<R>(kName, typed, axis, [&](const AxisParts& parts) {
                    return by_prefixes<R, T>(parts, reducer);
                });
            });
        }
    }

    template <typename R, typename T, typename Reducer>
    static Operand by_prefixes(const AxisParts& parts, const Reducer& reducer) {
        MutableTensor<R> result = empty<R>(parts.operand.dims.max_shape());
        if (result.empty()) return result.operand();
        const Evaluation evaluation(parts.operand, Reads::within_one_operation);
        R* out = as_span(result).data();
        for (index_t group = 0; group < parts.groups; ++group) {
            MutableTensor<T> lane = empty<T>({parts.length});
            evaluation.read(group * parts.length, parts.length, as_span(lane).data());
            const Tensor<T> whole = lane;
            for (index_t i = 0; i < parts.length; ++i)
                *out++ = static_cast<R>(reducer(Tensor<T>(whole(range(0, i + 1)))));
        }
        return result.operand();
    }
};

/// `expanding_window(x, max)`, `expanding_window(x, f, axis)`, or a stage: a reduction of each
/// element and all before it, along an axis or a Dim (by default the last axis). `sum`, `product`,
/// `min` and `max` are the scans `cumsum` etc., and `mean` a quotient of scans: O(size). Other
/// reductions, and users' functions, get each leading part of a lane as a tensor: O(size · length).
/// Otherwise as `fixed_rolling_window`.
inline constexpr AcceptingArrays<ExpandingWindowFunction> expanding_window;

} // namespace purview
