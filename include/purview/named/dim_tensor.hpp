#pragma once

#include <purview/evaluation/scatter.hpp>
#include <purview/named/deferred.hpp>
#include <purview/named/dim_operand.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/lookup.hpp>
#include <purview/tensor/result_handle.hpp>
#include <purview/tensor/text_places.hpp>

#include <array>
#include <iosfwd>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

template <ElementType T>
class DimTensor;
template <ElementType T>
class MutableDimTensor;
template <ElementType T>
class Symbol;

/// The kind of tensors with dims: an operation on one, or on a Dim, and anything else gives a
/// tensor with dims.
struct DimKind {
    static constexpr int kStrength = 2;
    template <ElementType T>
    using Handle = DimTensor<T>;
    using BesideTensor = DimKind;
    template <ElementType T>
    using Scalar = DimTensor<T>;
    static constexpr bool kDefersReductions = false;
    static constexpr bool kIsWeak = false;
};

template <typename F>
concept MakesDimOperand = std::is_invocable_r_v<DimOperand, const F&> && !TensorLike<F>;

/// The base of tensors some of whose axes are bound to Dims. Its positional axes are the others:
/// rank, shape and indexing refer to these only. Every operation works over the union of the dims
/// of its operands, as loops over the dims around it would. `order` turns dims back into axes.
///
/// A tensor without bound dims, as `order` gives, converts to a `Tensor` and is accepted wherever
/// one is. While dims are bound, everything that needs a Tensor throws `DimError`. Moving one
/// copies it.
class PURVIEW_EXPORT AnyDimTensor : public lookup::Tensors {
public:
    using HandleKind = DimKind;
    static constexpr bool kWritesThrough = false;

    explicit AnyDimTensor(DimOperand&& operand) noexcept : bound_(std::move(operand)) {}
    /// Of what `make` returns, which is not moved.
    template <MakesDimOperand Make>
    explicit AnyDimTensor(const Make& make) : bound_(make()) {}
    AnyDimTensor(const AnyDimTensor&) = default;
    AnyDimTensor& operator=(const AnyDimTensor&) = default;
    ~AnyDimTensor() = default;

    DType dtype() const noexcept {
        return bound_.is_deferred() ? bound_.deferred->dtype() : bound_.operand.dtype();
    }
    /// The number of positional axes.
    int rank() const noexcept { return rank_of(bound_); }
    /// The sizes of the positional axes. Throws `DimError` for a Dim without a size.
    Shape shape() const;
    /// The size of one positional axis, which may count from the end. Throws `IndexError`,
    /// `DimError`.
    index_t extent(index_t axis) const;
    /// The number of elements for each combination of dims. Throws `DimError`.
    index_t size() const;
    bool empty() const { return size() == 0; }

    /// The operand of a tensor without bound dims. Throws `DimError` naming the bound dims
    /// otherwise.
    Operand operand() const;
    /// The tensor, read-only, if no dims are bound. Throws `DimError` otherwise.
    operator AnyTensor() const { return AnyTensor(operand()); }

    // The queries of a tensor: see `AnyTensor`. They throw `DimError` while dims are bound.
    bool is_read_only() const { return AnyTensor(operand()).is_read_only(); }
    bool is_contiguous() const { return AnyTensor(operand()).is_contiguous(); }
    Shape strides() const { return AnyTensor(operand()).strides(); }
    index_t storage_offset() const { return AnyTensor(operand()).storage_offset(); }
    index_t size_bytes() const { return AnyTensor(operand()).size_bytes(); }
    TensorDescription description() const;

    /// For operations: the operand under its dims, which may be deferred; and the same, computed.
    const DimOperand& bound() const& noexcept { return bound_; }
    DimOperand bound() && noexcept { return std::move(bound_); }
    DimOperand settled() const { return purview::settled(bound_); }

private:
    DimOperand bound_;
};

inline const DimOperand& dim_operand(const AnyDimTensor& x) noexcept { return x.bound(); }

