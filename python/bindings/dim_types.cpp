// The Python objects of dims, and which objects have dims.

#include "dim_types.hpp"

#include "dtypes.hpp"

#include <cstdint>
#include <new>
#include <unordered_map>

namespace purview_python {
namespace {

/// The Python objects of dims, by their ids, as long as they live. Never destroyed.
std::unordered_map<std::uint64_t, DimObject*>& living_dims() {
    static auto* const dims = new std::unordered_map<std::uint64_t, DimObject*>();
    return *dims;
}

} // namespace

DimObject::~DimObject() {
    const auto found = living_dims().find(id());
    if (found != living_dims().end() && found->second == this) living_dims().erase(found);
}

nb::object dim_object(const pv::Dim& dim) {
    DimObject*& living = living_dims()[dim.id()];
    // One that is being destroyed, and calls back, is not brought to life again.
    if (living != nullptr && Py_REFCNT(living->self) > 0) return nb::borrow(living->self);
    nb::object object = nb::inst_alloc(reinterpret_cast<PyObject*>(dim_type));
    living = new (nb::inst_ptr<DimObject>(object)) DimObject(dim, object.ptr());
    nb::inst_mark_ready(object);
    return object;
}

const pv::Dim* dim_in(nb::handle object) {
    return Py_TYPE(object.ptr()) == dim_type ? nb::inst_ptr<DimObject>(object) : nullptr;
}

pv::DType dtype_of(const pv::DimOperand& x) {
    return x.is_deferred() ? x.deferred->dtype() : x.operand.dtype();
}

pv::DType DimArray::dtype() const { return dtype_of(bound); }

bool has_dims(nb::handle object) {
    PyTypeObject* const type = Py_TYPE(object.ptr());
    return type == dim_array_type || type == dim_type || type == index_type;
}

} // namespace purview_python
