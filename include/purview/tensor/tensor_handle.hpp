#pragma once

#include <purview/base/checked.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/reader/lent_places.hpp>
#include <purview/tensor/handle_shape.hpp>
#include <purview/tensor/lookup.hpp>
#include <purview/tensor/tensor_index.hpp>

#include <array>
#include <concepts>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <string>

namespace purview {

class AnyTensor;
template <ElementType T>
class Tensor;
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

/// An index in a list in braces.
struct ListedIndex {
    template <ElementIndex I>
    ListedIndex(const I& index) : value(to_index(index)) {}

    index_t value;
};
/// A list in braces as an index.
PURVIEW_EXPORT IndexSequencePtr listed_indexes(std::initializer_list<ListedIndex> list);
/// An index of a call in which some are lists in braces: `t({0, 2}, all)` is `t(indexes({0, 2}), all)`.
class PURVIEW_EXPORT BracedIndex {
public:
    /// No argument.
    struct Absent {};

    BracedIndex(std::initializer_list<ListedIndex> list);
    template <IndexLike I>
    BracedIndex(const I& index) : index_(TensorIndex(index)) {}
    BracedIndex(Absent) noexcept {}

    const std::optional<TensorIndex>& index() const noexcept { return index_; }

private:
    std::optional<TensorIndex> index_;
};
/// The view that those which are not absent make. Throws as `select_operand` does.
PURVIEW_EXPORT Operand select_braced(const Operand& operand,
                                     const std::array<const BracedIndex*, 4>& indexes);

/// Whether an operand lies in something writable, each element at an address of its own.
PURVIEW_EXPORT bool is_writable(const Operand& operand);
/// Throws `ReadOnlyError` naming `what` and the reason. `allowed`: the handle does not forbid writing.
[[noreturn]] PURVIEW_EXPORT void throw_read_only(const char* what, const Operand& operand,
                                                 bool allowed = true);

/// What all tensors have in common: an expression and the Dimensions through which it is seen. It says
/// nothing of writing: that is decided by the types derived from it, `Tensor` (only reads), `MutableTensor`
/// (writes), `GatheredTensor` (writes through indexes), and by `AnyTensor` at run time.
///
/// A small handle. Copies alias, and share ownership of everything they read. Lazy means uncached: a tensor
/// sees later writes to its sources. Moving one copies it, so that a handle that was moved from is not half
/// of one.
class PURVIEW_EXPORT TensorHandle : public lookup::Tensors {
public:
    /// Whether functions that write take this type as their destination.
    static constexpr bool kWritesThrough = false;

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

    /// True: this type does not write. Those that do say whether they can.
    bool is_read_only() const noexcept { return true; }
    /// Memory in row-major order without gaps.
    bool is_contiguous() const noexcept;
    /// Elements to skip per step along each axis. Throws `ShapeError` where no strides describe the
    /// layout: for computed tensors, and rotated, tiled or listed axes.
    HandleShape strides() const& { return HandleShape(checked_strides()); }
    ValueShape strides() && { return ValueShape(checked_strides()); }
    /// The index in `storage()` of the first element. Throws `ShapeError` like `strides`.
    index_t storage_offset() const;
    /// Type, shape, access and, where known, layout and storage. O(rank), reads no element.
    TensorDescription description() const;

    /// This tensor with its static type. Throws `DtypeError`.
    template <ElementType T>
    Tensor<T> as() const;
    /// The only element, of type T. Throws `DtypeError`, and `ShapeError` when there is not one element.
    template <ElementType T>
    T item() const;

    const Operand& operand() const noexcept { return operand_; }
    const Dimensions& dimensions() const noexcept { return operand_.dims; }

protected:
    explicit TensorHandle(const Operand& operand) noexcept : operand_(operand) {}
    explicit TensorHandle(Operand&& operand) noexcept : operand_(std::move(operand)) {}
    TensorHandle(const TensorHandle&) = default;
    TensorHandle& operator=(const TensorHandle&) = default;
    ~TensorHandle() = default;

    /// All that this tensor is a view of, at rank 1. Throws `ShapeError` for a computed tensor.
    Operand storage_operand() const;
    TensorDescription description(bool read_only) const;

    /// Number `index` along the first axis. Throws `IndexError`.
    Operand row_operand(index_t index) const {
        return select_operand(operand_, std::array{TensorIndex(index)});
    }
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

    /// Assigns the element of the expression at an address to a constructed element at `out`.
    void read_computed(index_t address, void* out) const;

private:
    void leave_share() const noexcept;
    ShapeSpan checked_strides() const;
    [[noreturn]] void throw_not_one_element() const;
    index_t checked_address(ShapeSpan coordinates) const;

    Operand operand_;
};

/// Throws `ShapeError` unless the tensor lies in memory, in row-major order without gaps, aligned.
PURVIEW_EXPORT const void* contiguous_memory(const TensorHandle& tensor);
/// The same for memory that may be written: throws `ReadOnlyError` too.
PURVIEW_EXPORT void* writable_contiguous_memory(const TensorHandle& tensor);

/// A handle that says which one the results of operations have: see result_handle.hpp.
template <typename X>
concept NamesItsKind = requires {
    typename X::HandleKind;
};

/// What has bound dims instead of being a `TensorHandle`: see named/.
template <typename X>
concept HasDims = NamesItsKind<std::remove_cvref_t<X>> &&
    !std::derived_from<std::remove_cvref_t<X>, TensorHandle>;

/// Any tensor, static or run-time typed.
template <typename X>
concept TensorLike = std::derived_from<std::remove_cvref_t<X>, TensorHandle> || HasDims<X>;

template <TensorLike X>
inline constexpr bool kIsTensor<X> = true;

/// A tensor with a static element type.
template <typename X>
concept TypedTensor = TensorLike<X> && requires {
    typename std::remove_cvref_t<X>::value_type;
};

/// A tensor whose type lets functions write through it, as far as it lies in something writable: a
/// `MutableTensor`, one with bound dims of such a tensor, what `take` gives of one, or an `AnyTensor`, which
/// decides at run time. A `Tensor` is none, nor an expression or whatever else is made of them.
template <typename X>
concept WritableHandle = TensorLike<X> && std::remove_cvref_t<X>::kWritesThrough;

/// The same as a constant: where it is asserted, compilers do not recite what the concept is made of.
template <typename X>
inline constexpr bool kIsWritable = WritableHandle<X>;

/// Prints type, shape and elements; the middle of large tensors is left out. Reads what it prints.
PURVIEW_EXPORT std::ostream& operator<<(std::ostream& out, const TensorHandle& tensor);
/// What that prints to a new stream.
PURVIEW_EXPORT std::string to_string(const TensorHandle& tensor);

} // namespace purview
