#pragma once

#include <purview/tensor/array_like.hpp>
#include <purview/tensor/result_handle.hpp>

#include <type_traits>

namespace purview::inline v0_1 {

/// The reduction of an `AnyTensor` over all axes: a tensor of rank 0 whose type is known at run
/// time, which converts to a number: `double m = mean(x)`. The conversion throws `CastError` where
/// the value does not fit, `DtypeError` for elements that are not numbers.
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

/// A view of an `AnyScalar` may have more than one element, so it is an `AnyTensor`.
template <>
struct ViewHandleOf<AnyScalar> {
    using type = AnyTensor;
};

} // namespace purview
