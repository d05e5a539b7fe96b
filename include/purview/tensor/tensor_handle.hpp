#pragma once

#include <purview/base/checked.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/reader/element_refs.hpp>
#include <purview/tensor/handle_shape.hpp>
#include <purview/tensor/lookup.hpp>
#include <purview/tensor/tensor_index.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <string>

namespace purview::inline v0_1 {

class AnyTensor;
class TakenOperand;
template <ElementType T>
class Tensor;
struct TensorDescription;

/// Integers that index: everything integral but bool.
template <typename I>
concept IndexInteger = std::integral<I> && !std::same_as<I, bool>;

/// An index of one axis in the access of a single element: an integer, or an element of a tensor of
/// integers.
template <typename I>
concept ElementIndex = IndexInteger<I> || kIsIntegerElement<I>;

/// An index that makes a view: see `TensorIndex`.
template <typename I>
concept IndexLike = std::convertible_to<const I&, TensorIndex>;

/// An entry of an index list in braces.
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
    /// The default argument of parameters that are not given.
    struct Absent {};

    BracedIndex(std::initializer_list<ListedIndex> list);
    template <IndexLike I>
    BracedIndex(const I& index) : index_(TensorIndex(index)) {}
    BracedIndex(Absent) noexcept {}

    const std::optional<TensorIndex>& index() const noexcept { return index_; }

private:
    std::optional<TensorIndex> index_;
};
/// The view selected by those `indexes` that are not absent. Throws as `select_operand` does.
PURVIEW_EXPORT Operand select_braced(const Operand& operand,
                                     const std::array<const BracedIndex*, 4>& indexes);

/// Whether an operand is a view of a writable leaf, in which each element has an address of its
/// own.
PURVIEW_EXPORT bool is_writable(const Operand& operand);
/// Throws `ReadOnlyError` naming `what` and the reason. `allowed`: the type of the handle permits
/// writing.
[[noreturn]] PURVIEW_EXPORT void throw_read_only(const char* what, const Operand& operand,
                                                 bool allowed = true);

class TensorHandle;
/// The address of the first element. Throws `ShapeError` unless the tensor is in memory, in
/// row-major order without gaps, aligned.
PURVIEW_EXPORT const void* contiguous_memory(const TensorHandle& tensor);
/// The address of the first element, for writing. Throws as `contiguous_memory` does, and
/// `ReadOnlyError`.
PURVIEW_EXPORT void* writable_contiguous_memory(const TensorHandle& tensor);

/// The base of all tensors: an expression, and the Dimensions through which it is seen. Whether it
/// can be written is decided by the derived types: `Tensor` (read-only), `MutableTensor`
/// (writable), `GatheredTensor` (writable through indexes), and `AnyTensor` (decided at run time).
///
/// A small handle. Copies alias, and share ownership of everything they read. Lazy means uncached:
/// a tensor sees later writes to its sources. Moving a handle copies it, or leaves an empty one of
/// shape [0] where an operation or an assignment takes a temporary: it stays valid.
class PURVIEW_EXPORT TensorHandle : public lookup::Tensors {
public:
    /// Whether functions that write accept this type as their destination.
    static constexpr bool kWritesThrough = false;

    DType dtype() const noexcept { return operand_.dtype(); }
    int rank() const noexcept { return operand_.dims.rank(); }
    HandleShape shape() const& { return HandleShape(operand_.dims.max_shape()); }
    ValueShape shape() && { return ValueShape(operand_.dims.max_shape()); }
    void shape(index_t axis) const = delete; // write extent(axis), shape()[axis]
    /// The size of one axis, which may count from the end. Throws `IndexError`.
    index_t extent(index_t axis) const;
    /// The number of elements.
    index_t size() const noexcept { return operand_.dims.size(); }
    /// The bytes of the elements when stored without gaps. Throws `ShapeError` if the number does
    /// not fit `index_t`, as for a huge constant.
    index_t size_bytes() const {
        return checked_multiply(size(), dtype().size_bytes(), "size_bytes");
    }
    bool empty() const noexcept { return size() == 0; }

    /// True: this type is read-only. Writable types hide this function.
    bool is_read_only() const noexcept { return true; }
    /// Whether the elements are in memory, here or on a device, in row-major order without gaps.
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
    /// The only element, of type T. Throws `DtypeError`, and `ShapeError` when there is not one
    /// element.
    template <ElementType T>
    T item() const;

    const Operand& operand() const noexcept { return operand_; }
    const Dimensions& dimensions() const noexcept { return operand_.dims; }

protected:
    explicit TensorHandle(const Operand& operand) noexcept : operand_(operand) {}
    explicit TensorHandle(Operand&& operand) noexcept : operand_(std::move(operand)) {}
    TensorHandle(const Operand& operand, std::span<const TensorIndex> indexes)
        : operand_(select_operand(operand, indexes)) {}
    TensorHandle(const TensorHandle&) = default;
    TensorHandle& operator=(const TensorHandle&) = default;
    ~TensorHandle() = default;

    void assign(TakenOperand&& taken) noexcept;

    /// The whole storage that this tensor is a view of, at rank 1. Throws `ShapeError` for a
    /// computed tensor.
    Operand storage_operand() const;
    TensorDescription description(bool read_only) const;

