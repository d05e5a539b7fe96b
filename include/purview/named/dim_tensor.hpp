#pragma once

#include <purview/named/deferred.hpp>
#include <purview/named/dim_operand.hpp>
#include <purview/tensor/result_handle.hpp>

#include <array>
#include <iosfwd>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace purview {

template <ElementType T>
class DimTensor;

/// How dims propagate: what is made of a tensor with dims, or of a Dim, and anything else has dims.
struct DimKind {
    static constexpr int kStrength = 2;
    template <ElementType T>
    using Handle = DimTensor<T>;
    using BesideTensor = DimKind;
    template <ElementType T>
    using Scalar = DimTensor<T>;
    static constexpr bool kFoldsLater = false;
    static constexpr bool kIsWeak = false;
};

/// A tensor some of whose axes are bound to Dims; what all of them have in common. Its positional axes are
/// those that are left: rank, shape and indexing know only these. Every operation works over the union of the
/// dims of its operands, as loops around it would. `order` makes axes of dims again.
///
/// A tensor without bound dims, as `order` gives, converts to a `Tensor` and is taken wherever one is;
/// anything that needs a Tensor throws `DimError` while dims are bound.
class PURVIEW_EXPORT AnyDimTensor {
public:
    using HandleKind = DimKind;

    explicit AnyDimTensor(DimOperand operand) noexcept : bound_(std::move(operand)) {}

    DType dtype() const noexcept {
        return bound_.is_deferred() ? bound_.deferred->dtype() : bound_.operand.dtype();
    }
    /// The number of positional axes.
    int rank() const noexcept { return rank_of(bound_); }
    /// The sizes of the positional axes. Throws `DimError` for a Dim without a size.
    Shape shape() const;
    /// The size of one positional axis, which may count from the end. Throws `IndexError`, `DimError`.
    index_t extent(index_t axis) const;
    /// The number of elements for each combination of dims. Throws `DimError`.
    index_t size() const;
    bool empty() const { return size() == 0; }

    /// The tensor itself. Throws `DimError` naming the dims while any is bound.
    Operand operand() const;
    operator AnyTensor() const { return AnyTensor(operand()); }

    /// For operations: the operand under its dims, perhaps deferred; and the same, settled.
    const DimOperand& bound() const& noexcept { return bound_; }
    DimOperand settled() const { return purview::settled(bound_); }

private:
    DimOperand bound_;
};

inline const DimOperand& dim_operand(const AnyDimTensor& x) noexcept { return x.bound(); }

/// A tensor some of whose axes are bound to Dims: what indexing with a Dim gives. See `AnyDimTensor`.
template <ElementType T>
class DimTensor : public AnyDimTensor {
public:
    using value_type = T;

    /// Precondition: the element type is T.
    explicit DimTensor(DimOperand operand) noexcept : AnyDimTensor(std::move(operand)) {}
    explicit DimTensor(Operand operand) noexcept
        : AnyDimTensor(DimOperand(std::move(operand), {})) {}
    /// The values of a Dim or an index expression.
    DimTensor(const AffineIndex& index) requires std::same_as<T, index_t>
        : AnyDimTensor(dim_operand(index)) {}

    DimTensor(const DimTensor&) = default;
    DimTensor(DimTensor&&) noexcept = default;
    ~DimTensor() = default;
    DimTensor& operator=(const DimTensor&) & = default;
    DimTensor& operator=(DimTensor&&) & noexcept = default;
    // Assigning to what indexing returns would do nothing.
    template <typename X>
    void operator=(const X&) && = delete;

    /// Without bound dims, a tensor. Throws `DimError` naming the dims that are bound.
    operator Tensor<T>() const { return Tensor<T>(operand()); }
    /// The same, if it lies in memory that can be written. Throws `ReadOnlyError`.
    operator MutableTensor<T>() const { return AnyTensor(operand()).template as_mutable<T>(); }
    /// Without bound dims and axes, its only element. Throws `DimError`, `ShapeError`.
    operator T() const { return item(); }
    T item() const { return Tensor<T>(operand()).item(); }

    /// Indexes positional axes, over all dims. Throws `IndexError`.
    template <typename... I>
    auto operator()(const I&... indexes) const -> decltype(index_tensor(*this, indexes...)) {
        return index_tensor(*this, indexes...);
    }
#ifdef __cpp_multidimensional_subscript
    template <typename... I>
    auto operator[](const I&... indexes) const -> decltype(index_tensor(*this, indexes...)) {
        return index_tensor(*this, indexes...);
    }
#endif

    /// `function(operands…)`, all brought to the union of their dims; later, while a Dim has no size.
    template <typename F, typename... Parts>
    static DimTensor combine(F function, const Parts&... parts);
};

/// Calls a function of operands with those of an array, moved.
template <typename F, std::size_t... I>
Operand call_with_operands(const F& function, std::span<DimOperand> operands,
                           std::index_sequence<I...>) {
    return function(std::move(operands[I].operand)...);
}

template <ElementType T>
template <typename F, typename... Parts>
DimTensor<T> DimTensor<T>::combine(F function, const Parts&... parts) {
    const auto compute = [function = std::move(function)](std::span<DimOperand> operands) {
        DimVector dims = align_dims(operands);
        return DimOperand(
            call_with_operands(function, operands, std::index_sequence_for<Parts...>{}),
            std::move(dims));
    };
    std::array<DimOperand, sizeof...(Parts)> operands{dim_operand(parts)...};
    if (settle_ready(operands)) [[likely]]
        return DimTensor(compute(operands));
    return DimTensor(defer(kDType<T>, joined_dims(operands), largest_rank(operands),
                           {operands.begin(), operands.end()}, needs_of(operands), compute));
}

/// Prints the elements, dims first, and `with dims=(i, j) sizes=(4, 4)`. Throws `DimError` for a Dim
/// without a size. Reads what it prints.
PURVIEW_EXPORT std::ostream& operator<<(std::ostream& out, const AnyDimTensor& tensor);
PURVIEW_EXPORT std::ostream& operator<<(std::ostream& out, const AffineIndex& index);
PURVIEW_EXPORT std::ostream& operator<<(std::ostream& out, const Dim& dim);

} // namespace purview
