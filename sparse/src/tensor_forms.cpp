#include <purview/sparse/tensor_forms.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1 {

void require_zero_fill(const char* what, bool is_zero) {
    if (!is_zero)
        throw KindError(
            fmt::format("{}: what is not stored in this tensor is not zero, and a sparse matrix "
                        "has nothing to say it with",
                        what));
}

} // namespace purview
