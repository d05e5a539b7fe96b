#include <purview/interop/dlpack.hpp>

#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/tensor/copy.hpp>

#include "dtype/stored_types.hpp"
#include "interop/described_operand.hpp"
#include "interop/dlpack_types.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace {

constexpr std::int32_t kCpu = 1;
using dlpack::kMajor;
using dlpack::kMinor;

struct NamedDevice {
    std::int32_t type;
    const char* name;
    bool is_host; ///< the processor reads its memory
};
constexpr std::array kDevices{
    NamedDevice{kCpu, "CPU", true},        NamedDevice{2, "CUDA", false},
    NamedDevice{3, "CUDA host", true},     NamedDevice{4, "OpenCL", false},
    NamedDevice{7, "Vulkan", false},       NamedDevice{8, "Metal", false},
    NamedDevice{9, "VPI", false},          NamedDevice{10, "ROCm", false},
    NamedDevice{11, "ROCm host", true},    NamedDevice{12, "external", false},
    NamedDevice{13, "CUDA managed", true}, NamedDevice{14, "oneAPI", false},
    NamedDevice{15, "WebGPU", false},      NamedDevice{16, "Hexagon", false},
    NamedDevice{17, "MAIA", false},
};

void require_host(dlpack::Device device) {
    const char* name = "unknown";
    for (const NamedDevice& known : kDevices) {
        if (known.type != device.type) continue;
        if (known.is_host) return;
        name = known.name;
    }
    throw DeviceError(fmt::format("from_dlpack: the memory lies on device {}:{} (type {}), which "
                                  "the processor cannot read: copy it to the host first",
                                  name, device.id, device.type));
}

MemoryDescriptor described(const dlpack::Tensor& source, bool read_only) {
    require_host(source.device);
    if (source.ndim < 0 || source.ndim > kMaxRank)
        throw FormatError(
            fmt::format("from_dlpack: ndim is {}, not 0 to {}", source.ndim, kMaxRank));
    if (source.ndim > 0 && source.shape == nullptr)
        throw FormatError(fmt::format("from_dlpack: ndim is {}, and shape is null", source.ndim));
    MemoryDescriptor memory{.dtype = dlpack::dtype_of(source.dtype), .shape = {}, .strides = {}};
    memory.read_only = read_only;
    const ShapeSpan shape(source.shape, static_cast<std::size_t>(source.ndim));
    memory.shape = to_shape(shape);
    memory.strides = source.strides == nullptr ? row_major_strides(shape)
                                               : to_shape(ShapeSpan(source.strides, shape.size()));
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (index_t& stride = memory.strides[axis];
            __builtin_mul_overflow(stride, memory.dtype.size_bytes(), &stride) && shape[axis] > 1)
            throw ShapeError(fmt::format("from_dlpack: shape {} has strides that cannot be "
                                         "addressed",
                                         to_string(shape)));
    const auto address = reinterpret_cast<std::uintptr_t>(source.data);
    if (source.data == nullptr && source.byte_offset != 0)
        throw FormatError(
            fmt::format("from_dlpack: data is null, and byte_offset is {}", source.byte_offset));
    if (source.byte_offset > UINTPTR_MAX - address)
        throw FormatError(fmt::format("from_dlpack: byte_offset {} leaves the address space",
                                      source.byte_offset));
    memory.pointer = reinterpret_cast<void*>(address + source.byte_offset);
    return memory;
}

template <typename M>
AnyTensor import(M* managed, bool read_only) {
    // From here on the deleter runs once, whatever happens: also if making the owner throws.
    const std::shared_ptr<M> owner(managed, dlpack::Release{});
    return AnyTensor::writable(
        described_operand("from_dlpack", described(managed->dl_tensor, read_only), owner));
}

/// An exported tensor with all that its pointers refer to.
template <typename M>
struct Exported {
    M managed{};
    AnyTensor kept;
    std::vector<std::int64_t> shape_and_strides;
};

