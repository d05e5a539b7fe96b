#include <purview/functional/assembly/create_like.hpp>

#include "expression/stored_leaf.hpp"

namespace purview::inline v0_1 {

AnyTensor new_tensor(const char* what, DType dtype, ShapeSpan shape, bool zeroed) {
    return AnyTensor::writable(
        new_stored_memory(what, dtype, Dimensions::row_major(shape), zeroed));
}

} // namespace purview
