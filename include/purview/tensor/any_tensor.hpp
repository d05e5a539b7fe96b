#pragma once

#include <purview/tensor/write_values.hpp>

#include <array>
#include <concepts>
#include <type_traits>
#include <utility>

namespace purview {

template <ElementType T>
class MutableTensor;

/// A tensor whose element type is known only at run time: what a file gives you, and what any tensor
/// converts to. It remembers whether it was made of something that can be written, through every view:
/// one made of a `Tensor` or of an expression only reads. A small handle; see `TensorHandle`.
class PURVIEW_EXPORT AnyTensor : public TensorHandle {
public:
    static constexpr bool kWritesThrough = true;

    /// The empty tensor of shape [0], of float64: what a map of tensors makes before it is assigned.
    AnyTensor() : TensorHandle(empty_operand<double>()) {}
    /// Only reads, whatever the operand lies over.
    explicit AnyTensor(const Operand& operand) noexcept : TensorHandle(operand) {}
    explicit AnyTensor(Operand&& operand) noexcept : TensorHandle(std::move(operand)) {}
    /// Of any tensor: its static type decides whether the result may write.
    template <std::derived_from<TensorHandle> X>
        requires(!std::derived_from<X, AnyTensor>)
    AnyTensor(const X& tensor)
    noexcept : TensorHandle(tensor.operand()), may_write_(X::kWritesThrough) {}

    /// For makers of memory: an operand that may be written if it lies in something writable.
    static AnyTensor writable(Operand operand) noexcept {
        return AnyTensor(std::move(operand), true);
    }
    /// A view of `source`, which may write if `source` may.
    static AnyTensor view_of(const AnyTensor& source, Operand operand) noexcept {
        return AnyTensor(std::move(operand), source.may_write_);
    }

    AnyTensor(const AnyTensor&) = default;
    ~AnyTensor() = default;
    /// A name is rebound: to any tensor, an expression too.
    AnyTensor& operator=(const AnyTensor&) & = default;
    /// `x(0, all) = values`: a subscript is written. Values are a tensor, cast, checked, and broadcast, or one number.
    /// Throws `ReadOnlyError`, `ShapeError`, `CastError`.
    void operator=(const AnyTensor& values) && {
        require_may_write("assign");
        write_values(values.operand(), operand());
    }
    template <typename V>
        requires std::is_arithmetic_v<V>
    void operator=(V value) && {
        require_may_write("assign");
        write_values(number_operand(value), operand());
    }

    /// Whether it was made of something that writes. What is computed then still cannot be written.
    bool may_write() const noexcept { return may_write_; }
    /// False for an l-tensor: one that may write, over something writable, with an address of its own for
    /// each element.
    bool is_read_only() const { return !may_write_ || !is_writable(operand()); }
    TensorDescription description() const;
    /// All that this tensor is a view of, as a tensor of rank 1: writes show in every tensor over it.
    /// Throws `ShapeError` for a computed tensor.
    AnyTensor storage() const { return view_of(*this, storage_operand()); }

    /// This tensor with its static type, to be written. Throws `DtypeError`, `ReadOnlyError`.
    template <ElementType T>
    MutableTensor<T> as_mutable() const;

    /// A view, or one element as a tensor of rank 0. See `TensorIndex` for what can be written.
    template <IndexLike... I>
    AnyTensor operator()(const I&... indexes) const {
        return view_of(*this, select_operand(operand(), std::array<TensorIndex, sizeof...(I)>{
                                                            TensorIndex(indexes)...}));
    }
    /// Where some are lists in braces: `t({0, 2}, all)`.
    AnyTensor operator()(const BracedIndex& first,
                         const BracedIndex& second = BracedIndex::Absent(),
                         const BracedIndex& third = BracedIndex::Absent(),
                         const BracedIndex& fourth = BracedIndex::Absent()) const {
        return view_of(*this, select_braced(operand(), {&first, &second, &third, &fourth}));
    }
    /// Number `index` along the first axis, which may count from the end: of a matrix a row, as NumPy's `t[index]`. A
    /// view, O(1). Throws `IndexError`.
    AnyTensor row(index_t index) const { return (*this)(index); }
#ifdef __cpp_multidimensional_subscript
    template <IndexLike... I>
    AnyTensor operator[](const I&... indexes) const {
        return (*this)(indexes...);
    }
#endif

    /// Throws `ReadOnlyError` naming `what` and the reason if this is an r-tensor.
    void require_writable(const char* what) const {
        if (is_read_only()) throw_read_only(what, operand(), may_write_);
    }
    /// Throws `ReadOnlyError` naming `what` if this was made of something that only reads.
    void require_may_write(const char* what) const {
        if (!may_write_) throw_read_only(what, operand(), false);
    }

private:
    AnyTensor(Operand&& operand, bool may_write) noexcept
        : TensorHandle(std::move(operand)), may_write_(may_write) {}

    bool may_write_ = false;
};

static_assert(sizeof(AnyTensor) <= 160);

/// Whether both read (part of) the same allocation, or of the same mapped file.
PURVIEW_EXPORT bool shares_storage(const AnyTensor& a, const AnyTensor& b);

/// Whether some element of one lies where an element of the other does. Exact within a work limit,
/// otherwise true. It cannot see through a reader that a user has written.
PURVIEW_EXPORT bool may_overlap(const AnyTensor& a, const AnyTensor& b);

} // namespace purview