/// A tensor some of whose axes are bound to Dims: what indexing with a Dim gives. See
/// `AnyDimTensor`.
template <ElementType T>
class DimTensor : public AnyDimTensor {
public:
    using value_type = T;

    /// Precondition: the element type is T.
    explicit DimTensor(DimOperand&& operand) noexcept : AnyDimTensor(std::move(operand)) {}
    template <MakesDimOperand Make>
    explicit DimTensor(const Make& make) : AnyDimTensor(make) {}
    explicit DimTensor(Operand operand) noexcept
        : AnyDimTensor(DimOperand(std::move(operand), {})) {}
    /// The values of a Dim or an index expression.
    DimTensor(const AffineIndex& index) requires std::same_as<T, index_t>
        : AnyDimTensor(dim_operand(index)) {}

    DimTensor(const DimTensor&) = default;
    ~DimTensor() = default;
    DimTensor& operator=(const DimTensor&) & = default;
    /// Writing to a subscript of a read-only tensor: rejected at compile time.
    template <typename X>
    PURVIEW_REFUSED("t(…) = values: t is a Tensor, or computed from others, which only reads",
                    operator=(const X&) &&);

    /// The tensor, if no dims are bound. Throws `DimError` naming the bound dims otherwise.
    operator Tensor<T>() const { return Tensor<T>(operand()); }
    /// The same of what was traced: `Symbol<T> y = x(i, k) * 2 | order(k, i)`. Throws `DimError`
    /// naming the bound dims, `SymbolError` for what reads no symbol.
    operator Symbol<T>() const { return Symbol<T>(Symbol<T>::traced(operand())); }
    /// The only element, if there are neither bound dims nor axes. Throws `DimError`, `ShapeError`.
    /// Other numbers than `T` are made explicitly, but for a double of a float. There is no
    /// conversion to `std::size_t`, with which gcc 14 would take `std::vector<T>(t)` for a vector
    /// of that length: `item()` has it.
    template <typename U>
        requires(std::is_arithmetic_v<T>&& std::is_arithmetic_v<U> && !std::same_as<U, std::size_t>)
    explicit(!std::same_as<U, T> && !(std::same_as<T, float> && std::same_as<U, double>))
    operator U() const {
        return static_cast<U>(item());
    }
    operator T() const requires(!std::is_arithmetic_v<T>) { return item(); }
    T item() const { return Tensor<T>(operand()).item(); }

    // The elements of a tensor without bound dims: see `Tensor`. They throw `DimError` while dims
    // are bound.
    T read(index_t index) const { return Tensor<T>(operand()).read(index); }
    Tensor<T> storage() const { return Tensor<T>(operand()).storage(); }
    TensorIterator<T> begin() const { return Tensor<T>(operand()).begin(); }
    TensorIterator<T> end() const { return Tensor<T>(operand()).end(); }
    const T* data() const { return Tensor<T>(operand()).data(); }
    explicit operator std::span<const T>() const {
        return std::span<const T>(Tensor<T>(operand()));
    }
    explicit operator std::vector<T>() const { return std::vector<T>(Tensor<T>(operand())); }

    /// Indexes the positional axes; all dims stay. Throws `IndexError`.
    template <typename... I>
    auto operator()(const I&... indexes) const -> decltype(index_tensor(*this, indexes...)) {
        return index_tensor(*this, indexes...);
    }
    /// The sub-tensor at `index` along the first positional axis: a view. Throws `IndexError`.
    auto row(index_t index) const { return (*this)(index); }
#ifdef __cpp_multidimensional_subscript
    template <typename... I>
    auto operator[](const I&... indexes) const -> decltype(index_tensor(*this, indexes...)) {
        return index_tensor(*this, indexes...);
    }
#endif

    /// `function(operands…)` of the operands brought to the union of their dims; deferred while a
    /// Dim has no size.
    template <typename F, typename... Parts>
    static DimTensor combine(F function, const Parts&... parts);
};

