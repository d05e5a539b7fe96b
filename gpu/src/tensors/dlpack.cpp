#include <purview/gpu/dlpack.hpp>

#include "checks.hpp"
#include "device_reader.hpp"
#include "run.hpp"
#include "transfers.hpp"

#include "../memory/device_state.hpp"

#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/expression/leaf.hpp>

#include "interop/dlpack_types.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace purview::inline v0_1::gpu {
namespace {

constexpr std::int32_t kCudaMemory = 2;
constexpr std::int32_t kOpenClMemory = 4;

detail::DeviceState& device_of_dlpack(dlpack::Device given) {
    if (given.type != kCudaMemory && given.type != kOpenClMemory)
        throw DeviceError(fmt::format(
            "gpu::from_dlpack: the memory lies on a device of type {}, and not on one of CUDA "
            "(2) or OpenCL (4)",
            given.type));
    return device(fmt::format("{}:{}", given.type == kCudaMemory ? "cuda" : "opencl", given.id))
        .state();
}

/// What one stream has begun comes before what another one begins.
void let_wait(detail::DeviceState& device, detail::StreamHandle waits,
              detail::StreamHandle before) {
    if (waits == before) return;
    detail::Driver& driver = *device.driver;
    const detail::EventHandle event = driver.record(before);
    driver.wait(waits, event);
    driver.release_event(event);
}

/// The shape and strides of a tensor from elsewhere, in elements, checked.
Dimensions layout_of(const dlpack::Tensor& source) {
    if (source.ndim < 0 || source.ndim > kMaxRank)
        throw FormatError(
            fmt::format("gpu::from_dlpack: ndim is {}, not 0 to {}", source.ndim, kMaxRank));
    if (source.ndim > 0 && source.shape == nullptr)
        throw FormatError(
            fmt::format("gpu::from_dlpack: ndim is {}, and shape is null", source.ndim));
    const ShapeSpan shape(source.shape, static_cast<std::size_t>(source.ndim));
    if (source.strides == nullptr) return Dimensions::row_major(shape);
    return Dimensions::strided(shape, ShapeSpan(source.strides, shape.size()), 0);
}

template <typename M>
AnyTensor imported(M* managed, bool read_only, const Stream* producer) {
    // From here on the deleter runs once, whatever happens.
    const std::shared_ptr<M> owner(managed, dlpack::Release{});
    const dlpack::Tensor& source = managed->dl_tensor;
    detail::DeviceState& device = device_of_dlpack(source.device);
    const DType dtype = dlpack::dtype_of(source.dtype);
    const index_t size = dtype.size_bytes();
    const Dimensions layout = layout_of(source);
    const AddressRange range = layout.address_range();
    if (range.empty) { // nothing of it is used
        Operand none = detail::new_on_device("gpu::from_dlpack", device, dtype, layout.max_shape());
        return AnyTensor::writable(std::move(none));
    }
    // Elements from the lowest address on: OpenCL's memory has no addresses, but offsets.
    const auto offset = static_cast<index_t>(source.byte_offset);
    const auto data = reinterpret_cast<detail::Handle>(source.data);
    index_t first = 0;
    index_t beyond = 0;
    if (source.data == nullptr || offset < 0 ||
        __builtin_mul_overflow(range.lowest, size, &first) ||
        __builtin_add_overflow(first, offset, &first) ||
        __builtin_sub_overflow(range.highest, range.lowest, &beyond) ||
        __builtin_add_overflow(beyond, 1, &beyond) || __builtin_mul_overflow(beyond, size, &beyond))
        throw ShapeError(
            fmt::format("gpu::from_dlpack: shape {} has elements that cannot be addressed",
                        to_string(layout.max_shape())));
    const bool is_address = device.driver->dialect() == detail::Dialect::cuda;
    const detail::Handle handle = is_address ? data + static_cast<detail::Handle>(first) : data;
    if (is_address ? handle % static_cast<detail::Handle>(size) != 0
                   : first < 0 || first % size != 0)
        throw ShapeError(
            fmt::format("gpu::from_dlpack: elements of {} bytes at byte {} lie at no multiple of "
                        "their size: copy them first",
                        size, is_address ? static_cast<index_t>(handle) : first));
    const index_t base = is_address ? 0 : first / size;
    const detail::StreamPtr& stream = detail::current_stream(device);
    if (producer != nullptr) let_wait(device, stream->handle, producer->handle());
    auto buffer = std::make_shared<detail::Buffer>(
        device, handle, static_cast<std::size_t>(beyond + base * size), stream, owner);
    const bool writes = !read_only && layout.is_unique();
    Operand made = detail::operand_over_buffer("gpu::from_dlpack", std::move(buffer), dtype,
                                               base + range.highest - range.lowest + 1, writes);
    made.dims = Dimensions::strided(layout.max_shape(), layout.strides(), base - range.lowest);
    return writes ? AnyTensor::writable(std::move(made)) : AnyTensor(std::move(made));
}

struct DeviceExport {
    dlpack::ManagedTensorVersioned managed{};
    AnyTensor kept;
    std::vector<std::int64_t> shape_and_strides;
};

} // namespace