    /// Where an element lies in the memory of the leaf; null where that takes more than strides, and for indexes that are out of
    /// range or count from the end. No call, so that loops keep their values in registers.
    template <bool writable, std::size_t N>
    [[gnu::always_inline]] auto
    find_in_memory(const std::array<index_t, N>& coordinates) const noexcept {
        using Byte = std::conditional_t<writable, std::byte, const std::byte>;
        const Leaf* const leaf = leaf_of(operand_);
        const Dimensions& dims = operand_.dims;
        if (N > kInlineRank || leaf == nullptr || dims.rank() != static_cast<int>(N) ||
            !dims.is_inline())
            return static_cast<Byte*>(nullptr);
        const auto memory = [leaf] {
            if constexpr (writable)
                return leaf->writable_memory();
            else
                return leaf->memory();
        }();
        bool inside = memory.data != nullptr;
        for (std::size_t a = 0; a < N; ++a)
            inside &= static_cast<std::uint64_t>(coordinates[a]) <
                      static_cast<std::uint64_t>(dims.max_shape()[a]);
        if (!inside) return static_cast<Byte*>(nullptr);
        return static_cast<Byte*>(memory.data) + dims.local_of(coordinates) * memory.stride_bytes;
    }
    /// The address of the first element, as `contiguous_memory` gives it, and for a T that is not const
    /// `writable_contiguous_memory`. No call where strides say that aligned elements lie side by side.
    template <typename T>
    [[gnu::always_inline]] T* line_of() const {
        constexpr bool kWrites = !std::is_const_v<T>;
        const Leaf* const leaf = leaf_of(operand_);
        if (leaf != nullptr && operand_.dims.is_plain_line()) [[likely]] {
            const auto memory = [leaf] {
                if constexpr (kWrites)
                    return leaf->writable_memory();
                else
                    return leaf->memory();
            }();
            if (memory.data != nullptr && memory.stride_bytes == index_t{sizeof(T)} &&
                reinterpret_cast<std::uintptr_t>(memory.data) % alignof(T) == 0) [[likely]]
                return static_cast<T*>(memory.data) + operand_.dims.base();
        }
        if constexpr (kWrites)
            return static_cast<T*>(writable_contiguous_memory(*this));
        else
            return static_cast<T*>(contiguous_memory(*this));
    }
    /// The address of an element. Throws `IndexError`.
    index_t checked_address(ShapeSpan coordinates) const;
    /// The row-major index of an element. Precondition: the coordinates, which may count from the end, are in range.
    index_t index_of(ShapeSpan coordinates) const;

    /// Called before the handle is destroyed or rebound: shares ownership of its data with the
    /// living `Element`s that this thread has taken from it.
    void share_with_elements() const noexcept {
        if (has_element_refs()) [[unlikely]]
            keep_data_alive();
    }

    /// Assigns the element of the expression at an address to a constructed element at `out`.
    void read_computed(index_t address, void* out) const;

private:
    friend class TakenOperand;
    void keep_data_alive() const noexcept;
    ShapeSpan checked_strides() const;
    [[noreturn]] void throw_not_one_element() const;

    Operand operand_;
};

/// The operand of a temporary handle, for a node or a handle that moves from it: a chain of
/// operations counts no references. In the end the handle is empty, of shape [0].
class PURVIEW_EXPORT TakenOperand {
public:
    TakenOperand(TensorHandle& from, NodePtr empty) noexcept
        : from_(from.operand_), empty_(std::move(empty)) {}
    ~TakenOperand();
    TakenOperand(const TakenOperand&) = delete;
    TakenOperand& operator=(const TakenOperand&) = delete;
    operator Operand&&() const noexcept { return std::move(from_); }

private:
    Operand& from_;
    NodePtr empty_;
};
inline void TensorHandle::assign(TakenOperand&& taken) noexcept {
    operand_ = static_cast<Operand&&>(taken);
}

/// A handle class that names the kind of its results: see result_handle.hpp.
template <typename X>
concept NamesItsKind = requires {
    typename X::HandleKind;
};

/// A handle class with bound dims, which does not derive from `TensorHandle`: see named/.
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

/// A tensor of numbers, or of a type known at run time.
template <typename X>
concept OfNumbers = TensorLike<X> &&
    (!TypedTensor<X> || BuiltinType<typename std::remove_cvref_t<X>::value_type>);

/// A tensor whose type lets functions write through it, if its leaf is writable: a `MutableTensor`,
/// a view of one with bound dims, the result of `take` of one, or an `AnyTensor`, which decides at
/// run time. Not a `Tensor` or an expression.
template <typename X>
concept WritableHandle = TensorLike<X> && std::remove_cvref_t<X>::kWritesThrough;

/// `WritableHandle` as a constant: when it is asserted, compilers do not list the parts of the
/// concept.
template <typename X>
inline constexpr bool kIsWritable = WritableHandle<X>;

/// Prints type, shape and elements; leaves out the middle of large tensors. Reads what it prints.
PURVIEW_EXPORT std::ostream& operator<<(std::ostream& out, const TensorHandle& tensor);
/// The text that `operator<<` prints.
PURVIEW_EXPORT std::string to_string(const TensorHandle& tensor);

} // namespace purview
