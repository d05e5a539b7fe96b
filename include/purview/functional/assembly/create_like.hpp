#pragma once

#include <purview/dtype/visit.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/functional/assembly/in_memory.hpp>
#include <purview/functional/elementwise/operands.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/stage.hpp>

#include <utility>

namespace purview::inline v0_1 {

/// New memory of a type known at run time: zeros, or, not `zeroed`, elements as `empty` makes them.
/// Throws `DtypeError` naming `what` for elements that are no numbers, strings or times.
PURVIEW_EXPORT AnyTensor new_tensor(const char* what, DType dtype, ShapeSpan shape, bool zeroed);

/// New memory with the shape and type of `x`, allocated by `make(type, shape)`, under the dims of
/// `x`, in the place where x lies.
template <TypedTensor X, typename Make>
auto create_like(const X& x, const Make& make) {
    using T = typename std::remove_cvref_t<X>::value_type;
    return in_shape_of<T>(x, [&](const Operand& operand) {
        return make(std::type_identity<T>{}, operand.dims.max_shape()).operand();
    });
}

/// `made` in the place where x lies.
inline AnyTensor beside(const AnyTensor& x, const AnyTensor& made) {
    return AnyTensor::writable(brought_to(x.operand(), made.operand()));
}

/// `empty_like(x)`, or a stage: new memory with the shape and type of `x`, row-major, uninitialised
/// for built-in types, else default-constructed. Under the dims of `x`. For another type use
/// `empty<R>(x.shape())`. Throws `DtypeError`.
struct EmptyLikeFunction : PipelineStage {
    template <TensorLike X>
    auto operator()(const X& x) const {
        if constexpr (!TypedTensor<X>)
            return beside(x, new_tensor("empty_like", x.dtype(), x.shape(), false));
        else
            return create_like(x, []<typename T>(std::type_identity<T>, const auto& shape) {
                return empty<T>(to_shape(shape));
            });
    }
};
inline constexpr EmptyLikeFunction empty_like;

/// `zeros_like(x)`, or a stage: new memory with the shape and type of `x`, filled with zeros.
/// Otherwise as `empty_like`.
struct ZerosLikeFunction : PipelineStage {
    template <TensorLike X>
    auto operator()(const X& x) const {
        if constexpr (!TypedTensor<X>)
            return beside(x, new_tensor("zeros_like", x.dtype(), x.shape(), true));
        else
            return create_like(x, []<typename T>(std::type_identity<T>, const auto& shape) {
                return zeros<T>(to_shape(shape));
            });
    }
};
inline constexpr ZerosLikeFunction zeros_like;

/// `full_like(x, value)`, or a stage: new memory with the shape and type of `x`, filled with a
/// value, which is converted to that type. Otherwise as `empty_like`. Throws `CastError` if the
/// value does not fit.
struct FullLikeFunction {
    template <TensorLike X, typename V>
        requires(!TensorLike<V>)
    auto operator()(const X& x, const V& value) const {
        if constexpr (!TypedTensor<X>)
            return beside(x, fill(new_tensor("full_like", x.dtype(), x.shape(), false),
                                  static_cast<Scalar<V>>(value)));
        else
            return create_like(x, [&]<typename T>(std::type_identity<T>, const auto& shape) {
                if constexpr (BuiltinType<T>)
                    return full<T>(to_shape(shape), checked_cast<T>(static_cast<Scalar<V>>(value)));
                else
                    return full<T>(to_shape(shape), static_cast<T>(static_cast<Scalar<V>>(value)));
            });
    }
    template <typename V>
        requires(!TensorLike<V>)
    auto operator()(const V& value) const { return make_stage(*this, Scalar<V>(value)); }
};
inline constexpr FullLikeFunction full_like;

/// `ones_like(x)`, or a stage: new memory with the shape and type of `x`, filled with ones.
/// Otherwise as `empty_like`.
struct OnesLikeFunction : PipelineStage {
    template <TensorLike X>
    auto operator()(const X& x) const {
        return full_like(x, 1);
    }
};
inline constexpr OnesLikeFunction ones_like;

} // namespace purview
