#pragma once

#include <purview/evaluation/destination.hpp>
#include <purview/functional/along/rolling_window.hpp>
#include <purview/functional/assembly/in_memory.hpp>

namespace purview::inline v0_1 {

/// Throws `ShapeError`: a result of `map_axis`'s function does not have rank 1, or not the length
/// of the first one.
[[noreturn]] PURVIEW_EXPORT void throw_wrong_lane(const char* what, ShapeSpan shape,
                                                  index_t length);

/// Lane `group` of the parts, as a view.
template <typename T>
Tensor<T> lane_of(const Operand& parts, index_t group) {
    return Tensor<T>(slice_operand(parts, parts.dims.rank() - 1, false, group));
}

/// The overloads of functions that apply a function to lanes: `f(function, x, axis)`,
/// `x | f(function, axis)`.
template <typename Over>
struct LaneFunction : RefusedAlong {
    using RefusedAlong::operator();

    template <typename F, lanes X>
        requires(!array_like<F> && Over::template kTakes<F, ElementOrVoid<X>>)
    auto operator()(const F& function, const X& x, const AxisOrDim& axis = -1) const {
        return over(function, tensor_for_call(x), axis);
    }
    template <lane_reducer F>
    auto operator()(const F& function, const AxisOrDim& axis = -1) const {
        return Stage([=]<lanes X>(const X& x) requires(Over::template kTakes<F, ElementOrVoid<X>>) {
            return over(function, tensor_for_call(x), axis);
        });
    }

private:
    template <typename F, TensorLike X>
    static auto over(const F& function, const X& x, const AxisOrDim& axis) {
        return by_function(Over::kName, x, function,
                           [&](const auto& typed) { return Over::over(function, typed, axis); });
    }
};

/// What a function makes of a lane of `T`; `void` if it does not take one.
template <typename F, typename T>
struct OfLane {
    using type = void;
};
template <typename F, typename T>
    requires std::invocable < const F&, const Tensor<T>
& > struct OfLane<F, T> {
    using type = std::remove_cvref_t<std::invoke_result_t<const F&, const Tensor<T>&>>;
};

struct ReduceAxisOver {
    static constexpr const char* kName = "reduce_axis";
    template <typename F, typename T>
    static constexpr bool kTakes = kReducesLanes<F, T> && !TypedTensor<typename OfLane<F, T>::type>;

    template <typename F, TypedTensor X>
    static auto over(const F& function, const X& x, const AxisOrDim& axis) {
        using T = typename X::value_type;
        using R = LaneResult<F, T>;
        const Axes axes{axis};
        const auto reduced = [&](const Operand& operand, ShapeSpan positions) {
            const ReducedView view = reduced_view(kName, operand, positions, false);
            MutableTensor<R> result = empty<R>(view.shape);
            R* out = as_span(result).data();
            for_each_group(kName, view, [&](const Operand& lanes, index_t at, index_t group) {
                out[group] = static_cast<R>(function(lane_of<T>(lanes, at)));
            });
            return brought_to(operand, result);
        };
        if constexpr (HasDims<X>) {
            auto reduction = dims_to_reduce(kName, dim_operand(x), &axes, false);
            const Operand result = reduced(reduction.operand, reduction.axes).operand();
            return ResultHandle<R, X>(std::move(reduction).result(result));
        } else {
            return reduced(x.operand(), axes.positional(kName));
        }
    }
};

struct MapAxisOver {
    static constexpr const char* kName = "map_axis";
    template <typename F, typename T>
    static constexpr bool kTakes = std::is_void_v<T> || TypedTensor<typename OfLane<F, T>::type>;

    template <typename F, TypedTensor X>
    static auto over(const F& function, const X& x, const AxisOrDim& axis) {
        using T = typename X::value_type;
        using Lane = typename OfLane<F, T>::type;
        using R = typename Lane::value_type;
        return along_axis<R>(kName, x, axis, [&](const AxisParts& parts) -> Operand {
            require_host_reads(kName, parts.operand);
            Shape shape = to_shape(parts.operand.dims.max_shape());
            MutableTensor<R> result;
            R* out = nullptr;
            for (index_t group = 0; group < parts.groups; ++group) {
                const Lane lane = function(lane_of<T>(parts.operand, group));
                const bool same =
                    lane.rank() == 1 && (lane.size() == shape.back() || (group == 0 && !axis.dim));
                if (!same) throw_wrong_lane(kName, lane.shape(), shape.back());
                if (group == 0) {
                    shape.back() = lane.size();
                    result = empty<R>(shape);
                    out = as_span(result).data();
                }
                read_all(lane.operand(), out + group * lane.size());
            }
            return parts.groups > 0 ? result.operand() : empty<R>(shape).operand();
        });
    }
};

/// `reduce_axis(f, x)`, `reduce_axis(f, x, axis)`, or a stage, `x | reduce_axis(f, axis)`: applies
/// a user's function to each lane along an axis or a Dim (by default the last axis). `f` takes a
/// lane, a view `Tensor<T>` of rank 1, and returns a number (or a value of any regular type). The
/// result has the shape of `x` without the axis, and is in memory.
///
/// Eager; `f` is called once per lane, in their order (of arrays in chunks slab by slab), on one thread. For a tensor whose type is
/// known at run time, `f` is instantiated for each type that it accepts. Throws `IndexError`,
/// `DimError`, `DtypeError`, and what `f` throws.
inline constexpr LaneFunction<ReduceAxisOver> reduce_axis;
/// `map_axis(f, x)`, `map_axis(f, x, axis)`, or a stage: applies a user's function that returns a
/// lane to each lane along an axis or a Dim (by default the last axis): a tensor of rank 1, which
/// may be lazy or of another type. All must have the same length, which becomes the size of the
/// axis in the result; along a Dim it must be the Dim's size. Otherwise as `reduce_axis`. Throws
/// `ShapeError` for lanes of another rank or length.
inline constexpr LaneFunction<MapAxisOver> map_axis;

} // namespace purview
