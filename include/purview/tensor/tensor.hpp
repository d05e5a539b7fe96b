#pragma once

#include <purview/base/range_concepts.hpp>
#include <purview/base/refused.hpp>
#include <purview/dtype/element_access.hpp>
#include <purview/expression/constant.hpp>
#include <purview/reader/swap_elements.hpp>
#include <purview/tensor/any_tensor.hpp>
#include <purview/tensor/index_calls.hpp>
#include <purview/tensor/tensor_iterator.hpp>
#include <purview/tensor/write_values.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// An n-dimensional array that can be read: memory, a reader, or an expression over others that
/// computes its elements when they are asked for. A small handle that shares ownership of everything
/// it reads; see `TensorHandle`. A random-access view of its elements in row-major order. Nothing can be
/// written through one, whatever it lies over.
template <ElementType T>
class Tensor : public TensorHandle, public IndexCalls<Tensor<T>> {
public:
    using value_type = T;
    using const_iterator = TensorIterator<T>;

    /// The empty tensor of shape [0].
    Tensor() : TensorHandle(empty_operand<T>()) {}

    /// Precondition: `operand.dtype() == kDType<T>`.
    template <OperandLike O>
    explicit Tensor(O&& operand) noexcept : TensorHandle(std::forward<O>(operand)) {
        PURVIEW_ASSERT(dtype() == kDType<T>);
    }
    // Constructors that other libraries have: refused in one sentence.
    // clang-format off
    Tensor(std::initializer_list<ValueInBraces<T>>) = delete; // values make a tensor by tensor({1., 2.}), a shape by zeros({2, 3})
    template <typename X, typename Y = std::initializer_list<index_t>, typename... Z>
    explicit Tensor(const X&, const Y&, const Z&...) = delete; // a shape makes a tensor by zeros({2, 3}), full({2, 3}, value)
    // clang-format on

    // Moving copies, but for assignments. (Where none fits, compilers list them: there are few.)
    Tensor(const Tensor&) noexcept = default;
    ~Tensor() = default;
    Tensor& operator=(const Tensor&) & = default;
    /// The other one becomes empty, of shape [0].
    template <std::same_as<Tensor> X>
    requires BuiltinType<T> Tensor& operator=(X&& other) & noexcept {
        if (this != &other) this->assign(TakenOperand(other, empty_node<T>()));
        return *this;
    }
    /// Writing to a subscript of a read-only tensor: rejected at compile time.
    template <typename X>
    PURVIEW_REFUSED("t(…) = values: t is a Tensor, which only reads", operator=(const X&) &&);

    /// The element at integer coordinates, one per axis, each in [-n, n). Throws `IndexError`.
    /// Reading a computed tensor this way compiles its expression each time.
    template <ElementIndex... I>
    ReadElement<T> operator()(I... indexes) const {
        return value_at(std::array<index_t, sizeof...(I)>{to_index(indexes)...});
    }
    /// A view; see `TensorIndex`. O(1) but for lists and masks.
    template <IndexLike... I>
        requires(!(ElementIndex<I> && ...))
    Tensor operator()(const I&... indexes) const {
        const TensorIndex list[] = {TensorIndex(indexes)...};
        return Tensor(operand(), std::span<const TensorIndex>(list));
    }
    using IndexCalls<Tensor>::operator();
    using IndexCalls<Tensor>::operator[];
    template <typename... I>
        requires IndexedByDims<Tensor, I...>
    auto operator()(const I&... indexes) const { return index_tensor(*this, indexes...); }
    /// The sub-tensor at `index` along the first axis. Throws `IndexError`.
    Tensor row(index_t index) const {
        return Tensor(operand(), std::span<const TensorIndex>(std::array{TensorIndex(index)}));
    }
#ifdef __cpp_multidimensional_subscript
    template <typename... I>
        requires requires(const Tensor& t, const I&... indexes) { t(indexes...); }
    decltype(auto) operator[](const I&... indexes) const { return (*this)(indexes...); }
#endif

    /// The element at a row-major index in [0, size()).
    T read(index_t index) const {
        const Dimensions& dims = dimensions();
        return read_at(dims.is_contiguous() ? dims.base() + index : dims.global_to_local(index));
    }

    T item() const { return TensorHandle::item<T>(); }
    /// The whole storage, as a tensor of rank 1. Throws `ShapeError` for a computed tensor.
    Tensor storage() const { return Tensor(storage_operand()); }

