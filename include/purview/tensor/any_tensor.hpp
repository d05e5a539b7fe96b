#pragma once

#include <purview/tensor/write_values.hpp>

#include <array>
#include <concepts>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

template <ElementType T>
class MutableTensor;

/// A tensor whose element type is known only at run time: what reading a file gives, and what any
/// tensor converts to. It remembers, through every view, whether it was made from something
/// writable: one made from a `Tensor` or from an expression is read-only. A small handle; see
/// `TensorHandle`.
class PURVIEW_EXPORT AnyTensor : public TensorHandle {
public:
    static constexpr bool kWritesThrough = true;

    /// The empty tensor of shape [0], of float64. For containers that default-construct their
    /// elements.
    AnyTensor() : TensorHandle(empty_operand<double>()) {}
    /// Read-only, even if the operand's memory is writable.
    explicit AnyTensor(const Operand& operand) noexcept : TensorHandle(operand) {}
    explicit AnyTensor(Operand&& operand) noexcept : TensorHandle(std::move(operand)) {}
    /// From any tensor: its static type decides whether the result may write.
    template <std::derived_from<TensorHandle> X>
        requires(!std::derived_from<X, AnyTensor>)
    AnyTensor(const X& tensor)
    noexcept : TensorHandle(tensor.operand()), may_write_(X::kWritesThrough) {}

    /// For functions that allocate memory: the result may write, provided the operand's leaf is
    /// writable.
    static AnyTensor writable(Operand operand) noexcept {
        return AnyTensor(std::move(operand), true);
    }
    /// A view of `source`, which may write if `source` may.
    static AnyTensor view_of(const AnyTensor& source, Operand operand) noexcept {
        return AnyTensor(std::move(operand), source.may_write_);
    }

    AnyTensor(const AnyTensor&) = default;
    ~AnyTensor() = default;
    /// Assignment to a name rebinds it, to any tensor or expression.
    AnyTensor& operator=(const AnyTensor&) & = default;
    /// `x(0, all) = values` writes elements. Values are a tensor, which is cast with checks and
    /// broadcast, or one number, text or time. Throws `ReadOnlyError`, `ShapeError`, `CastError`.
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
    template <WrittenValue V>
    void operator=(const V& value) && {
        require_may_write("assign");
        write_values(written_operand(value), operand());
    }

    /// Whether it was made from something writable. A computed tensor made so still cannot be
    /// written.
    bool may_write() const noexcept { return may_write_; }
    /// False for an l-tensor: one that may write, over a writable leaf, in which each element has
    /// an address of its own.
    bool is_read_only() const { return !may_write_ || !is_writable(operand()); }
    TensorDescription description() const;
    /// The whole storage that this tensor is a view of, as a tensor of rank 1; a write to it shows
    /// in every tensor over the storage. Throws `ShapeError` for a computed tensor.
    AnyTensor storage() const { return view_of(*this, storage_operand()); }

    /// The only element as a number: `double(x(1, 2))`. Throws `ShapeError` when there is not one
    /// element, `CastError` where it does not fit, `DtypeError` for elements that are not numbers.
    /// (Not to bool, so that `if (x)` does not compile: write `x.item<bool>()`.)
    template <typename N>
        requires(std::is_arithmetic_v<N> && !std::same_as<N, bool>)
    explicit operator N() const; // array_like.hpp

    /// This tensor with its static type, writable. Throws `DtypeError`, `ReadOnlyError`.
    template <ElementType T>
    MutableTensor<T> as_mutable() const;

    /// A view, or one element as a tensor of rank 0. See `TensorIndex` for what can be written.
    template <IndexLike... I>
    AnyTensor operator()(const I&... indexes) const {
        return view_of(*this, select_operand(operand(), std::array<TensorIndex, sizeof...(I)>{
                                                            TensorIndex(indexes)...}));
    }
    /// A view by indexes among which are lists in braces: `t({0, 2}, all)`.
    AnyTensor operator()(const BracedIndex& first,
                         const BracedIndex& second = BracedIndex::Absent(),
                         const BracedIndex& third = BracedIndex::Absent(),
                         const BracedIndex& fourth = BracedIndex::Absent()) const {
        return view_of(*this, select_braced(operand(), {&first, &second, &third, &fourth}));
    }
    /// The sub-tensor at `index` along the first axis, counting from the end if negative: of a
    /// matrix a row, as NumPy's `t[index]`. A view, O(1). Throws `IndexError`.
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
    /// Throws `ReadOnlyError` naming `what` unless `may_write()`.
    void require_may_write(const char* what) const {
        if (!may_write_) throw_read_only(what, operand(), false);
    }

private:
    AnyTensor(Operand&& operand, bool may_write) noexcept
        : TensorHandle(std::move(operand)), may_write_(may_write) {}

    bool may_write_ = false;
};

static_assert(sizeof(AnyTensor) <= 160);

/// Whether both read from the same allocation, or from the same mapped file.
PURVIEW_EXPORT bool shares_storage(const AnyTensor& a, const AnyTensor& b);

/// Whether some element of one lies in the memory of an element of the other. Exact within a work
/// limit, otherwise true. Overlaps hidden inside a user-written reader are not seen.
PURVIEW_EXPORT bool may_overlap(const AnyTensor& a, const AnyTensor& b);

} // namespace purview
