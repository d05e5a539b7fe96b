#pragma once

#include <purview/base/refused.hpp>
#include <purview/interop/descriptor.hpp>
#include <purview/tensor/array_like.hpp>

#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

// The arrays of other libraries, recognised by their members: none of the libraries is included.
// Expressions of theirs, which have no memory, are none of these.

/// Whether Eigen's type is of memory: a transposed sum has a data() too, that does not compile. Its
/// DirectAccessBit.
template <typename X>
inline constexpr bool kHasDirectAccess = (static_cast<unsigned>(X::Flags) & 0x40) != 0;
/// Whether a tensor type of Eigen's is of memory: a `TensorRef` may be computed.
template <typename X>
inline constexpr bool kHasRawAccess = static_cast<bool>(X::RawAccess);
/// Eigen's matrices, arrays and vectors, and what is seen of them in place: `Map`, `Ref`, `Block`,
/// transposed, diagonals, real parts.
template <typename X>
concept EigenMatrixLike = requires(X& x) {
    {*x.data()};
    { x.rows() } -> std::convertible_to<index_t>;
    { x.innerStride() } -> std::convertible_to<index_t>;
    { x.outerStride() } -> std::convertible_to<index_t>;
    { X::IsRowMajor } -> std::convertible_to<bool>;
    typename X::PlainObject;
    requires kHasDirectAccess<X>;
};
/// Eigen's `Tensor`, `TensorFixedSize` and `TensorMap`.
template <typename X>
concept EigenTensorLike = requires(X& x) {
    {*x.data()};
    x.dimensions();
    { X::Layout } -> std::convertible_to<int>;
    { X::NumIndices } -> std::convertible_to<int>;
    requires kHasRawAccess<X>;
};
/// xtensor's `xarray`, `xtensor`, `xtensor_fixed`, adaptors, and views with strides.
template <typename X>
concept XtensorLike = requires(X& x) {
    {*x.data()};
    { x.data_offset() } -> std::convertible_to<index_t>;
    { *std::begin(x.shape()) } -> std::convertible_to<index_t>;
    { *std::begin(x.strides()) } -> std::convertible_to<index_t>;
    { x.dimension() } -> std::convertible_to<index_t>;
};
/// Boost's `multi_array`, `multi_array_ref`, and their views and sub-arrays.
template <typename X>
concept MultiArrayLike = requires(X& x) {
    {*x.origin()};
    { *x.shape() } -> std::convertible_to<index_t>;
    { *x.strides() } -> std::convertible_to<index_t>;
    { *x.index_bases() } -> std::convertible_to<index_t>;
    { x.num_dimensions() } -> std::convertible_to<index_t>;
};
/// OpenCV's `Mat`, of a type known at run time.
template <typename X>
concept CvMatLike = requires(X& x) {
    { *x.data } -> std::convertible_to<unsigned char>;
    { x.dims } -> std::convertible_to<int>;
    { x.size[0] } -> std::convertible_to<int>;
    { x.step[0] } -> std::convertible_to<std::size_t>;
    { x.depth() } -> std::convertible_to<int>;
    { x.channels() } -> std::convertible_to<int>;
    x.u;
};
/// PyTorch's `torch::Tensor`, of a type known at run time.
template <typename X>
concept TorchLike = requires(X& x) {
    { x.data_ptr() } -> std::convertible_to<const void*>;
    { x.sizes()[0] } -> std::convertible_to<index_t>;
    { x.strides()[0] } -> std::convertible_to<index_t>;
    x.scalar_type();
    x.layout();
    { x.device().is_cpu() } -> std::convertible_to<bool>;
    { x.is_conj() || x.is_neg() } -> std::convertible_to<bool>;
};

/// Arrays of other libraries whose element type is static, and those whose type is not.
template <typename X>
concept StaticLibraryArray =
    EigenMatrixLike<X> || EigenTensorLike<X> || XtensorLike<X> || MultiArrayLike<X>;
template <typename X>
concept LibraryArray = StaticLibraryArray<X> || CvMatLike<X> || TorchLike<X>;

/// Elements of a static type in memory.
template <typename P>
struct StridedElements {
    P* pointer; ///< the element at coordinates 0
    Shape shape{};
    Shape strides{}; ///< in elements
};
template <typename P>
StridedElements(P*) -> StridedElements<P>;

