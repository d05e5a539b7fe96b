#pragma once

#include <purview/tensor/any_tensor.hpp>

#include <cstdint>
#include <memory>

namespace purview::inline v0_1 {

/// When an export copies: never (what cannot be handed over as it is is refused), if needed, or
/// always.
enum class Copy : std::uint8_t { never, if_needed, always };

/// The structures of DLPack 1.x, with the layout of its header dlpack.h (github.com/dmlc/dlpack). Pointers
/// to that header's own types are taken too.
namespace dlpack {

struct Version {
    std::uint32_t major;
    std::uint32_t minor;
};
struct Device {
    std::int32_t type;
    std::int32_t id;
};
struct DataType {
    std::uint8_t code;
    std::uint8_t bits;
    std::uint16_t lanes;
};
struct Tensor {
    void* data;
    Device device;
    std::int32_t ndim;
    DataType dtype;
    std::int64_t* shape;
    std::int64_t* strides; ///< in elements; null: row-major without gaps
    std::uint64_t byte_offset;
};
/// What producers handed out before version 1.0.
struct ManagedTensor {
    Tensor dl_tensor;
    void* manager_ctx;
    void (*deleter)(ManagedTensor*);
};
struct ManagedTensorVersioned {
    Version version;
    void* manager_ctx;
    void (*deleter)(ManagedTensorVersioned*);
    std::uint64_t flags;
    Tensor dl_tensor;
};
inline constexpr std::uint64_t kReadOnly = 1;
inline constexpr std::uint64_t kIsCopied = 2;

/// Calls the deleter of what a consumer has not taken over.
struct Release {
    template <typename M>
    void operator()(M* managed) const {
        if (managed->deleter != nullptr) managed->deleter(managed);
    }
};
using Export = std::unique_ptr<ManagedTensorVersioned, Release>;
using UnversionedExport = std::unique_ptr<ManagedTensor, Release>;

/// A managed tensor of either kind, from here or from dlpack.h.
template <typename M>
concept Managed = requires(M& managed) {
    managed.dl_tensor.byte_offset;
    managed.manager_ctx;
    managed.deleter(&managed);
};

} // namespace dlpack

/// Takes over a managed tensor, zero-copy, and calls its deleter exactly once: with the last tensor
/// over the memory, on whatever thread that is, or before an error is thrown. It may write unless
/// the producer says read-only or elements share an address. Memory that the processor reads (CPU,
/// CUDA host and managed, ROCm host); the built-in types, complex64, complex128, float16, bfloat16. O(rank).
/// Throws `DeviceError` for other devices, `DtypeError` for other types and for vectors (lanes),
/// `FormatError` for what is no DLPack tensor of version 1 or before, `ShapeError` for a layout
/// that cannot be addressed.
PURVIEW_EXPORT AnyTensor from_dlpack(dlpack::ManagedTensorVersioned* managed);
PURVIEW_EXPORT AnyTensor from_dlpack(dlpack::ManagedTensor* managed);
/// Takes over a managed tensor of dlpack.h's own types.
template <dlpack::Managed M>
AnyTensor from_dlpack(M* managed) {
    if constexpr (requires { managed->flags; }) {
        static_assert(sizeof(M) == sizeof(dlpack::ManagedTensorVersioned));
        return from_dlpack(reinterpret_cast<dlpack::ManagedTensorVersioned*>(managed));
    } else {
        static_assert(sizeof(M) == sizeof(dlpack::ManagedTensor));
        return from_dlpack(reinterpret_cast<dlpack::ManagedTensor*>(managed));
    }
}

/// A tensor for any consumer of DLPack, who calls its deleter (`release()` hands it over): it
/// co-owns the elements. Zero-copy where they lie in memory a fixed number of elements apart, and
/// read-only where `t` is. Expressions, lists of indexes, rotations and the like are copied, or with
/// `Copy::never` refused by a `ShapeError`. O(rank) without a copy. Throws `DtypeError` for element
/// types that DLPack lacks.
PURVIEW_EXPORT dlpack::Export to_dlpack(const AnyTensor& t, Copy copy = Copy::if_needed);
/// For consumers that know no versions, and hence no read-only flag: a read-only tensor is copied
/// too, or with `Copy::never` refused by a `ReadOnlyError`.
PURVIEW_EXPORT dlpack::UnversionedExport to_unversioned_dlpack(const AnyTensor& t,
                                                               Copy copy = Copy::if_needed);

} // namespace purview
