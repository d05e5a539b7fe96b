#pragma once

#include <purview/io/access.hpp>
#include <purview/io/npy_header.hpp>
#include <purview/tensor/tensor.hpp>

#include <string>
#include <type_traits>

namespace purview {

/// The array in an `.npy` file (versions 1, 2 and 3 of the format; bool, integers, float32, float64, and times: `datetime64[s]` as
/// `std::chrono::sys_seconds`, `timedelta64[ms]` as `std::chrono::milliseconds` and so on, from weeks to nanoseconds, in int64; NaT is
/// the least count there is).
///
/// Mapped, unless `Access::in_memory` asks otherwise: O(1), nothing but the header is read. Elements
/// may lie at any alignment. A column-major file gives a column-major tensor over the same bytes. The
/// other byte order costs a swap at each access to a mapped file; `in_memory` swaps once, and is as
/// fast as any memory afterwards. Bytes behind the last element are ignored, as NumPy does. The tensor
/// can be written unless it is `Access::read_only`.
///
/// Throws `FormatError` naming the path when it is no regular file, cannot be opened, or is not what
/// its header says; `DtypeError` naming the path for element types that Purview does not have.
PURVIEW_EXPORT AnyTensor load_npy(const std::string& path, Access access = Access::read_only);

/// The same for a file that has to hold elements of type `dtype`: otherwise a `DtypeError` naming the
/// path and both types, before any element is read.
PURVIEW_EXPORT AnyTensor load_npy(const std::string& path, Access access, DType dtype);

/// An element type that files have: built in, or a duration, or a time point of the system's clock, that NumPy has a unit for,
/// counted in int64.
template <typename T>
concept NpyLoaded = BuiltinType<T> ||
    (NpyTime<T> && !(PointElement<T> && !requires { T::clock::to_time_t(T{}); }));

/// The same with its static type: a `Tensor<T>`, or, for any other access than `read_only`, a
/// `MutableTensor<T>`.
template <NpyLoaded T, Access A = Access::read_only>
auto load_npy(const std::string& path) {
    using Loaded = std::conditional_t<A == Access::read_only, Tensor<T>, MutableTensor<T>>;
    return Loaded(load_npy(path, A, kDType<T>).operand());
}

} // namespace purview
