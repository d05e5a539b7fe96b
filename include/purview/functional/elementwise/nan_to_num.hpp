#pragma once

#include <purview/functional/elementwise/operands.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/stage.hpp>

#include <optional>

namespace purview {

/// What stands for numbers that are none.
struct NanToNumOptions {
    double nan = 0;
    std::optional<double>
        positive_infinity{}; ///< the greatest finite number of the type if nothing is said
    std::optional<double>
        negative_infinity{}; ///< the least finite number of the type if nothing is said
};

/// Of elements known at run time too. Throws `DtypeError`.
PURVIEW_EXPORT Operand finite_operand(const Operand& x, const NanToNumOptions& options);

/// `nan_to_num(x)`, `nan_to_num(x, {.nan = 1})`: NaN as 0 and infinities as the greatest and the least finite number of the type, or as
/// the options say: NumPy's. Integers stay. Of the type of `x`. Lazy. Or a stage. Throws `DtypeError`.
struct NanToNumFunction : PipelineStage {
    using Options = NanToNumOptions;

    template <TensorLike X>
    auto operator()(const X& x, const NanToNumOptions& options = {}) const {
        if constexpr (!TypedTensor<X>) {
            return AnyTensor(finite_operand(x.operand(), options));
        } else {
            using T = typename X::value_type;
            static_assert(BuiltinType<T>, "nan_to_num is defined for tensors of numbers");
            return result_of<ResultHandle<T, X>>(
                [&](const Operand& operand) { return finite_operand(operand, options); },
                operand_as<T>(x));
        }
    }
    auto operator()(const NanToNumOptions& options) const { return later(*this, options); }
};
inline constexpr AcceptingArrays<NanToNumFunction> nan_to_num;

} // namespace purview
