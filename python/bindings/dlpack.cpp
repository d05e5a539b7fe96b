// DLPack's capsules, in both directions.

#include "dlpack.hpp"

#include "computing.hpp"

#include <purview/interop/dlpack.hpp>

#include <string_view>

namespace purview_python {
namespace {

template <typename Managed>
Array take_over(nb::handle capsule, const char* name, const char* used) {
    auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), name));
    if (managed == nullptr) throw nb::python_error();
    PyCapsule_SetName(capsule.ptr(), used);
    // The producer's deleter may need the interpreter's lock: whoever drops the last array has it, or takes it there.
    return pv::from_dlpack(managed);
}

template <typename Export>
nb::object capsule_of(Export exported, const char* name) {
    using Managed = typename Export::element_type;
    PyObject* const capsule = PyCapsule_New(exported.get(), name, [](PyObject* self) {
        const char* const now = PyCapsule_GetName(self);
        if (now == nullptr || std::string_view(now).starts_with("used_")) return;
        auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(self, now));
        if (managed != nullptr && managed->deleter != nullptr) managed->deleter(managed);
    });
    if (capsule == nullptr) throw nb::python_error();
    exported.release();
    return nb::steal(capsule);
}

} // namespace

Array array_of_dlpack(nb::handle object) {
    nb::object capsule;
    try {
        nb::dict keywords;
        keywords["max_version"] = nb::make_tuple(1, 0);
        capsule = object.attr("__dlpack__")(**keywords);
    } catch (nb::python_error& error) {
        if (!error.matches(PyExc_TypeError)) throw;
        capsule = object.attr("__dlpack__")();
    }
    if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned") != 0)
        return take_over<pv::dlpack::ManagedTensorVersioned>(capsule, "dltensor_versioned",
                                                             "used_dltensor_versioned");
    return take_over<pv::dlpack::ManagedTensor>(capsule, "dltensor", "used_dltensor");
}

nb::object to_dlpack(const Array& x, nb::handle, nb::handle max_version, nb::handle device,
                     nb::handle copy) {
    if (!device.is_none() && nb::cast<int>(device[0]) != 1)
        throw nb::buffer_error("the array is in the processor's memory, device (1, 0)");
    const pv::Copy how = copy.is_none()         ? pv::Copy::if_needed
                         : nb::cast<bool>(copy) ? pv::Copy::always
                                                : pv::Copy::never;
    if (!max_version.is_none() && nb::cast<int>(max_version[0]) >= 1)
        return capsule_of(computing(1, [&] { return pv::to_dlpack(x, how); }),
                          "dltensor_versioned");
    return capsule_of(computing(1, [&] { return pv::to_unversioned_dlpack(x, how); }), "dltensor");
}

} // namespace purview_python
