#pragma once

#include <purview/evaluation/lanes.hpp>
#include <purview/functional/along/along.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/tensor/as_span.hpp>

#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// The name of the scan by a fold.
constexpr const char* scan_name(Reduction reduction) noexcept {
    switch (reduction) {
    case Reduction::sum: return "cumsum";
    case Reduction::product: return "cumprod";
    case Reduction::minimum: return "cummin";
    default: return "cummax";
    }
}

/// The scan of parts of a built-in type, in the type that the reduction gives. With `skip`, of
/// floats, over the elements that are not NaN: where no number has come yet, it is 0 for sums, 1 for
/// products, else NaN. Memory of the shape of the parts. Throws `DtypeError` naming `what`.
PURVIEW_EXPORT Operand scanned(const char* what, Reduction reduction, const AxisParts& parts,
                               NanRule nan);

/// The work that a scan is, and the lanes that it is done on, in the type `result`.
struct ScanWork {
    ScanWork(Reduction reduction, const AxisParts& parts, DType result);

    work::Scan scan;
    Operand lanes;
};

/// What a scan of elements of a built-in type would do. Throws `DtypeError` naming `what`.
PURVIEW_EXPORT std::string explain_scan(const char* what, Reduction reduction,
                                        const AxisParts& parts);

/// The scan of each part by a function of two elements.
template <typename T, typename Combine>
Operand scan_by(const AxisParts& parts, Combine combine) {
    MutableTensor<T> result = empty<T>(parts.operand.dims.max_shape());
    if (result.empty()) return result.operand();
    const Evaluation evaluation(parts.operand, Reads::within_one_operation);
    T* out = as_span(result).data();
    evaluation.read(0, result.size(), out);
    CarriedStates<std::optional<T>> carried(parts, std::nullopt);
    for (index_t group = 0; group < parts.groups; ++group, out += parts.length) {
        std::optional<T>& last = carried[group];
        if (last && parts.length > 0)
            out[0] = static_cast<T>(combine(std::as_const(*last), std::as_const(out[0])));
        for (index_t i = 1; i < parts.length; ++i)
            out[i] = static_cast<T>(combine(std::as_const(out[i - 1]), std::as_const(out[i])));
        if (parts.carried != nullptr) last = out[parts.length - 1];
    }
    return result.operand();
}

/// The scan by one of the folds of reductions.
template <typename Fold>
struct ScanAlong {
    static constexpr const char* kName = scan_name(Fold::kReduction);
    static constexpr bool kOfSymbols = Fold::kReduction == Reduction::sum;
    /// Floats of 16 bits would add up in 16 bits: `cast<float>` them first.
    template <typename T>
    static constexpr bool kIsDefinedFor =
        kIsNumberOrVoid<T> ||
        (!kIsFloat16<T> && std::invocable<const Fold&, std::add_lvalue_reference_t<const T>,
                                          std::add_lvalue_reference_t<const T>>);

    template <TensorLike X>
    static auto over(const X& x, const ChosenAxis& axis) {
        if constexpr (!TypedTensor<X>)
            return along_axis<void>(kName, x, axis, by_kernel<X>(axis.nan), Segments());
        else if constexpr (BuiltinType<typename X::value_type>)
            return along_axis<typename Fold::template Result<typename X::value_type>>(
                kName, x, axis, by_kernel<X>(axis.nan), Segments());
        else
            return along_axis<typename X::value_type>(
                kName, x, axis,
                [](const AxisParts& parts) {
                    return scan_by<typename X::value_type>(parts, Fold{});
                },
                Segments());
    }

private:
    template <typename X>
    static auto by_kernel(NanRule nan) {
        return [nan](const auto& given) { // of any type, as named/ defines summand_over_dims
            AxisParts parts = given;
            if constexpr (HasDims<X> && Fold::kReduction == Reduction::sum)
                parts.operand = summand_over_dims(given.operand);
            return scanned(kName, Fold::kReduction, parts, nan);
        };
    }
};

/// `cumsum(x)`, `cumsum(x, axis)`, or a stage: the sum of each element and all before it along an
/// axis or a Dim (by default the last axis). Memory of the shape of `x`, under its dims. Integers
/// accumulate in, and return, 64 bits (wrapping), over dims from the products on, as in `sum`; bools
/// are counted; floats keep their type, and a NaN makes all later sums NaN. With `skip_nan` as the last argument NaNs are left out, as in
/// NumPy's `nancumsum`; the sum of no numbers is 0. Floats are added in groups of eight (float32:
/// 16) as binary trees, or one by one if the axes after this one have 32 elements or more; the
/// result is the same on every machine. Elements of other types are added by `+`. Eager, of symbols traced. O(size).
/// Throws `IndexError`, `DimError`, and `DtypeError` for elements known at run time that are not of
/// a built-in type.
inline constexpr AlongFunction<ScanAlong<SumFold>> cumsum;
/// The product of each element and all before it, multiplied one by one; otherwise as `cumsum`.
inline constexpr AlongFunction<ScanAlong<ProductFold>> cumprod;
/// The minimum of each element and all before it, in the type of `x`: NaN from the first NaN on;
/// with `skip_nan`, NaN until there is a number. Elements of other types are compared by `<`.
/// Otherwise as `cumsum`.
inline constexpr AlongFunction<ScanAlong<MinFold>> cummin;
/// The maximum of each element and all before it; otherwise as `cummin`.
inline constexpr AlongFunction<ScanAlong<MaxFold>> cummax;

} // namespace purview
