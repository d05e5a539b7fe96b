#pragma once

#include <purview/tensor/array_like.hpp>
#include <purview/tensor/result_handle.hpp>

#include <type_traits>

namespace purview {

/// What a reduction of an `AnyTensor` over everything is: a tensor of rank 0 whose type is known at run time, which converts
/// to a number: `double m = mean(x)`. Throws `CastError` where its value does not fit, `DtypeError` for elements that are
/// no numbers.
class AnyScalar : public AnyTensor {
public:
    using AnyTensor::AnyTensor;
    AnyScalar(const AnyTensor& number) : AnyTensor(number) {}

    template <typename T>
        requires std::is_arithmetic_v<T>
    operator T() const {
        return static_cast<T>(as_tensor<Canonical<T>>(static_cast<const AnyTensor&>(*this)).item());
    }
};

/// A view of it need not have one element.
template <>
struct ViewHandleOf<AnyScalar> {
    using type = AnyTensor;
};

} // namespace purview
