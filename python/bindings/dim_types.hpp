#pragma once

#include "array.hpp"
#include "dtypes.hpp"

#include <purview/named/dim_tensor.hpp>

namespace purview_python {

/// What Python calls `DimArray`: an array some of whose axes are bound to dims.
struct DimArray {
    pv::DimOperand bound;
    bool writable = false;
    nb::object base{}; ///< what was indexed, and by which key: `base[key] += x` ends in
    nb::object key{};  ///< `base[key] = base[key]`, which has nothing left to do

    pv::DType dtype() const;
};

/// What Python calls `Dim`. There is one object for each dim, while it lives.
struct DimObject : pv::Dim {
    explicit DimObject(const pv::Dim& dim, PyObject* object) : Dim(dim), self(object) {}
    DimObject(const DimObject&) = delete;
    ~DimObject();

    PyObject* self;
};

/// The classes, from when the module is made until the interpreter ends.
inline PyTypeObject* dim_type = nullptr;
inline PyTypeObject* index_type = nullptr;
inline PyTypeObject* dim_array_type = nullptr;
nb::object dim_object(const pv::Dim& dim);
/// The dim of an object; null if it is none.
const pv::Dim* dim_in(nb::handle object);
pv::DType dtype_of(const pv::DimOperand& x);
/// Whether an object is a Dim, an expression of dims, or an array with bound dims.
bool has_dims(nb::handle object);

} // namespace purview_python
