#pragma once

#include <purview/interop/descriptor.hpp>
#include <purview/tensor/array_like.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>
#include <version>

#ifdef __cpp_lib_mdspan
# include <mdspan>
#endif

namespace purview::inline v0_1 {

/// The memory of `t` for a view of elements of a type; `writes`: of elements that are not const. The
/// strides that it gives count elements; where they lead nowhere they are positive. Throws
/// `DtypeError` for another type, `ReadOnlyError`, `ShapeError` for another rank (-1: any), and for
/// what does not lie in memory, aligned, whole elements apart, in this machine's byte order.
PURVIEW_EXPORT MemoryDescriptor viewed_memory(const char* what, const AnyTensor& t, DType dtype,
                                              bool writes, int rank);
/// Throws `ShapeError`: another type of view could show this tensor, this one cannot.
[[noreturn]] PURVIEW_EXPORT void
throw_not_viewable(const char* what, const MemoryDescriptor& memory, const char* needs);

template <typename E>
MemoryDescriptor viewed_as(const char* what, const AnyTensor& t, int rank) {
    return viewed_memory(what, t, kDType<Canonical<std::remove_const_t<E>>>, !std::is_const_v<E>,
                         rank);
}
inline bool is_empty_shape(const Shape& shape) { return std::ranges::count(shape, 0) > 0; }
inline bool is_aligned(const void* pointer, std::size_t bytes) {
    return bytes == 0 || reinterpret_cast<std::uintptr_t>(pointer) % bytes == 0;
}

/// Mappings that are made of strides, as those of `layout_stride`.
template <typename Mapping>
concept StridedMapping = requires(const Mapping& mapping) {
    requires std::constructible_from<Mapping, typename Mapping::extents_type,
                                     decltype(mapping.strides())>;
};

/// An mdspan of type M over the elements of `t`, zero-copy: `as_mdspan<M>(t)`, with M of `std::`,
/// Kokkos or `cuda::std`, of any layout. The tensor must outlive it. O(rank). Throws
/// `ReadOnlyError` for an M of elements that are not const over a read-only tensor, `DtypeError`
/// for other elements, `ShapeError` where M has another rank, other static extents, an index type
/// that is too small, or a layout that the strides are not of (zero and negative ones are of none),
/// and for what does not lie in memory: an expression, a list of indexes, a rotation.
template <MdspanLike M>
    requires requires { typename M::mapping_type; }
M as_mdspan(const AnyTensor& t) {
    using Mapping = typename M::mapping_type;
    using Extents = typename M::extents_type;
    using Index = typename M::index_type;
    constexpr std::size_t kRank = M::rank();
    const MemoryDescriptor memory =
        viewed_as<typename M::element_type>("as_mdspan", t, static_cast<int>(kRank));
    const bool is_empty = is_empty_shape(memory.shape);
    index_t span = 1; // from the first element behind the last
    for (std::size_t axis = 0; axis < kRank; ++axis) {
        const auto fixed = static_cast<std::size_t>(Extents::static_extent(axis));
        if (fixed != static_cast<std::size_t>(-1) && std::cmp_not_equal(fixed, memory.shape[axis]))
            throw_not_viewable("as_mdspan", memory, "its static extents");
        if (memory.strides[axis] <= 0) throw_not_viewable("as_mdspan", memory, "positive strides");
        if (!is_empty) span += (memory.shape[axis] - 1) * memory.strides[axis];
        if (!std::in_range<Index>(memory.shape[axis]) ||
            !std::in_range<Index>(memory.strides[axis]) || !std::in_range<Index>(span))
            throw_not_viewable("as_mdspan", memory, "indexes that fit its index type");
    }
    return [&]<std::size_t... axis>(std::index_sequence<axis...>) {
        auto* const data = static_cast<typename M::element_type*>(memory.pointer);
        const Extents extents(static_cast<Index>(memory.shape[axis])...);
        if constexpr (StridedMapping<Mapping>) {
            // Of the array type that the library has.
            using Strides = std::remove_cvref_t<decltype(std::declval<const Mapping&>().strides())>;
            return M(data, Mapping(extents, Strides{static_cast<Index>(memory.strides[axis])...}));
        } else {
            const Mapping mapping(extents);
            if constexpr (kRank > 0)
                if (!is_empty &&
                    ((memory.shape[axis] > 1 &&
                      std::cmp_not_equal(mapping.stride(axis), memory.strides[axis])) ||
                     ...))
                    throw_not_viewable("as_mdspan", memory, "the strides of its layout");
            return M(data, mapping);
        }
    }
    (std::make_index_sequence<kRank>());
}
#ifdef __cpp_lib_mdspan
/// A `std::mdspan` of any strides over the elements of `t`, zero-copy: `as_mdspan<2>(t)`; of a
/// `Tensor<T>` they are const.
template <std::size_t Rank, std::derived_from<TensorHandle> X>
    requires(!std::same_as<X, AnyTensor>)
auto as_mdspan(const X& t) {
    using T = typename X::value_type;
    using E = std::conditional_t<X::kWritesThrough, T, const T>;
    return as_mdspan<std::mdspan<E, std::dextents<index_t, Rank>, std::layout_stride>>(
        AnyTensor(t));
}
#endif

/// What an `Eigen::Map` is made of.
template <typename M>
struct EigenMap;
template <template <typename, int, typename> typename Map, typename Plain, int alignment,
          typename Stride>
struct EigenMap<Map<Plain, alignment, Stride>> {
    using M = Map<Plain, alignment, Stride>;
    using E = std::conditional_t<std::is_const_v<Plain>, const typename Plain::Scalar,
                                 typename Plain::Scalar>;
    // Of Eigen's fixed numbers, -1 stands for one that is not fixed, 0 for a stride without gaps.
    static constexpr index_t kInner = Stride::InnerStrideAtCompileTime;
    static constexpr index_t kOuter = Stride::OuterStrideAtCompileTime;
    static constexpr index_t kRows = Plain::RowsAtCompileTime;
    static constexpr index_t kColumns = Plain::ColsAtCompileTime;

