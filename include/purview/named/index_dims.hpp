#pragma once

#include <purview/dimensions/axes.hpp>
#include <purview/named/dim_tensor.hpp>

#include <concepts>
#include <initializer_list>
#include <memory>
#include <string>

namespace purview::inline v0_1 {

/// A mask over dims as an index argument: `A(i, j, i > 0)`.
struct DimMask {
    DimOperand mask;
};

/// One argument of indexing with dims. A Dim binds its axis; `joint(…)` splits the axis into dims;
/// a `DimList` or a range of dims binds several axes; an index expression (`i + 1`) reads along its
/// dims; a tensor of integers with dims, `ids(i, k)`, or of a rank other than 1, gathers at its
/// elements; all else is as in `TensorIndex`.
class PURVIEW_EXPORT DimIndex {
public:
    DimIndex(const TensorIndex& index);
    DimIndex(const Dim& dim);
    DimIndex(const Joint& joint);
    DimIndex(const DimList& list);
    DimIndex(const AffineIndex& index);
    DimIndex(const DimOperand& indexes);
    DimIndex(const DimMask& mask);

    /// Which of them it is made from, as a variant: defined where indexes are read.
    struct Argument;
    const Argument& argument() const noexcept { return *argument_; }

private:
    std::shared_ptr<const Argument> argument_;
};

/// A tensor with dims whose elements are used as indexes.
template <typename I>
concept ComputedIndex = HasDims<I> && TypedTensor<I> && !IndexExpression<I>;
template <typename I>
concept ComputedIndexOfIntegers = ComputedIndex<I> && std::integral<typename I::value_type> &&
    !std::same_as<typename I::value_type, bool>;

template <typename I>
concept NamesDims = IndexExpression<I> || std::same_as<I, Joint> || std::same_as<I, DimList> ||
    DimRange<I> || ComputedIndex<I>;

template <typename I>
concept DimIndexLike = IndexLike<I> || NamesDims<I>;

/// The view that indexing gives; the positional axes are indexed. All sizes are validated, then
/// bound together: an error binds none. O(1) except for lists and masks. Throws `DimError`,
/// `IndexError`.
///
/// With computed indexes it is a gather, over their dims as well; their positional axes replace the
/// indexed axis. Computed indexes are read when elements are: one outside of [-n, n) throws
/// `IndexError` then, naming the axis (by `axis_names` if given), the dims and the index.
///
/// A mask over dims removes its dims, and indexes one axis for each positional axis that it has.
/// They are replaced by one axis of the elements for which the mask is true, in the order of the
/// dims of the mask. The mask is read now. Errors name `what`.
PURVIEW_EXPORT DimOperand index_with_dims(const DimOperand& x, std::span<const DimIndex> indexes,
                                          std::span<const std::string> axis_names = {},
                                          const char* what = "indexing");

/// A positional tensor as an index: a mask or a list (rank 1), which is read now, or indexes of
/// another rank, which are not read yet. Throws `IndexError`, `DtypeError`.
PURVIEW_EXPORT DimIndex tensor_as_index(const TensorHandle& tensor);

/// A mask as an index; read now if it has no dims.
PURVIEW_EXPORT DimIndex mask_as_index(const DimOperand& mask);

/// A Dim, an index expression, or indexes over dims; borrowed for the length of a call.
struct AxisExpression {
    AxisExpression(const Dim& bound) : dim(&bound) {}
    AxisExpression(const AffineIndex& expression) : index(&expression) {}
    AxisExpression(const AnyDimTensor& indexes) : computed(&indexes.bound()) {}

    const Dim* dim = nullptr;
    const AffineIndex* index = nullptr;
    const DimOperand* computed = nullptr;
};

/// The types that convert to an `AxisExpression`.
template <typename I>
concept AxisExpressionLike = IndexExpression<I> || ComputedIndexOfIntegers<I>;

/// `index_with_dims` for such arguments only, one for each of the first axes of a tensor: the fast
/// path.
PURVIEW_EXPORT DimOperand bind_axes(const Operand& x, std::span<const AxisExpression> axes);

template <DimIndexLike I>
DimIndex dim_index(const I& index) {
    if constexpr (ComputedIndex<I>) {
        using T = typename I::value_type;
        static_assert(std::is_integral_v<T>, "indexing: indexes are integers, or a mask is bool");
        if constexpr (std::same_as<T, bool>)
            return mask_as_index(dim_operand(index));
        else
            return dim_operand(index);
    } else if constexpr (DimRange<I>) {
        return DimList(index);
    } else if constexpr (NamesDims<I>) {
        return index;
    } else if constexpr (std::derived_from<I, TensorHandle>) {
        return tensor_as_index(index);
    } else {
        return TensorIndex(index);
    }
}

/// `t(i, j)` for a tensor without or with dims.
template <TypedTensor X, DimIndexLike... I>
    requires((HasDims<X> && !IndexExpression<X>) || (NamesDims<I> || ...))
auto index_tensor(const X& x, const I&... indexes) {
    using Result = DimView<X>;
    if constexpr (!HasDims<X> && (AxisExpressionLike<I> && ...)) {
        const std::initializer_list<AxisExpression> axes{indexes...};
        return Result([&] { return bind_axes(x.operand(), {axes.begin(), axes.size()}); });
    } else {
        const std::initializer_list<DimIndex> list{dim_index(indexes)...};
        const std::span<const DimIndex> arguments(list.begin(), list.size());
        if constexpr (HasDims<X>)
            return Result(index_with_dims(x.bound(), arguments));
        else
            return Result(index_with_dims(DimOperand(x.operand(), {}), arguments));
    }
}

} // namespace purview
