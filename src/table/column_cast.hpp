#pragma once

#include <purview/tensor/any_tensor.hpp>
#include <purview/tensor/tensor.hpp>

#include <string>

namespace purview::inline v0_1::table {

/// Numbers of another built-in type. Exported, because purview::csv uses it too.
struct PURVIEW_EXPORT ColumnCast {
    AnyTensor values;
    index_t misfit =
        -1; ///< the first number, in row-major order, that the type does not hold, if any
    std::string number{}; ///< which is this one

    /// "9007199254740993 does not fit float64 exactly".
    std::string refusal() const;
};

/// Numbers and bools as type `to`: exactly, but for floats as narrower floats, which are rounded. Floats are NaN where `missing`, of the first
/// axis, says so, if it is not null and the numbers are no floats. Eager, O(size).
PURVIEW_EXPORT ColumnCast cast_column(const AnyTensor& values, const Tensor<bool>* missing,
                                      DType to);

} // namespace purview::table