    static bool agrees(index_t fixed, index_t given) { return fixed == -1 || fixed == given; }

    static M over(const AnyTensor& t) {
        constexpr bool kVector = Plain::IsVectorAtCompileTime;
        const MemoryDescriptor memory = viewed_as<E>("as_eigen", t, kVector ? 1 : 2);
        const index_t size = memory.shape[0];
        const index_t row_count = kVector && kRows == 1 ? 1 : size;
        const index_t column_count = !kVector ? memory.shape[1] : kRows == 1 ? size : 1;
        if (!agrees(kRows, row_count) || !agrees(kColumns, column_count))
            throw_not_viewable("as_eigen", memory, "its fixed extents");
        constexpr std::size_t kInnerAxis = kVector || !Plain::IsRowMajor ? 0 : 1;
        const index_t inner_extent = memory.shape[kInnerAxis];
        const index_t inner_stride =
            inner_extent > 1 ? memory.strides[kInnerAxis] : std::max<index_t>(kInner, 1);
        const index_t without_gaps = inner_stride * inner_extent;
        index_t outer_stride = kOuter > 0 ? kOuter : without_gaps;
        if constexpr (!kVector)
            if (memory.shape[1 - kInnerAxis] > 1) outer_stride = memory.strides[1 - kInnerAxis];
        if (row_count * column_count > 0 &&
            (!agrees(kInner == 0 ? 1 : kInner, inner_stride) ||
             !agrees(kOuter == 0 ? without_gaps : kOuter, outer_stride)))
            throw_not_viewable("as_eigen", memory, "the strides of its type");
        if (row_count * column_count > 0 && !is_aligned(memory.pointer, alignment))
            throw_not_viewable("as_eigen", memory, "the alignment of its type");
        auto* const data = static_cast<E*>(memory.pointer);
        if constexpr (std::constructible_from<Stride, index_t, index_t>)
            return M(
                data, row_count, column_count,
                Stride(kOuter == -1 ? outer_stride : kOuter, kInner == -1 ? inner_stride : kInner));
        else if constexpr (kInner == -1)
            return M(data, row_count, column_count, Stride(inner_stride));
        else if constexpr (kOuter == -1)
            return M(data, row_count, column_count, Stride(outer_stride));
        else
            return M(data, row_count, column_count);
    }
};

/// An `Eigen::Map` of type M over the elements of `t`, zero-copy: of a matrix type over rank 2, of
/// a vector type over rank 1. `as_eigen<Eigen::Map<Eigen::MatrixXd, 0, Eigen::Stride<-1, -1>>>(t)`
/// has any strides, negative ones too; other stride types those that they can say: of `Map<MatrixXd>`
/// alone, column-major order without gaps. The tensor must outlive it. O(1). Throws as `as_mdspan`,
/// and `ShapeError` for less than the alignment that M asks for.
template <typename M>
    requires requires {
        EigenMap<M>::over;
        typename M::PlainObject;
    }
M as_eigen(const AnyTensor& t) { return EigenMap<M>::over(t); }
/// An `Eigen::TensorMap` of type M over a tensor of its rank, zero-copy: in row-major or column-major
/// order, as the type says, without gaps. O(rank). Throws as `as_mdspan`.
template <typename M>
    requires requires {
        typename M::StoragePointerType;
        typename M::Dimensions;
        { M::NumIndices } -> std::convertible_to<int>;
    }
M as_eigen(const AnyTensor& t) {
    using E = std::remove_pointer_t<typename M::StoragePointerType>;
    constexpr std::size_t kRank = M::NumIndices;
    const MemoryDescriptor memory = viewed_as<E>("as_eigen", t, static_cast<int>(kRank));
    index_t following = 1;
    for (std::size_t i = 0; i < kRank && !is_empty_shape(memory.shape); ++i) {
        const std::size_t axis = static_cast<int>(M::Layout) == 1 ? kRank - 1 - i : i;
        if (memory.shape[axis] > 1 && memory.strides[axis] != following)
            throw_not_viewable("as_eigen", memory,
                               "elements without gaps in the order of its type");
        following *= memory.shape[axis];
    }
    typename M::Dimensions sizes{};
    if constexpr (kRank > 0)
        for (std::size_t axis = 0; axis < kRank; ++axis)
            sizes[axis] =
                static_cast<std::remove_cvref_t<decltype(sizes[axis])>>(memory.shape[axis]);
    return M(static_cast<E*>(memory.pointer), sizes);
}

/// What the last axis of a tensor is for OpenCV.
enum class LastAxis { axis, channels };

/// A `cv::Mat` in plain values.
struct CvView {
    void* pointer = nullptr;
    int type = 0; ///< of OpenCV 4: CV_8UC3 and so on
    std::vector<int> sizes{};
    std::vector<std::size_t> steps{}; ///< in bytes
};
PURVIEW_EXPORT CvView cv_view(const AnyTensor& t, LastAxis last);

/// A `cv::Mat` of OpenCV 4 over the elements of `t`, zero-copy: `as_cv_mat<cv::Mat>(t)`. The last axis
/// is one of the matrix, or its channels: [rows, cols, 3] → rows × cols of CV_8UC3. A tensor of rank 1
/// is a column. The tensor must outlive it, and must be writable, as a `cv::Mat` has no const
/// elements. O(rank). Throws `DtypeError` for types that OpenCV lacks, `ReadOnlyError`, and
/// `ShapeError` unless the axes are in row-major order (with gaps, but for the last one), each no
/// longer than an int can say, with 1 to 512 channels.
template <typename Mat>
Mat as_cv_mat(const AnyTensor& t, LastAxis axis = LastAxis::axis) {
    const CvView view = cv_view(t, axis);
    return Mat(static_cast<int>(view.sizes.size()), view.sizes.data(), view.type, view.pointer,
               view.steps.data());
}

} // namespace purview