    /// The address of the first of the contiguous elements; borrowed. Throws `ShapeError` if they
    /// are not aligned in memory, row-major without gaps: `contiguous` makes them so. O(rank).
    const T* data() const { return this->template line_of<const T>(); }
    /// The elements as `as_span` gives them: `std::span<const T>(t)`. Throws what `data` throws.
    explicit operator std::span<const T>() const {
        return {data(), static_cast<std::size_t>(size())};
    }
    /// A copy in row-major order: `std::vector<T>(t)`, as `to_vector(t)`. O(size).
    explicit operator std::vector<T>() const; // copy.hpp

    TensorIterator<T> begin() const { return TensorIterator<T>(operand(), 0); }
    TensorIterator<T> end() const { return TensorIterator<T>(operand(), size()); }

protected:
    Tensor(const Operand& operand, std::span<const TensorIndex> indexes)
        : TensorHandle(operand, indexes) {}

    template <std::size_t N>
    [[gnu::always_inline]] T value_at(const std::array<index_t, N>& coordinates) const {
        if (const void* const found = this->template find_in_memory<false>(coordinates)) [[likely]]
            return load_element<T>(found);
        return other_value_at(coordinates).get();
    }
    template <std::size_t N>
    [[gnu::cold, gnu::noinline]] ColdResult<T>
    other_value_at(std::array<index_t, N> coordinates) const noexcept {
        return cold_result([&] { return read_at(this->checked_address(coordinates)); });
    }
    T read_at(index_t address) const {
        if (const Leaf* const leaf = leaf_of(operand()); leaf != nullptr && leaf->memory())
            [[likely]]
            return load_element<T>(static_cast<const std::byte*>(leaf->memory().data) +
                                   address * leaf->memory().stride_bytes);
        T value{};
        read_computed(address, &value);
        return value;
    }
};

/// A tensor that can also be written: over memory or a writer, in which each element has an address
/// of its own. Constness is shallow, like that of a span.
template <ElementType T>
class MutableTensor : public Tensor<T>, public IndexCalls<MutableTensor<T>> {
public:
    using iterator = TensorIterator<T, true>;
    static constexpr bool kWritesThrough = true;

    MutableTensor() = default;
    /// For makers of memory and of views: what the operand lies over will be written.
    template <OperandLike O>
    explicit MutableTensor(O&& operand) noexcept : Tensor<T>(std::forward<O>(operand)) {}
    // Refused, as of a `Tensor`.
    // clang-format off
    MutableTensor(std::initializer_list<ValueInBraces<T>>) = delete; // values make a tensor by tensor({1., 2.}), a shape by zeros({2, 3})
    template <typename X, typename Y = std::initializer_list<index_t>, typename... Z>
    explicit MutableTensor(const X&, const Y&, const Z&...) = delete; // a shape makes a tensor by zeros({2, 3}), full({2, 3}, value)
    // clang-format on
    template <typename U>
    explicit MutableTensor(const std::vector<U>&) = delete; // write auto t = tensor(values)
    template <typename N>
        requires std::is_arithmetic_v<N>
    explicit MutableTensor(N) = delete; // write zeros(n)
    /// Refused: what only reads is cloned, into memory of its own.
    template <ElementType U>
    MutableTensor(const Tensor<U>&) = delete; // write auto c = clone(x * 2)

    MutableTensor(const MutableTensor&) noexcept = default;
    ~MutableTensor() { this->share_with_elements(); }
    /// `x = y` rebinds the name: x then refers to what y refers to.
    MutableTensor& operator=(const MutableTensor& other) & {
        this->share_with_elements();
        Tensor<T>::operator=(other);
        return *this;
    }
    MutableTensor& operator=(MutableTensor&& other) & noexcept {
        return *this = std::as_const(other);
    }
    /// `x = x * 2`, of anything read-only: realised into new memory, to which x then refers; other
    /// handles keep the old memory. (`copy(x * 2, x)` writes into the old one.) O(size).
    template <typename X>
    MutableTensor& operator=(const X& x) & {
        if constexpr (can_be_named<T, X>()) {
            if constexpr (std::convertible_to<const X&, MutableTensor>)
                if (!AnyTensor(x).is_read_only()) return *this = static_cast<MutableTensor>(x);
            *this = tensor(static_cast<const Tensor<T>&>(x));
        }
        return *this;
    }
    /// `x(0, all) = values` writes elements: of a tensor, cast with checks and broadcast, or one
    /// value; the two may overlap. Throws `ReadOnlyError`, `ShapeError`, `CastError`.
    void operator=(const MutableTensor& values) && {
        write_values(values.operand(), this->operand());
    }
    template <typename V>
    void operator=(const V& values) && {
        if constexpr (can_be_written<T, V>())
            write_values(values_operand<T>(values), this->operand());
    }

