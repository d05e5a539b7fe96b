#pragma once

#include <purview/functional/elementwise/operands.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/stage.hpp>

#include <optional>

namespace purview {

/// The replacements for NaN and infinities.
struct NanToNumOptions {
    double nan = 0;
    std::optional<double>
        positive_infinity{}; ///< by default the greatest finite number of the type
    std::optional<double> negative_infinity{}; ///< by default the least finite number of the type
};

/// `nan_to_num` of an operand, also of a type known at run time. Throws `DtypeError`.
PURVIEW_EXPORT Operand finite_operand(const Operand& x, const NanToNumOptions& options);

/// `nan_to_num(x)`, `nan_to_num(x, {.nan = 1})`, or a stage: replaces NaN by 0 and infinities by
/// the greatest and the least finite number of the type, or as the options say, as in NumPy.
/// Integers stay. Of the type of `x`. Lazy. Throws `DtypeError`.
struct NanToNumFunction : PipelineStage {
    using Options = NanToNumOptions;
    static constexpr std::size_t kBeforeOptions = 1;

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
    auto operator()(const NanToNumOptions& options) const { return make_stage(*this, options); }
};
inline constexpr AcceptingArrays<NanToNumFunction> nan_to_num;

} // namespace purview