/// The tensor to export: `t`, or a copy of it.
AnyTensor exportable(const char* what, const AnyTensor& t, Copy copy, bool needs_writable) {
    const auto copied = [&] { return clone_tensor(t); };
    if (copy == Copy::always) return copied();
    const Leaf* const leaf = leaf_of(t.operand());
    const bool in_memory = leaf != nullptr && t.operand().dims.is_strided() && leaf->memory();
    if (copy == Copy::if_needed) {
        bool is_addressed = in_memory && !(needs_writable && t.is_read_only());
        for (const index_t stride : is_addressed ? t.operand().dims.strides() : ShapeSpan())
            is_addressed &= stride * leaf->memory().stride_bytes % t.dtype().size_bytes() == 0;
        return is_addressed ? t : copied();
    }
    const MemoryDescriptor memory = describe_as(what, t); // throws unless it lies in memory
    if (memory.byte_order != std::endian::native)
        throw ShapeError(fmt::format("{}: the elements are in the other byte order", what));
    if (needs_writable && memory.read_only)
        throw ReadOnlyError(fmt::format("{}: the tensor is read-only, which an unversioned DLPack "
                                        "tensor cannot say",
                                        what));
    for (const index_t stride : memory.strides)
        if (stride % memory.dtype.size_bytes() != 0)
            throw ShapeError(fmt::format("{}: strides of {} bytes are no whole number of elements "
                                         "of {} bytes",
                                         what, to_string(memory.strides),
                                         memory.dtype.size_bytes()));
    return t;
}

template <typename M>
auto exported(const char* what, const AnyTensor& t, Copy copy, bool needs_writable) {
    const dlpack::DataType type = dlpack::code_of(what, t.dtype());
    auto whole = std::make_unique<Exported<M>>();
    whole->kept = exportable(what, t, copy, needs_writable);
    const MemoryDescriptor memory = describe_as(what, whole->kept);
    const std::size_t rank = memory.shape.size();
    whole->shape_and_strides.assign(memory.shape.begin(), memory.shape.end());
    for (const index_t stride : memory.strides)
        whole->shape_and_strides.push_back(stride / memory.dtype.size_bytes());
    std::int64_t* const numbers = whole->shape_and_strides.data();
    M& managed = whole->managed;
    managed.dl_tensor = {memory.pointer, {kCpu, 0}, static_cast<std::int32_t>(rank), type, numbers,
                         numbers + rank, 0};
    managed.manager_ctx = whole.get();
    managed.deleter = [](M* self) { delete static_cast<Exported<M>*>(self->manager_ctx); };
    if constexpr (requires { managed.flags; }) {
        const bool is_copied = leaf_of(t.operand()) != leaf_of(whole->kept.operand());
        managed.version = {kMajor, kMinor};
        managed.flags =
            (memory.read_only ? dlpack::kReadOnly : 0) | (is_copied ? dlpack::kIsCopied : 0);
    }
    return std::unique_ptr<M, dlpack::Release>(&whole.release()->managed);
}

} // namespace

AnyTensor from_dlpack(dlpack::ManagedTensorVersioned* managed) {
    if (managed == nullptr) throw FormatError("from_dlpack: the managed tensor is null");
    if (managed->version.major != kMajor) {
        // Only the deleter's place is the same in every version.
        const dlpack::Version version = managed->version;
        dlpack::Release()(managed);
        throw FormatError(fmt::format("from_dlpack: version {}.{} of DLPack, not {}.x",
                                      version.major, version.minor, kMajor));
    }
    return import(managed, (managed->flags & dlpack::kReadOnly) != 0);
}

AnyTensor from_dlpack(dlpack::ManagedTensor* managed) {
    if (managed == nullptr) throw FormatError("from_dlpack: the managed tensor is null");
    return import(managed, false);
}

dlpack::Export to_dlpack(const AnyTensor& t, Copy copy) {
    return exported<dlpack::ManagedTensorVersioned>("to_dlpack", t, copy, false);
}

dlpack::UnversionedExport to_unversioned_dlpack(const AnyTensor& t, Copy copy) {
    return exported<dlpack::ManagedTensor>("to_unversioned_dlpack", t, copy, true);
}

} // namespace purview