/// Writes or adds values to the elements of a destination, in loops over the dims of the
/// destination, then over those that only the values have. Throws as `scatter` does, and `DimError`
/// for a Dim without a size.
PURVIEW_EXPORT void scatter_over_dims(const char* what, ScatterKind how, const DimOperand& values,
                                      const DimOperand& destination);
/// Any tensor as a `DimOperand`: with its dims, or with none.
template <TensorLike X>
DimOperand bound_operand(const X& x);

/// A writable tensor with bound dims: what indexing a `MutableTensor` with a Dim gives, and views
/// of that.
template <ElementType T>
class MutableDimTensor : public DimTensor<T> {
public:
    static constexpr bool kWritesThrough = true;

    /// For functions that allocate memory or make views: the operand's leaf will be written.
    explicit MutableDimTensor(DimOperand&& operand) noexcept : DimTensor<T>(std::move(operand)) {}
    template <MakesDimOperand Make>
    explicit MutableDimTensor(const Make& make) : DimTensor<T>(make) {}
    explicit MutableDimTensor(Operand operand) noexcept : DimTensor<T>(std::move(operand)) {}

    MutableDimTensor(const MutableDimTensor&) = default;
    ~MutableDimTensor() = default;
    /// Rebinds the name: it then refers to what the other one does.
    MutableDimTensor& operator=(const MutableDimTensor&) & = default;
    /// From anything read-only: realised into new memory, to which the name then refers. O(size).
    template <typename X>
    MutableDimTensor& operator=(const X& x) & {
        if constexpr (can_be_named<T, X>()) *this = cloned(DimTensor<T>(bound_operand(x)));
        return *this;
    }
    /// `A(i, j) = values` is `A[i, j] = values` in loops over the dims, as `assign`. Throws as
    /// `assign` does.
    void operator=(const MutableDimTensor& values) && {
        scatter_over_dims("assign", ScatterKind::assign, values.bound(), this->bound());
    }
    template <typename V>
    void operator=(const V& values) && {
        if constexpr (!can_be_written<T, V>())
            return;
        else if constexpr (TensorLike<V>)
            scatter_over_dims("assign", ScatterKind::assign, bound_operand(values), this->bound());
        else
            scatter_over_dims("assign", ScatterKind::assign, dim_operand(value_operand<T>(values)),
                              this->bound());
    }

    /// A view of one operand; see `DimTensor::combine`.
    template <typename F, typename... Parts>
    static MutableDimTensor combine(F function, const Parts&... parts) {
        return MutableDimTensor(DimTensor<T>::combine(std::move(function), parts...).bound());
    }

    operator AnyTensor() const { return AnyTensor::writable(this->operand()); }
    /// A tensor that writes to the same memory, if no dims are bound. Throws `DimError` naming the
    /// bound dims otherwise, `ReadOnlyError` if elements share addresses.
    operator MutableTensor<T>() const { return AnyTensor(*this).template as_mutable<T>(); }

    // As of a `MutableTensor`. They throw `DimError` while dims are bound.
    bool is_read_only() const { return mutable_tensor().is_read_only(); }
    auto description() const { return mutable_tensor().description(); }
    MutableTensor<T> storage() const { return mutable_tensor().storage(); }
    TensorIterator<T, true> begin() const { return mutable_tensor().begin(); }
    TensorIterator<T, true> end() const { return mutable_tensor().end(); }
    T* data() const { return mutable_tensor().data(); }
    explicit operator std::span<T>() const { return std::span<T>(mutable_tensor()); }

    /// Indexes the positional axes; all dims stay. Throws `IndexError`.
    template <typename... I>
    auto operator()(const I&... indexes) const -> decltype(index_tensor(*this, indexes...)) {
        return index_tensor(*this, indexes...);
    }
    /// The sub-tensor at `index` along the first positional axis: a view that writes through.
    auto row(index_t index) const { return (*this)(index); }
#ifdef __cpp_multidimensional_subscript
    template <typename... I>
    auto operator[](const I&... indexes) const -> decltype(index_tensor(*this, indexes...)) {
        return index_tensor(*this, indexes...);
    }
#endif

private:
    MutableTensor<T> mutable_tensor() const { return MutableTensor<T>(this->operand()); }
};

