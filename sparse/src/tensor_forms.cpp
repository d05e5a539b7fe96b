#include <purview/sparse/tensor_forms.hpp>

namespace purview {

void require_zero_fill(bool is_zero) {
    if (!is_zero)
        throw KindError(
            "csr: what is not stored in this tensor is not zero, and a compressed matrix "
            "has nothing to say it with");
}

} // namespace purview