    /// A reference to the element at integer coordinates. It may outlive this tensor, whose memory
    /// it then keeps. Throws `IndexError`; writing throws `ReadOnlyError` if the tensor is not
    /// writable, and `CastError` for numbers that do not fit.
    template <ElementIndex... I>
    [[gnu::always_inline]] Element<T> operator()(I... indexes) const {
        return element_at(std::array<index_t, sizeof...(I)>{to_index(indexes)...});
    }
    /// A view that writes through; see `TensorIndex`.
    template <IndexLike... I>
        requires(!(ElementIndex<I> && ...))
    MutableTensor operator()(const I&... indexes) const {
        const TensorIndex list[] = {TensorIndex(indexes)...};
        return MutableTensor(this->operand(), std::span<const TensorIndex>(list));
    }
    using IndexCalls<MutableTensor>::operator();
    using IndexCalls<MutableTensor>::operator[];
    template <typename... I>
        requires IndexedByDims<MutableTensor, I...>
    auto operator()(const I&... indexes) const { return index_tensor(*this, indexes...); }
    /// A view that writes through.
    MutableTensor row(index_t index) const {
        return MutableTensor(this->operand(),
                             std::span<const TensorIndex>(std::array{TensorIndex(index)}));
    }
#ifdef __cpp_multidimensional_subscript
    template <typename... I>
        requires requires(const MutableTensor& t, const I&... indexes) { t(indexes...); }
    auto operator[](const I&... indexes) const { return (*this)(indexes...); }
#endif

    /// False if its leaf is writable, with an address of its own for each element.
    bool is_read_only() const { return !is_writable(this->operand()); }
    TensorDescription description() const; // description.hpp
    /// The whole storage that this is a view of, at rank 1; writes show in every tensor over it.
    /// Throws `ShapeError` for a computed tensor, `ReadOnlyError` if it is read-only.
    MutableTensor storage() const {
        MutableTensor whole(this->storage_operand());
        whole.require_writable("storage");
        return whole;
    }
    /// Throws `ReadOnlyError` naming `what` and the reason if the tensor is not writable.
    void require_writable(const char* what) const {
        if (is_read_only()) throw_read_only(what, this->operand());
    }

    /// The address of the first of the contiguous elements; borrowed. Throws `ShapeError` as for a
    /// `Tensor`, and `ReadOnlyError` if the tensor is not writable.
    T* data() const { return this->template line_of<T>(); }
    /// The elements as `as_span` gives them: `std::span<T>(t)`. Throws what `data` throws.
    explicit operator std::span<T>() const {
        return {data(), static_cast<std::size_t>(this->size())};
    }

    /// Writable iterators: `std::ranges::sort(t)` sorts in place. Writing through one throws
    /// `ReadOnlyError` if the tensor is not writable.
    iterator begin() const { return iterator(this->operand(), 0); }
    iterator end() const { return iterator(this->operand(), this->size()); }

private:
    MutableTensor(const Operand& operand, std::span<const TensorIndex> indexes)
        : Tensor<T>(operand, indexes) {}

    template <std::size_t N>
    [[gnu::always_inline]] Element<T> element_at(const std::array<index_t, N>& coordinates) const {
        // Plain strides were checked when the view was made; other views may repeat an element.
        if (void* const found = this->template find_in_memory<true>(coordinates)) [[likely]]
            return Element<T>::registered({found});
        return Element<T>::registered(checked_place_of(coordinates).get());
    }
    template <std::size_t N>
    [[gnu::cold, gnu::noinline]] auto
    checked_place_of(std::array<index_t, N> coordinates) const noexcept {
        return cold_result([&]() -> typename Element<T>::Place {
            const index_t address = this->checked_address(coordinates);
            const Leaf* const leaf = leaf_of(this->operand());
            if (leaf == nullptr)
                return computed_place<T>(operand_reader<T>(this->operand()),
                                         this->index_of(coordinates));
            const bool writable = leaf->writer() != nullptr && (this->dimensions().is_strided() ||
                                                                this->dimensions().is_unique());
            return place_of<T>(*leaf, address, writable);
        });
    }
};

/// The type that `MutableTensor c = x * 2` deduces: rejected at compile time, with a message.
template <ElementType T>
struct Unrealised {
    bool operator==(const Unrealised&) const = default;
};
template <ElementType T>
class MutableTensor<Unrealised<T>> {
public:
    template <typename X>
    // clang-format off
    MutableTensor(const X&) = delete; // a MutableTensor of an expression is a clone of it: auto c = clone(x * 2)
    // clang-format on
};
template <ElementType T>
MutableTensor(const Tensor<T>&) -> MutableTensor<Unrealised<T>>;