template <ElementType T>
struct WritableFormOf<DimTensor<T>, true> {
    using type = MutableDimTensor<T>;
};

/// The handle of a view over dims: it stays writable where X is.
template <typename X>
using DimView = WritableForm<DimTensor<typename X::value_type>, WritableHandle<X>>;

/// Any tensor as a `DimOperand`: with its dims, or with none.
template <TensorLike X>
DimOperand bound_operand(const X& x) {
    if constexpr (HasDims<X>)
        return dim_operand(x);
    else
        return dim_operand(x.operand());
}

/// A function of operands without its type. `copy` and `destroy` serve operations that are deferred,
/// which keep it.
struct OperandFunction {
    const void* function;
    Operand (*call)(const void* function, std::span<const Operand* const> operands);
    const void* (*copy)(const void* function);
    void (*destroy)(const void* function) noexcept;
};

/// `function(operands)` of operands brought to the union of their dims. If the positional axes alone
/// cause the error, the message is about them.
PURVIEW_EXPORT DimOperand combine_operands(std::span<const DimOperand* const> operands,
                                           const OperandFunction& function);
/// `function(operands)` of operands brought to the union of their dims, deferred if dims that they
/// wait for have no size yet; the result then has the element type `dtype`.
PURVIEW_EXPORT DimOperand combine_or_defer(DType dtype, std::span<const DimOperand* const> operands,
                                           const OperandFunction& function);

template <ElementType T>
template <typename F, typename... Parts>
DimTensor<T> DimTensor<T>::combine(F function, const Parts&... parts) {
    const OperandFunction erased{
        &function,
        [](const void* f, std::span<const Operand* const> x) -> Operand {
            return [&]<std::size_t... I>(std::index_sequence<I...>) {
                return (*static_cast<const F*>(f))(*x[I]...);
            }
            (std::index_sequence_for<Parts...>{});
        },
        [](const void* f) -> const void* { return new F(*static_cast<const F*>(f)); },
        [](const void* f) noexcept { delete static_cast<const F*>(f); }};
    const auto combine_parts = [&](const auto&... operands) {
        const DimOperand* const list[] = {&operands...};
        return combine_or_defer(kDType<T>, {list, sizeof...(Parts)}, erased);
    };
    return DimTensor([&] { return combine_parts(dim_operand(parts)...); });
}

/// The `clone` of a tensor with dims: new memory, under the same dims.
template <HasDims X>
MutableDimTensor<typename X::value_type> cloned(const X& x) {
    using T = typename X::value_type;
    DimOperand source = settled(dim_operand(x));
    source.operand = tensor(Tensor<T>(std::move(source.operand))).operand();
    return MutableDimTensor<T>(std::move(source));
}

/// Where a tensor of strings has one, as errors say it: "at i = 3, index 1". Settled when it is
/// asked, and no earlier.
PURVIEW_EXPORT TextPlacesPtr places_in(const DimOperand& texts);

/// What `explain` says of a tensor with dims: how its elements would be computed, dims first.
template <HasDims X>
AnyTensor explained(const X& x) {
    return AnyTensor(settled(dim_operand(x)).operand);
}

/// Prints the elements, dims first, and `with dims=(i, j) sizes=(4, 4)`; positional axes are
/// printed as numbers: `with dims=(i, 0)`. Throws `DimError` for a Dim without a size. Reads what
/// it prints.
PURVIEW_EXPORT std::ostream& operator<<(std::ostream& out, const AnyDimTensor& tensor);
/// Prints the values of a Dim or of an index expression; while a size is missing, the name or the
/// expression.
PURVIEW_EXPORT std::ostream& operator<<(std::ostream& out, const AffineIndex& index);
PURVIEW_EXPORT std::ostream& operator<<(std::ostream& out, const Dim& dim);

} // namespace purview
