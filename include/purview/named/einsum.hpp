#pragma once

#include <purview/dtype/promote.hpp>
#include <purview/named/dim_tensor.hpp>

#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// The sum of products that `formula` describes, of type `result`, over the dims that the operands
/// have.
PURVIEW_EXPORT DimOperand einsum_operand(std::string_view formula, std::vector<DimOperand> operands,
                                         DType result);
/// The result type of a sum of products of elements of these types, as for `sum`. Throws
/// `DtypeError` where there is none.
PURVIEW_EXPORT DType einsum_dtype(const std::vector<DType>& dtypes);

/// The common type of several types; `void` where there is none.
template <typename P, typename... Rest>
struct CommonPromotion {
    using type = P;
};
template <typename P, typename Next, typename... Rest>
struct CommonPromotion<P, Next, Rest...> {
    static constexpr auto pick() {
        if constexpr (std::is_void_v<P>)
            return CommonPromotion<void>{};
        else
            return CommonPromotion<Promoted<P, Next>, Rest...>{};
    }
    using type = typename decltype(pick())::type;
};

/// `einsum("bqhf,bkhf->bhqk", q, k)`, as in NumPy. One letter per axis of each operand; letters
/// that the result does not name are summed over, and a letter that occurs twice in one operand
/// takes its diagonal. `...` stands for the remaining axes, which broadcast. Without `->`, the
/// result has the letters that occur once, in alphabetical order. Blanks are ignored. Another
/// notation for `A(i, k) * B(k, j) | sum(k) | order(i, j)`: bound dims of operands stay bound.
///
/// The result is in memory, row-major in the order in which the formula names its axes, and
/// computed by BLAS where possible; if nothing is summed, it is lazy, and of symbols traced. Types are as for `sum`:
/// integers and bool give 64 bits. Throws `FormatError` for an invalid formula; `DimError` for a
/// letter of the result that no operand has or that it has twice, and for sizes that differ;
/// `ShapeError` for a wrong number of axes; `DtypeError`.
template <TensorLike... X>
    requires(sizeof...(X) > 0)
auto einsum(std::string_view formula, const X&... x) {
    if constexpr (!(TypedTensor<X> && ...)) {
        const DType result = einsum_dtype({x.dtype()...});
        return AnyTensor(einsum_operand(formula, {bound_operand(x)...}, result).operand);
    } else {
        static_assert((BuiltinType<typename X::value_type> && ...),
                      "einsum: the elements are numbers");
        using P = typename CommonPromotion<typename X::value_type...>::type;
        static_assert(!std::is_void_v<P>,
                      "einsum: these element types have no common type (a signed integer with "
                      "uint64): cast one of them");
        using R = Accumulated<P>;
        DimOperand result = einsum_operand(formula, {bound_operand(x)...}, kDType<R>);
        using Result = ResultHandle<R, X...>;
        if constexpr (HasDims<Result>)
            return Result(std::move(result));
        else
            return Result(std::move(result.operand));
    }
}

} // namespace purview
