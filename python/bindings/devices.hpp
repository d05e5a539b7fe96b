#pragma once

#include "array.hpp"

#include <purview/interop/dlpack.hpp>

#include <string>

namespace purview_python {

/// Whether the elements lie in a device's memory, or are computed of what does.
inline bool is_on_device(const Array& x) { return x.operand().node->reads(pv::Below::device); }
/// Where they lie: "cpu", "cuda:0", "opencl:1".
std::string device_name(const Array& x);
/// The name of a device that a function is given. Throws `TypeError` for what is no text.
std::string device_given(nb::handle device);
/// The same with its number: of "cuda" "cuda:0". Throws `DeviceError` that lists the devices for one that there is not.
std::string whole_device_name(nb::handle device);

/// The array where it is asked for: itself if it is there, else a copy, begun on the stream that a number of the array API's names. Throws
/// `DeviceError` that lists the devices for one that there is not.
Array on_device(const Array& x, nb::handle device, nb::handle stream);
/// The array itself, or a copy in the host's memory of one on a device.
Array on_host(const Array& x);
/// A list of indexes where the array lies that it selects from: there itself, or a copy.
Array indexes_for(const Array& x, const Array& indexes);
/// Throws `DeviceError` for an array on a device.
void refuse_device(const char* what, const Array& x);

/// What a producer of memory of CUDA is given as its stream: the one that this thread's work begins on.
nb::object stream_for_producer(int number);
/// Takes over memory of a device. What the producer has begun comes before what this thread's stream does, or is done.
Array array_of_device(pv::dlpack::ManagedTensorVersioned* managed);
Array array_of_device(pv::dlpack::ManagedTensor* managed);
/// An array on a device for a consumer, whose stream is a number of the array API's. Copied on the device where that is asked for, or needed:
/// also of what is read-only, if the consumer is to write. Throws `BufferError` where `copy` forbids that.
pv::dlpack::Export exported_there(const Array& x, nb::handle stream, nb::handle copy,
                                  bool is_writable = false);
/// The same for consumers that know no versions, hence no flags.
pv::dlpack::UnversionedExport unversioned_there(const Array& x, nb::handle stream, nb::handle copy);
/// The type and the number of its device, as DLPack has them.
nb::tuple dlpack_device(const Array& x);

void bind_devices(nb::module_& module);

} // namespace purview_python
