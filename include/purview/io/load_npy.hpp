#pragma once

#include <purview/io/access.hpp>
#include <purview/io/npy_header.hpp>
#include <purview/tensor/tensor.hpp>

#include <string>
#include <type_traits>

namespace purview::inline v0_1 {

/// The array in an `.npy` file (versions 1, 2 and 3 of the format). Element types: bool, integers,
/// float32, float64, and times in int64 with units from weeks to nanoseconds: `datetime64[s]` as
/// `std::chrono::sys_seconds`, `timedelta64[ms]` as `std::chrono::milliseconds`. NaT is read as the
/// lowest int64.
///
/// Mapped, unless `access` is `Access::in_memory`: O(1), only the header is read. Elements may have
/// any alignment. A column-major file gives a column-major tensor over the same bytes. In a mapped
/// file of the other byte order, elements are swapped at each access; `in_memory` swaps them once.
/// Bytes after the last element are ignored, as by NumPy. The tensor can be written unless `access`
/// is `Access::read_only`.
///
/// Throws `FormatError` naming the path when it is not a regular file, cannot be opened, or does
/// not match its header; `DtypeError` naming the path for element types that Purview does not have.
PURVIEW_EXPORT AnyTensor load_npy(const std::string& path, Access access = Access::read_only);

/// The array in an `.npy` file that must have elements of type `dtype`: otherwise throws
/// `DtypeError` naming the path and both types, before any element is read.
PURVIEW_EXPORT AnyTensor load_npy(const std::string& path, Access access, DType dtype);

/// An element type that `load_npy` gives: a number, or a duration or a time point of the system
/// clock, counted in int64 in a unit that NumPy has.
template <typename T>
concept NpyLoaded = NpyNumber<T> ||
    (NpyTime<T> && !(PointElement<T> && !requires { T::clock::to_time_t(T{}); }));

/// The array in an `.npy` file with its static type: a `Tensor<T>`, or, for any other access than
/// `read_only`, a `MutableTensor<T>`. Throws `DtypeError` for elements of another type.
template <NpyLoaded T, Access A = Access::read_only>
auto load_npy(const std::string& path) {
    using Loaded = std::conditional_t<A == Access::read_only, Tensor<T>, MutableTensor<T>>;
    return Loaded(load_npy(path, A, kDType<T>).operand());
}

} // namespace purview
