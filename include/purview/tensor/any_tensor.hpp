#pragma once

#include <purview/base/checked.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/reader/lent_places.hpp>
#include <purview/tensor/handle_shape.hpp>
#include <purview/tensor/tensor_index.hpp>

#include <array>
#include <concepts>
#include <iosfwd>

namespace purview {

template <ElementType T>
class Tensor;
template <ElementType T>
class MutableTensor;
struct TensorDescription;

/// Integers that index: everything integral but bool.
template <typename I>
concept IndexInteger = std::integral<I> && !std::same_as<I, bool>;

/// What one axis is indexed at for a single element: integers, and elements of tensors of them.
template <typename I>
concept ElementIndex = IndexInteger<I> || kIsIntegerElement<I>;

/// What indexing takes beside integers: see `TensorIndex`.
template <typename I>
concept IndexLike = std::convertible_to<const I&, TensorIndex>;

/// A tensor whose element type is known only at run time: what a file gives you, and the part of
/// every tensor that does not depend on its type.
///
/// A small handle: an expression and the Dimensions through which it is seen. Copies alias, and share
/// ownership of everything they read. Lazy means uncached: a tensor sees later writes to its sources.
/// Moving one copies it, so that a handle that was moved from is not half of one.
class PURVIEW_EXPORT AnyTensor {
public:
    explicit AnyTensor(const Operand& operand) noexcept : operand_(operand) {}
    explicit AnyTensor(Operand&& operand) noexcept : operand_(std::move(operand)) {}
    AnyTensor(const AnyTensor&) = default;
    AnyTensor& operator=(const AnyTensor&) = default;
    ~AnyTensor() = default;

    DType dtype() const noexcept { return operand_.dtype(); }
    int rank() const noexcept { return operand_.dims.rank(); }
    HandleShape shape() const& { return HandleShape(operand_.dims.max_shape()); }
    ValueShape shape() && { return ValueShape(operand_.dims.max_shape()); }
    /// The size of one axis, which may count from the end. Throws `IndexError`.
    index_t extent(index_t axis) const;
    /// The number of elements.
    index_t size() const noexcept { return operand_.dims.size(); }
    /// The bytes that the elements take when stored without gaps.
    /// Throws `ShapeError` where an index cannot hold the number, as a huge constant's.
    index_t size_bytes() const {
        return checked_multiply(size(), dtype().size_bytes(), "size_bytes");
    }
    bool empty() const noexcept { return size() == 0; }

    /// False for an l-tensor: over something writable, with an address of its own for each element.
    bool is_read_only() const;
    /// Memory in row-major order without gaps.
    bool is_contiguous() const noexcept;
    /// Elements to skip per step along each axis. Throws `ShapeError` where no strides describe the
    /// layout: for computed tensors, and rotated, tiled or listed axes.
    HandleShape strides() const& { return HandleShape(checked_strides()); }
    ValueShape strides() && { return ValueShape(checked_strides()); }
    /// The index in `storage()` of the first element. Throws `ShapeError` like `strides`.
    index_t storage_offset() const;
    /// All that this tensor is a view of, as a tensor of rank 1: writes show in every tensor over it.
    /// Throws `ShapeError` for a computed tensor.
    AnyTensor storage() const;
    /// Type, shape, access and, where known, layout and storage. O(rank), reads no element.
    TensorDescription description() const;

    /// This tensor with its static type. Throws `DtypeError`, and `ReadOnlyError` for the second.
    template <ElementType T>
    Tensor<T> as() const;
    template <ElementType T>
    MutableTensor<T> as_mutable() const;
    /// The only element, of type T. Throws `DtypeError`, and `ShapeError` when there is not one element.
    template <ElementType T>
    T item() const;

    /// A view, or one element as a tensor of rank 0. See `TensorIndex` for what can be written.
    template <IndexLike... I>
    AnyTensor operator()(const I&... indexes) const {
        return AnyTensor(select_operand(
            operand_, std::array<TensorIndex, sizeof...(I)>{TensorIndex(indexes)...}));
    }
#ifdef __cpp_multidimensional_subscript
    template <IndexLike... I>
    AnyTensor operator[](const I&... indexes) const {
        return (*this)(indexes...);
    }
#endif

    /// Throws `ReadOnlyError` naming `what` and the reason if this is an r-tensor.
    void require_writable(const char* what) const {
        if (is_read_only()) throw_read_only(what);
    }

    const Operand& operand() const noexcept { return operand_; }
    const Dimensions& dimensions() const noexcept { return operand_.dims; }

protected:
    /// The address of an element. Throws `IndexError`.
    template <std::size_t N>
    index_t address_of(const std::array<index_t, N>& coordinates) const {
        if constexpr (N <= kInlineRank) {
            const ShapeSpan shape = operand_.dims.max_shape();
            if (shape.size() == N) [[likely]] {
                bool inside = true;
                for (std::size_t a = 0; a < N; ++a)
                    inside &= static_cast<std::uint64_t>(coordinates[a]) <
                              static_cast<std::uint64_t>(shape[a]);
                if (inside) return operand_.dims.local_of(coordinates);
            }
        }
        return checked_address(coordinates);
    }

    /// Before the handle goes, or names something else: elements that this thread has taken from it, and that
    /// are still there, get its share of what they refer to.
    void leave_to_elements() const noexcept {
        if (anything_lent()) [[unlikely]]
            leave_share();
    }

    [[noreturn]] void throw_read_only(const char* what) const;
    /// Assigns the element of the expression at an address to a constructed element at `out`.
    void read_computed(index_t address, void* out) const;

private:
    void leave_share() const noexcept;
    ShapeSpan checked_strides() const;
    [[noreturn]] void throw_not_one_element() const;
    index_t checked_address(ShapeSpan coordinates) const;

    Operand operand_;
};

static_assert(sizeof(AnyTensor) <= 160);

/// A handle that says which one the results of operations have: see result_handle.hpp.
template <typename X>
concept NamesItsKind = requires {
    typename X::HandleKind;
};

/// What has bound dims instead of being an `AnyTensor`: see named/.
template <typename X>
concept HasDims =
    NamesItsKind<std::remove_cvref_t<X>> && !std::derived_from<std::remove_cvref_t<X>, AnyTensor>;

/// Any tensor, static or run-time typed.
template <typename X>
concept TensorLike = std::derived_from<std::remove_cvref_t<X>, AnyTensor> || HasDims<X>;

/// A tensor with a static element type.
template <typename X>
concept TypedTensor = TensorLike<X> && requires {
    typename std::remove_cvref_t<X>::value_type;
};

/// Whether both read (part of) the same allocation.
PURVIEW_EXPORT bool shares_storage(const AnyTensor& a, const AnyTensor& b);

/// Whether some element of one lies where an element of the other does. Exact within a work limit,
/// otherwise true. It cannot see through a reader that a user has written.
PURVIEW_EXPORT bool may_overlap(const AnyTensor& a, const AnyTensor& b);

/// Prints type, shape and elements; the middle of large tensors is left out. Reads what it prints.
PURVIEW_EXPORT std::ostream& operator<<(std::ostream& out, const AnyTensor& tensor);

} // namespace purview
