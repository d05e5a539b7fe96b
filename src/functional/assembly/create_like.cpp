#include <purview/functional/assembly/create_like.hpp>

#include "dtype/stored_types.hpp"

#include <string>

namespace purview::inline v0_1 {

AnyTensor new_tensor(const char* what, DType dtype, ShapeSpan shape, bool zeroed) {
    const auto made = [&]<typename T>(std::type_identity<T>) {
        return AnyTensor(zeroed ? zeros<T>(shape) : empty<T>(shape));
    };
    if (dtype == kDType<std::string>) return made(std::type_identity<std::string>{});
    return visit_stored_dtype(dtype, what, made);
}

} // namespace purview
