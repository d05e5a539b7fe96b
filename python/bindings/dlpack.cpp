// DLPack's capsules, in both directions.

#include "dlpack.hpp"

#include "computing.hpp"
#include "devices.hpp"
#include "interpreter_lock.hpp"

#include <purview/interop/dlpack.hpp>

#include <string_view>
#include <utility>

namespace purview_python {
namespace {

// DLPack's numbers of kinds of memory.
constexpr int kCpu = 1;
constexpr int kCuda = 2;
constexpr int kOpenCl = 4;

int number_in(nb::handle object) { return nb::cast<int>(nb::int_(object)); } // also of an enum

bool is_of_device(int type) { return type == kCuda || type == kOpenCl; }
/// Others have the device in another place.
bool is_of_this_version(const pv::dlpack::ManagedTensorVersioned& managed) {
    return managed.version.major == 1;
}
bool is_of_this_version(const pv::dlpack::ManagedTensor&) { return true; }

template <typename Managed>
Array take_over(nb::handle capsule, const char* name, const char* used) {
    auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), name));
    if (managed == nullptr) throw nb::python_error();
    PyCapsule_SetName(capsule.ptr(), used);
    // The producer's deleter may need the interpreter's lock: whoever drops the last array has it, or takes it there.
    return is_of_this_version(*managed) && is_of_device(managed->dl_tensor.device.type)
               ? array_of_device(managed)
               : pv::from_dlpack(managed);
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
    nb::dict keywords;
    if (has_attribute(object, "__dlpack_device__")) {
        const nb::object device = object.attr("__dlpack_device__")();
        if (number_in(device[0]) == kCuda) // what it has begun comes before what we begin
            keywords["stream"] = stream_for_producer(number_in(device[1]));
    }
    nb::object capsule;
    try {
        nb::dict more = nb::borrow<nb::dict>(keywords.attr("copy")());
        more["max_version"] = nb::make_tuple(1, 0);
        capsule = object.attr("__dlpack__")(**more);
    } catch (nb::python_error& error) {
        if (!error.matches(PyExc_TypeError)) throw;
        capsule = object.attr("__dlpack__")(**keywords);
    }
    if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned") != 0)
        return take_over<pv::dlpack::ManagedTensorVersioned>(capsule, "dltensor_versioned",
                                                             "used_dltensor_versioned");
    return take_over<pv::dlpack::ManagedTensor>(capsule, "dltensor", "used_dltensor");
}

nb::object to_dlpack(const Array& x, nb::handle stream, nb::handle max_version, nb::handle device,
                     nb::handle copy) {
    const bool is_versioned = !max_version.is_none() && number_in(max_version[0]) >= 1;
    if (is_on_device(x)) {
        const nb::tuple own = dlpack_device(x);
        const bool stays = device.is_none() || (number_in(device[0]) == number_in(own[0]) &&
                                                number_in(device[1]) == number_in(own[1]));
        if (stays && !is_versioned)
            return capsule_of(unversioned_there(x, stream, copy), "dltensor");
        if (stays) return capsule_of(exported_there(x, stream, copy), "dltensor_versioned");
    }
    if (!device.is_none() && number_in(device[0]) != kCpu)
        throw nb::buffer_error(("__dlpack__: the array lies on " + device_name(x) +
                                ": x.to_device(name) is a copy on another device")
                                   .c_str());
    const bool is_copied = is_on_device(x);
    const pv::Copy how = copy.is_none()         ? pv::Copy::if_needed
                         : nb::cast<bool>(copy) ? pv::Copy::always
                                                : pv::Copy::never;
    if (is_copied && how == pv::Copy::never) refuse_device("__dlpack__", x);
    const Array here = on_host(x);
    const pv::Copy rest = is_copied ? pv::Copy::never : how;
    if (!is_versioned)
        return capsule_of(computing(1, [&] { return pv::to_unversioned_dlpack(here, rest); }),
                          "dltensor");
    pv::dlpack::Export exported = computing(1, [&] { return pv::to_dlpack(here, rest); });
    if (is_copied) exported->flags |= pv::dlpack::kIsCopied;
    return capsule_of(std::move(exported), "dltensor_versioned");
}

} // namespace purview_python
