// Arrays on devices, by purview::gpu where the module was built with it.

#include "devices.hpp"

#include "computing.hpp"
#include "copies.hpp"
#include "errors.hpp"
#include "text_caster.hpp"

#include <purview/base/errors.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/tensor/copy.hpp>

#ifdef PURVIEW_PYTHON_GPU
# include <purview/gpu.hpp>
#endif

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace purview_python {
namespace {

constexpr std::string_view kHost = "cpu";

} // namespace

std::string device_given(nb::handle device) {
    if (!nb::isinstance<nb::str>(device))
        throw nb::type_error(
            ("a device is a text, \"cpu\" or \"cuda:0\", not " + message_text(device)).c_str());
    return nb::cast<std::string>(device);
}

void refuse_device(const char* what, const Array& x) {
    if (!is_on_device(x)) return;
    throw pv::DeviceError(std::string(what) + ": the array lies on " + device_name(x) +
                          ", which this does not read: x.to_device(\"cpu\") is a copy here");
}

#ifdef PURVIEW_PYTHON_GPU

namespace gpu = pv::gpu;

namespace {

/// CUDA's default stream, in the array API as for the driver, which knows 2 as well, that of a thread.
constexpr std::uintptr_t kLegacyStream = 1;
constexpr int kCudaMemory = 2;
constexpr int kOpenClMemory = 4;

std::string name_of(const gpu::Device& device) {
    return std::string(device.backend()) + ':' + std::to_string(device.number());
}
gpu::Device device_below(const Array& x) {
    return *gpu::device_below(x.operand()); // throws where operands lie in several places
}

/// The stream that a number of the array API's means, of this thread for -1. Throws `ValueError` for those that mean none.
gpu::Stream stream_of(const gpu::Device& device, nb::handle number) {
    const std::string text = number.is_none() ? "None" : message_text(number);
    if (device.backend() != "cuda") {
        if (!number.is_none())
            throw nb::value_error(
                ("stream: " + name_of(device) + " has no streams of a number: None, not " + text)
                    .c_str());
        return {device, gpu::current_handle(device)};
    }
    if (number.is_none()) return {device, nullptr};
    if (!PyLong_Check(number.ptr()) || PyBool_Check(number.ptr()))
        throw nb::type_error(("stream: a number, or None, not " + text).c_str());
    std::intptr_t value = 0;
    if (!nb::try_cast(number, value) || value < -1 || value == 0)
        throw nb::value_error(
            ("stream: 1 is CUDA's default stream, 2 that of a thread, -1 asks for no waiting, others "
             "are addresses of streams: not " +
             text)
                .c_str());
    if (value == -1) return {device, gpu::current_handle(device)};
    const bool is_default = value == static_cast<std::intptr_t>(kLegacyStream);
    return {device, is_default ? nullptr : reinterpret_cast<void*>(value)};
}

/// A tensor for consumers that know no versions, hence no flags.
struct Unversioned {
    pv::dlpack::ManagedTensor managed{};
    pv::dlpack::Export kept;
};
pv::dlpack::UnversionedExport without_version(pv::dlpack::Export exported) {
    auto whole = std::make_unique<Unversioned>();
    whole->managed.dl_tensor = exported->dl_tensor;
    whole->managed.manager_ctx = whole.get();
    whole->managed.deleter = [](pv::dlpack::ManagedTensor* self) {
        delete static_cast<Unversioned*>(self->manager_ctx);
    };
    whole->kept = std::move(exported);
    return pv::dlpack::UnversionedExport(&whole.release()->managed);
}

} // namespace

std::string device_name(const Array& x) {
    return is_on_device(x) ? name_of(device_below(x)) : std::string(kHost);
}

std::string whole_device_name(nb::handle device) {
    const std::string name = device_given(device);
    return name == kHost ? name : name_of(gpu::device(name));
}

Array on_host(const Array& x) {
    if (!is_on_device(x)) return x;
    return computing(kStored, [&] { return gpu::to_host(x); });
}

Array indexes_for(const Array& x, const Array& indexes) {
    if (!is_on_device(x)) return on_host(indexes);
    if (is_on_device(indexes)) return indexes;
    return computing(kStored, [&] { return gpu::to_device(indexes, device_below(x)); });
}

Array on_device(const Array& x, nb::handle device, nb::handle stream) {
    const std::string name = device_given(device);
    const bool is_to_host = name == kHost;
    if (!is_on_device(x) && is_to_host) {
        if (!stream.is_none()) throw nb::value_error("to_device: the CPU has no streams");
        return x;
    }
    const gpu::Device target = is_to_host ? device_below(x) : gpu::device(name);
    if (!is_to_host && is_on_device(x) && target == device_below(x)) return x;
    std::optional<gpu::Stream> given;
    if (!stream.is_none()) given = stream_of(target, stream);
    return computing(kStored, [&]() -> Array {
        std::optional<gpu::OnStream> here;
        if (given) here.emplace(*given);
        return is_to_host ? gpu::to_host(x) : gpu::to_device(x, target);
    });
}

nb::object stream_for_producer(int number) {
    const gpu::Device device = gpu::device("cuda:" + std::to_string(number));
    const auto handle = reinterpret_cast<std::uintptr_t>(gpu::current_handle(device));
    return nb::int_(handle == 0 ? kLegacyStream : handle);
}

Array array_of_device(pv::dlpack::ManagedTensorVersioned* managed) {
    return gpu::from_dlpack(managed);
}
Array array_of_device(pv::dlpack::ManagedTensor* managed) { return gpu::from_dlpack(managed); }

pv::dlpack::Export exported_there(const Array& x, nb::handle stream, nb::handle copy,
                                  bool is_writable) {
    const bool is_there = pv::leaf_of(x.operand()) != nullptr && x.dimensions().is_strided() &&
                          !(is_writable && x.is_read_only());
    const bool is_asked_for = !copy.is_none() && nb::cast<bool>(copy);
    if (!copy.is_none() && !is_asked_for && !is_there)
        throw nb::buffer_error(
            "__dlpack__: the array is computed, or cannot be handed over as it is: copy=False "
            "cannot be had");
    const gpu::Device device = device_below(x);
    const gpu::Stream consumer = stream_of(device, stream);
    const bool waits = device.backend() != "cuda"; // OpenCL's consumers tell no stream
    const bool is_copied = is_asked_for || !is_there;
    pv::dlpack::Export exported = computing(kStored, [&] {
        return gpu::to_dlpack(is_copied ? pv::clone_tensor(x) : x, waits ? nullptr : &consumer);
    });
    if (is_copied) exported->flags |= pv::dlpack::kIsCopied;
    return exported;
}
pv::dlpack::UnversionedExport unversioned_there(const Array& x, nb::handle stream,
                                                nb::handle copy) {
    return without_version(exported_there(x, stream, copy, true));
}

nb::tuple dlpack_device(const Array& x) {
    if (!is_on_device(x)) return nb::make_tuple(1, 0);
    const gpu::Device device = device_below(x);
    return nb::make_tuple(device.backend() == "cuda" ? kCudaMemory : kOpenClMemory,
                          device.number());
}

#else

namespace {
[[noreturn]] void refuse_all(const char* what) {
    throw pv::DeviceError(std::string(what) + ": the module was built without purview::gpu");
}
} // namespace

std::string device_name(const Array&) { return std::string(kHost); }
std::string whole_device_name(nb::handle device) {
    const std::string name = device_given(device);
    if (name != kHost) refuse_all("to_device");
    return name;
}
Array on_host(const Array& x) { return x; }
Array indexes_for(const Array&, const Array& indexes) { return indexes; }
Array on_device(const Array& x, nb::handle device, nb::handle stream) {
    if (device_given(device) != kHost) refuse_all("to_device");
    if (!stream.is_none()) throw nb::value_error("to_device: the CPU has no streams");
    return x;
}
nb::object stream_for_producer(int) { refuse_all("from_dlpack"); }
Array array_of_device(pv::dlpack::ManagedTensorVersioned* managed) {
    pv::dlpack::Release()(managed);
    refuse_all("from_dlpack");
}
Array array_of_device(pv::dlpack::ManagedTensor* managed) {
    pv::dlpack::Release()(managed);
    refuse_all("from_dlpack");
}
pv::dlpack::Export exported_there(const Array&, nb::handle, nb::handle, bool) {
    refuse_all("__dlpack__");
}
pv::dlpack::UnversionedExport unversioned_there(const Array&, nb::handle, nb::handle) {
    refuse_all("__dlpack__");
}
nb::tuple dlpack_device(const Array&) { return nb::make_tuple(1, 0); }

#endif

void bind_devices(nb::module_& module) {
#ifdef PURVIEW_PYTHON_GPU
    module.attr("_has_gpu") = true;
#else
    module.attr("_has_gpu") = false;
#endif
    // Of each device its name, what its driver calls it, and its bytes.
    module.def("_devices", [] {
        nb::list result;
#ifdef PURVIEW_PYTHON_GPU
        for (const gpu::Device& each : gpu::devices())
            result.append(nb::make_tuple(name_of(each), each.name(), each.memory_bytes()));
#endif
        return result;
    });
    module.def("_device_name", &whole_device_name);
#ifdef PURVIEW_PYTHON_GPU
    // The bytes that arrays hold on a device.
    module.def("_bytes_used", [](nb::handle device) {
        return gpu::memory(gpu::device(device_given(device))).used;
    });
#endif
}

} // namespace purview_python