// Of the refused constructors above: `Tensor x({1., 2.})` is to be refused by their sentence.
template <typename V>
Tensor(std::initializer_list<V>) -> Tensor<double>;
template <typename V>
Tensor(std::initializer_list<std::initializer_list<V>>) -> Tensor<double>;
template <typename X, typename Y, typename... Z>
Tensor(const X&, const Y&, const Z&...) -> Tensor<double>;
template <typename V>
MutableTensor(std::initializer_list<V>) -> MutableTensor<double>;
template <typename V>
MutableTensor(std::initializer_list<std::initializer_list<V>>) -> MutableTensor<double>;
template <typename U>
MutableTensor(const std::vector<U>&) -> MutableTensor<double>;
template <typename X, typename Y, typename... Z>
MutableTensor(const X&, const Y&, const Z&...) -> MutableTensor<double>;

/// What `take` of a writable tensor gives: its elements at indexes. It reads as a `Tensor`;
/// `assign` and `add_to` write, through the indexes, to the tensor that it was taken from.
template <ElementType T>
class GatheredTensor : public Tensor<T> {
public:
    static constexpr bool kWritesThrough = true;

    explicit GatheredTensor(const Operand& operand) noexcept : Tensor<T>(operand) {}
    explicit GatheredTensor(Operand&& operand) noexcept : Tensor<T>(std::move(operand)) {}

    GatheredTensor(const GatheredTensor&) = default;
    GatheredTensor(GatheredTensor&&) noexcept = default;
    ~GatheredTensor() = default;
    /// Rebinds the name, or realises, as of a `MutableTensor`; `take(x, indexes) = values` writes.
    GatheredTensor& operator=(const GatheredTensor&) & = default;
    GatheredTensor& operator=(GatheredTensor&& other) & noexcept {
        return *this = std::as_const(other);
    }
    template <typename X>
    GatheredTensor& operator=(const X& x) & {
        if constexpr (can_be_named<T, X>())
            *this = GatheredTensor(tensor(static_cast<const Tensor<T>&>(x)).operand());
        return *this;
    }
    void operator=(const GatheredTensor& values) && {
        write_values(values.operand(), this->operand());
    }
    template <typename V>
    void operator=(const V& values) && {
        if constexpr (can_be_written<T, V>())
            write_values(values_operand<T>(values), this->operand());
    }

    /// The element at integer coordinates. Throws `IndexError`.
    template <IndexInteger... I>
    ReadElement<T> operator()(I... indexes) const {
        return this->value_at(std::array<index_t, sizeof...(I)>{to_index(indexes)...});
    }
    /// A view through which `assign` and `add_to` write as well; see `TensorIndex`.
    template <IndexLike... I>
        requires(!(IndexInteger<I> && ...))
    GatheredTensor operator()(const I&... indexes) const {
        const TensorIndex list[] = {TensorIndex(indexes)...};
        return GatheredTensor(select_operand(this->operand(), {list, sizeof...(I)}));
    }
    template <typename... I>
        requires IndexedByDims<GatheredTensor, I...>
    auto operator()(const I&... indexes) const { return index_tensor(*this, indexes...); }
#ifdef __cpp_multidimensional_subscript
    template <typename... I>
        requires requires(const GatheredTensor& t, const I&... indexes) { t(indexes...); }
    decltype(auto) operator[](const I&... indexes) const { return (*this)(indexes...); }
#endif
};

template <ElementType T>
Tensor<T> TensorHandle::as() const {
    if (dtype() != kDType<T>) throw_dtype_mismatch("as", kDType<T>, dtype());
    return Tensor<T>(operand_);
}

template <ElementType T>
MutableTensor<T> AnyTensor::as_mutable() const {
    if (dtype() != kDType<T>) throw_dtype_mismatch("as_mutable", kDType<T>, dtype());
    require_writable("as_mutable");
    return MutableTensor<T>(operand());
}

template <ElementType T>
T TensorHandle::item() const {
    if (size() != 1) throw_not_one_element();
    return as<T>().read(0);
}

} // namespace purview

template <purview::ElementType T>
inline constexpr bool std::ranges::enable_view<purview::Tensor<T>> = true;
template <purview::ElementType T>
inline constexpr bool std::ranges::enable_view<purview::MutableTensor<T>> = true;
template <purview::ElementType T>
inline constexpr bool std::ranges::enable_view<purview::GatheredTensor<T>> = true;