AnyTensor from_dlpack(dlpack::ManagedTensorVersioned* managed, const Stream* producer) {
    if (managed == nullptr) throw FormatError("gpu::from_dlpack: the managed tensor is null");
    if (managed->version.major != dlpack::kMajor) {
        const dlpack::Version version = managed->version;
        dlpack::Release()(managed);
        throw FormatError(fmt::format("gpu::from_dlpack: version {}.{} of DLPack, not {}.x",
                                      version.major, version.minor, dlpack::kMajor));
    }
    return imported(managed, (managed->flags & dlpack::kReadOnly) != 0, producer);
}
AnyTensor from_dlpack(dlpack::ManagedTensor* managed, const Stream* producer) {
    if (managed == nullptr) throw FormatError("gpu::from_dlpack: the managed tensor is null");
    return imported(managed, false, producer);
}

dlpack::Export to_dlpack(const AnyTensor& t, const Stream* consumer) {
    detail::DeviceState* const device = detail::device_below(t.operand());
    if (device == nullptr)
        throw DeviceError("gpu::to_dlpack: the tensor lies in the host's memory: use "
                          "purview::to_dlpack, or gpu::to_device first");
    const dlpack::DataType type = dlpack::code_of("gpu::to_dlpack", t.dtype());
    const Leaf* leaf = leaf_of(t.operand());
    const bool is_on_device = leaf != nullptr && t.operand().dims.is_strided();
    auto whole = std::make_unique<DeviceExport>();
    whole->kept = is_on_device ? t : AnyTensor::writable(detail::to_device(t.operand(), *device));
    const Operand& x = whole->kept.operand();
    detail::Buffer& buffer = *detail::buffer_of(leaf_of(x)->reader());
    detail::checks_of(*device).use(buffer);
    device->settle(false);
    {
        detail::DeviceTurn turn(
            *device); // this thread's stream comes after whatever uses the memory
        turn.use(buffer);
        if (consumer != nullptr) let_wait(*device, consumer->handle(), turn.stream());
    }
    if (consumer == nullptr) device->driver->synchronize(detail::current_stream(*device)->handle);

    const ShapeSpan shape = x.dims.max_shape();
    whole->shape_and_strides.assign(shape.begin(), shape.end());
    for (const index_t stride : x.dims.strides()) whole->shape_and_strides.push_back(stride);
    std::int64_t* const numbers = whole->shape_and_strides.data();
    const bool is_address = device->driver->dialect() == detail::Dialect::cuda;
    const auto offset = static_cast<std::uint64_t>(x.dims.base() * t.dtype().size_bytes());
    dlpack::ManagedTensorVersioned& managed = whole->managed;
    managed.dl_tensor = {reinterpret_cast<void*>(buffer.handle() + (is_address ? offset : 0)),
                         {is_address ? kCudaMemory : kOpenClMemory, device->number},
                         static_cast<std::int32_t>(shape.size()),
                         type,
                         numbers,
                         numbers + shape.size(),
                         is_address ? 0 : offset};
    managed.version = {dlpack::kMajor, dlpack::kMinor};
    managed.flags = (whole->kept.is_read_only() ? dlpack::kReadOnly : 0) |
                    (is_on_device ? 0 : dlpack::kIsCopied);
    managed.manager_ctx = whole.get();
    managed.deleter = [](dlpack::ManagedTensorVersioned* self) {
        delete static_cast<DeviceExport*>(self->manager_ctx);
    };
    return dlpack::Export(&whole.release()->managed);
}

} // namespace purview::gpu