template <EigenMatrixLike X>
auto strided_elements(X& x) {
    StridedElements result{x.data()};
    if constexpr (X::IsVectorAtCompileTime) {
        result.shape = {x.size()};
        result.strides = {x.innerStride()};
    } else {
        result.shape = {x.rows(), x.cols()};
        result.strides = {x.innerStride(), x.outerStride()};
        if constexpr (X::IsRowMajor) std::swap(result.strides[0], result.strides[1]);
    }
    return result;
}
template <EigenTensorLike X>
auto strided_elements(X& x) {
    StridedElements result{x.data()};
    [&]<std::size_t... axis>(std::index_sequence<axis...>) {
        (result.shape.push_back(static_cast<index_t>(x.dimensions()[axis])), ...);
    }
    (std::make_index_sequence<static_cast<std::size_t>(X::NumIndices)>());
    constexpr bool kRowMajor = static_cast<int>(X::Layout) == 1;
    const Dimensions dims =
        kRowMajor ? Dimensions::row_major(result.shape) : Dimensions::column_major(result.shape);
    result.strides = to_shape(dims.strides());
    return result;
}
template <XtensorLike X>
auto strided_elements(X& x) {
    StridedElements result{x.data() + static_cast<std::ptrdiff_t>(x.data_offset())};
    for (const auto extent : x.shape()) result.shape.push_back(static_cast<index_t>(extent));
    for (const auto stride : x.strides()) result.strides.push_back(static_cast<index_t>(stride));
    return result;
}
template <MultiArrayLike X>
auto strided_elements(X& x) {
    StridedElements result{x.origin()};
    // Element [0, 0, …] lies at the origin, and the indexes of an axis begin at its base.
    index_t offset = 0;
    for (std::size_t axis = 0; axis < x.num_dimensions(); ++axis) {
        result.shape.push_back(static_cast<index_t>(x.shape()[axis]));
        result.strides.push_back(static_cast<index_t>(x.strides()[axis]));
        offset += static_cast<index_t>(x.index_bases()[axis]) * result.strides.back();
    }
    result.pointer += offset;
    return result;
}

/// The memory of a `cv::Mat`: more than one channel is the last axis. Throws `DtypeError` for a
/// depth that is none of OpenCV 4's.
PURVIEW_EXPORT MemoryDescriptor cv_descriptor(void* data, const int* size, const std::size_t* step,
                                              int dims, int depth, int channels);
/// The memory of a `torch::Tensor` of a `c10::ScalarType`; strides in elements. Throws `DtypeError`
/// for a type that Purview does not have.
PURVIEW_EXPORT MemoryDescriptor torch_descriptor(void* data, ShapeSpan shape, ShapeSpan strides,
                                                 int scalar_type);
[[noreturn]] PURVIEW_EXPORT void throw_device(const char* what, const std::string& device);
/// Throws `ShapeError`: strides do not say where the elements of a `torch::Tensor` are.
[[noreturn]] PURVIEW_EXPORT void throw_torch(const char* what, const char* why);
/// Throws `Error`: a `cv::Mat` over memory that is not its own.
[[noreturn]] PURVIEW_EXPORT void throw_mat_without_owner();

template <CvMatLike X>
MemoryDescriptor described_array(const char*, const X& x) {
    MemoryDescriptor memory = cv_descriptor(const_cast<unsigned char*>(x.data), &x.size[0],
                                            &x.step[0], x.dims, x.depth(), x.channels());
    memory.read_only = false;
    return memory;
}
template <TorchLike X>
MemoryDescriptor described_array(const char* what, const X& x) {
    if (!x.defined()) throw_torch(what, "is undefined");
    if (!x.device().is_cpu()) throw_device(what, x.device().str());
    if (static_cast<int>(x.layout()) != 0) throw_torch(what, "is sparse: x.to_dense()");
    if (x.is_conj() || x.is_neg())
        throw_torch(what, "is conjugated or negated lazily: x.resolve_conj().resolve_neg()");
    Shape shape;
    Shape strides;
    for (const auto extent : x.sizes()) shape.push_back(static_cast<index_t>(extent));
    for (const auto stride : x.strides()) strides.push_back(static_cast<index_t>(stride));
    MemoryDescriptor memory =
        torch_descriptor(x.data_ptr(), shape, strides, static_cast<int>(x.scalar_type()));
    // A gradient would not know of what is written.
    memory.read_only = x.requires_grad();
    return memory;
}

