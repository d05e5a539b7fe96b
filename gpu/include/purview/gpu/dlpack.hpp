#pragma once

#include <purview/gpu/stream.hpp>
#include <purview/interop/dlpack.hpp>

namespace purview::inline v0_1::gpu {

/// Takes over memory of a device, CUDA's (type 2) or OpenCL's (type 4), zero-copy: of PyTorch, CuPy, JAX. Its deleter is called exactly once,
/// after the last use of the memory, or before an error is thrown. What the producer has begun on `producer` comes before everything
/// here; without it the producer's work has to be done, or begun on the stream that is used here. It may write unless the producer
/// says read-only or elements share an address. O(rank). Throws `DeviceError` for memory elsewhere, and for a device that this
/// process does not have; `DtypeError`, `FormatError`, `ShapeError` as `purview::from_dlpack`, and `ShapeError` for elements that do not
/// lie at multiples of their size.
PURVIEW_GPU_EXPORT AnyTensor from_dlpack(dlpack::ManagedTensorVersioned* managed,
                                         const Stream* producer = nullptr);
PURVIEW_GPU_EXPORT AnyTensor from_dlpack(dlpack::ManagedTensor* managed,
                                         const Stream* producer = nullptr);

/// A tensor on a device for any consumer of DLPack, who calls its deleter: it co-owns the elements. Zero-copy where they lie a fixed number of
/// elements apart, else computed into new memory there; read-only where `t` is. What was begun with the memory comes before
/// what `consumer` begins later; without it this waits until it is done. Throws `DeviceError` for tensors of the host.
PURVIEW_GPU_EXPORT dlpack::Export to_dlpack(const AnyTensor& t, const Stream* consumer = nullptr);

} // namespace purview::gpu
