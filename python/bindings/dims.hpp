#pragma once

#include "array.hpp"

#include <purview/named/index_dims.hpp>

#include <vector>

namespace purview_python {

/// What Python calls `DimArray`: an array some of whose axes are bound to dims.
struct DimArray {
    pv::DimOperand bound;
    bool writable = false;
    nb::object base{}; ///< what was indexed, and by which key: `base[key] += x` ends in
    nb::object key{};  ///< `base[key] = base[key]`, which has nothing left to do

    pv::DType dtype() const {
        return bound.is_deferred() ? bound.deferred->dtype() : bound.operand.dtype();
    }
};

/// The Python object of a dim: always the same one while there is one.
nb::object dim_object(const pv::Dim& dim);
/// An operand of anything: with the dims that it has, or none. Throws `TypeError`.
pv::DimOperand bound_of(nb::handle object);
/// An array where no dims are bound, else a `DimArray`.
nb::object to_python(pv::DimOperand x, bool writable = false);
/// `x[key]` of an array with or without dims.
pv::DimOperand indexed(nb::handle x, nb::handle key);

/// `x.index(axes, value)`: a value in the place of dims or axes.
pv::DimOperand index_joined_by(nb::handle x, const pv::Axes& axes, nb::handle value);

void bind_dim_functions(nb::module_& module);

} // namespace purview_python