/// Arrays that own their elements, or are one of several owners: what is moved takes them along. Of
/// a `cv::Mat` that shows at run time.
template <typename X>
concept OwnsElements = CvMatLike<X> || TorchLike<X> ||
                       (EigenMatrixLike<X>&& std::same_as<X, typename X::PlainObject>) ||
                       (EigenTensorLike<X> && !requires { typename X::StoragePointerType; }) ||
                       (XtensorLike<X> && std::same_as<X, typename X::temporary_type>) ||
                       (MultiArrayLike<X> && requires(X & x) { x.resize(x.shape()); });

/// Temporaries whose elements exist elsewhere, as far as their types tell: `m.row(1)` of Eigen's and
/// `a[1]` of Boost's. Of Eigen's, a `Ref<const ...>` may have a copy of its own; of xtensor's, any
/// view may.
template <typename X>
concept ShowsElements =
    !OwnsElements<X> &&
    ((EigenMatrixLike<X> &&
      !std::is_const_v<std::remove_pointer_t<decltype(std::declval<X&>().data())>>) ||
     EigenTensorLike<X> || MultiArrayLike<X>);

/// The memory of another library's array as a tensor, zero-copy. The array must outlive the tensor,
/// and must not be resized. Types and shapes:
/// - Eigen's matrices ([rows, cols]; vector types [size]) and tensors, xtensor's and Boost's arrays,
///   of any strides: a `MutableTensor`; of const elements, and of a const array, a `Tensor`;
/// - a `cv::Mat` ([rows, cols] or more; several channels are the last axis) and a `torch::Tensor`:
///   an `AnyTensor`; read-only of a const object, and where a gradient is required.
/// O(rank). Throws `DtypeError` for an element type that Purview does not have, `DeviceError` for a
/// `torch::Tensor` on a device, `ShapeError` for a sparse one, or one that is negated or conjugated
/// lazily.
template <typename X>
    requires(LibraryArray<std::remove_reference_t<X>> &&
             (std::is_lvalue_reference_v<X> || ShowsElements<X>))
auto borrow(X&& x) {
    using Array = std::remove_reference_t<X>;
    if constexpr (StaticLibraryArray<Array>) {
        auto elements = strided_elements(x);
        // Not every view of const type gives elements that are const.
        using P = std::remove_pointer_t<decltype(elements.pointer)>;
        std::conditional_t<std::is_const_v<Array>, const P, P>* const pointer = elements.pointer;
        return borrow(pointer, AxisValues(elements.shape), AxisValues(elements.strides));
    } else {
        MemoryDescriptor memory = described_array("borrow", x);
        memory.read_only = memory.read_only || std::is_const_v<Array>;
        return borrow(memory);
    }
}
template <typename X>
    requires(!std::is_reference_v<X> && LibraryArray<X> && !ShowsElements<X>)
PURVIEW_REFUSED("borrow(array): the array is a temporary: name it, or wrap(std::move(array))",
                borrow(X&&));

/// Adopts another library's array: `wrap(std::move(x))`. It is moved into the tensor, and destroyed
/// with the last tensor over its elements, small arrays inside the object too. Types, shapes and
/// errors as of `borrow`; zero-copy where moving `x` is (Boost's `multi_array` has no move, and is
/// copied). Throws `Error` for a `cv::Mat` over memory that it does not own.
template <typename X>
    requires(LibraryArray<X>&& OwnsElements<X> && !std::is_const_v<X>)
auto wrap(X&& x) {
    // What lies in the object itself moves before it is asked where it is.
    auto kept = std::make_shared<X>(std::move(x));
    if constexpr (StaticLibraryArray<X>) {
        auto elements = strided_elements(*kept);
        return wrap(elements.pointer, AxisValues(elements.shape), AxisValues(elements.strides),
                    std::move(kept));
    } else {
        const MemoryDescriptor memory = described_array("wrap", *kept);
        if constexpr (CvMatLike<X>)
            if (kept->u == nullptr && memory.pointer != nullptr) throw_mat_without_owner();
        return wrap(memory, std::move(kept));
    }
}
template <typename X>
    requires(LibraryArray<std::remove_reference_t<X>> &&
             (std::is_reference_v<X> || std::is_const_v<X>))
PURVIEW_REFUSED("wrap(array): it takes the array over: wrap(std::move(array)), or borrow(array)",
                wrap(X&&));
template <typename X>
    requires(MdspanLike<std::remove_cvref_t<X>> ||
             (!std::is_reference_v<X> && !std::is_const_v<X> && LibraryArray<X> &&
              !OwnsElements<X>))
PURVIEW_REFUSED(
    "wrap(view): it owns nothing: borrow(view), or wrap(pointer, shape, strides, owner)",
    wrap(X&&));

} // namespace purview
