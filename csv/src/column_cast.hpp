#pragma once

#include <purview/tensor/any_tensor.hpp>
#include <purview/tensor/tensor.hpp>

#include <string>

namespace purview::csv {

/// Numbers of another built-in type.
struct ColumnCast {
    AnyTensor values;
    index_t misfit = -1;  ///< the first row whose number the type does not hold, if any
    std::string number{}; ///< which is this one

    /// "9007199254740993 does not fit float64 exactly".
    std::string refusal() const;
};

/// Numbers and bools as type `to`: exactly, but for floats as narrower floats, which are rounded. Floats are NaN where `missing` says so, if it is not null
/// and the numbers are no floats. Eager, O(rows).
ColumnCast cast_column(const AnyTensor& values, const Tensor<bool>* missing, DType to);

} // namespace purview::csv
