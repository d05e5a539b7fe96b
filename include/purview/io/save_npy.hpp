#pragma once

#include <purview/io/npy_header.hpp>
#include <purview/tensor/stage.hpp>
#include <purview/tensor/tensor.hpp>

#include <string>
#include <utility>

namespace purview::inline v0_1 {

/// Implements `save_npy`. Throws `DtypeError` for element types that NumPy does not have.
PURVIEW_EXPORT void save_npy_tensor(const std::string& path, const AnyTensor& tensor);

template <typename X>
concept NpyTensor = TensorLike<X> &&
    (!TypedTensor<X> || NpyNumber<typename std::remove_cvref_t<X>::value_type> ||
     NpyTime<typename std::remove_cvref_t<X>::value_type>);

/// Writes any tensor to an `.npy` file: `save_npy(path, tensor)`, or `tensor | save_npy(path)`. The
/// file is byte for byte what `numpy.save` writes; it has the name that is given, without an `.npy` put behind it. Times become `datetime64` and `timedelta64`, if
/// NumPy has their unit and they are counted in 64 bits. Lazy tensors are evaluated in blocks of 1
/// MiB, the only extra memory used. The file is row-major, or column-major for a column-major
/// tensor. O(size).
///
/// The bytes are written to a temporary file in the same directory, which atomically replaces
/// `path` when it is complete and on disk. Whatever happens, `path` is either the old file or the
/// complete new one; if anything throws, the temporary file is removed. So a tensor may be saved to
/// the very file it is mapped from. Symbolic links are followed: their target is replaced. The
/// permissions and, where allowed, the owner of a replaced file are kept; its other hard links keep
/// the old contents.
///
/// Throws `FormatError` naming the path and the system's reason when it is not a regular file, is
/// not writable, or writing fails.
struct SaveNpyFunction {
    template <NpyTensor X>
    void operator()(const std::string& path, const X& tensor) const {
        save_npy_tensor(path, tensor);
    }
    auto operator()(std::string path) const {
        return Stage([path = std::move(path)]<NpyTensor X>(const X& tensor) {
            save_npy_tensor(path, tensor);
        });
    }
};
inline constexpr SaveNpyFunction save_npy;

} // namespace purview
