#pragma once

#include <purview/base/range_concepts.hpp>
#include <purview/dtype/element_access.hpp>
#include <purview/expression/constant.hpp>
#include <purview/reader/element.hpp>
#include <purview/tensor/any_tensor.hpp>
#include <purview/tensor/tensor_iterator.hpp>

#include <array>
#include <concepts>
#include <memory>
#include <utility>

namespace purview {

/// What named dimensions add to indexing: for arguments that are no `TensorIndex`, `t(args…)` is
/// `index_tensor(t, args…)`, found by argument-dependent lookup.
template <typename X, typename... I>
concept IndexedElsewhere = (!IndexLike<I> || ...) &&
                           requires(const X& tensor, const I&... indexes) {
    index_tensor(tensor, indexes...);
};

/// An n-dimensional array that can be read: memory, a reader, or an expression over others that
/// computes its elements when they are asked for. A small handle that shares ownership of everything
/// it reads; see `AnyTensor`. A random-access view of its elements in row-major order.
template <ElementType T>
class Tensor : public AnyTensor {
public:
    using value_type = T;
    using const_iterator = TensorIterator<T>;

    /// The empty tensor of shape [0].
    Tensor() : AnyTensor(empty_operand()) {}

    /// Precondition: `operand.dtype() == kDType<T>`.
    explicit Tensor(const Operand& operand) noexcept : AnyTensor(operand) {
        PURVIEW_ASSERT(dtype() == kDType<T>);
    }
    explicit Tensor(Operand&& operand) noexcept : AnyTensor(std::move(operand)) {
        PURVIEW_ASSERT(dtype() == kDType<T>);
    }

    Tensor(const Tensor&) = default;
    Tensor(Tensor&&) noexcept = default;
    ~Tensor() = default;
    Tensor& operator=(const Tensor&) & = default;
    Tensor& operator=(Tensor&&) & noexcept = default;
    // Assigning to the temporary that an indexing returns would do nothing; use copy or fill.
    template <typename X>
    void operator=(const X&) && = delete;

    /// The element at integer coordinates, one per axis, each in [-n, n). Throws `IndexError`.
    /// Reading a computed tensor this way compiles its expression each time.
    template <ElementIndex... I>
    T operator()(I... indexes) const {
        return read_at(address_of(std::array<index_t, sizeof...(I)>{to_index(indexes)...}));
    }
    /// A view; see `TensorIndex`. O(1) but for lists and masks.
    template <IndexLike... I>
        requires(!(ElementIndex<I> && ...))
    Tensor operator()(const I&... indexes) const {
        return Tensor(select_operand(
            operand(), std::array<TensorIndex, sizeof...(I)>{TensorIndex(indexes)...}));
    }
    template <typename... I>
        requires IndexedElsewhere<Tensor, I...>
    auto operator()(const I&... indexes) const { return index_tensor(*this, indexes...); }
#ifdef __cpp_multidimensional_subscript
    template <typename... I>
        requires requires(const Tensor& t, const I&... indexes) { t(indexes...); }
    auto operator[](const I&... indexes) const { return (*this)(indexes...); }
#endif

    /// The element of a row-major index in [0, size()).
    T read(index_t index) const {
        const Dimensions& dims = dimensions();
        return read_at(dims.is_contiguous() ? dims.base() + index : dims.global_to_local(index));
    }

    T item() const { return AnyTensor::item<T>(); }
    Tensor storage() const { return AnyTensor::storage().template as<T>(); }

    TensorIterator<T> begin() const { return TensorIterator<T>(operand(), 0); }
    TensorIterator<T> end() const { return TensorIterator<T>(operand(), size()); }

protected:
    const Leaf* memory_leaf() const noexcept {
        const Leaf* const leaf = leaf_of(operand());
        return leaf != nullptr && leaf->memory() ? leaf : nullptr;
    }

    T read_at(index_t address) const {
        if (const Leaf* const leaf = memory_leaf(); leaf != nullptr) [[likely]]
            return load_element<T>(static_cast<const std::byte*>(leaf->memory().data) +
                                   address * leaf->memory().stride_bytes);
        T value{};
        read_computed(address, &value);
        return value;
    }

private:
    static Operand empty_operand() {
        const index_t zero = 0;
        return constant_operand(T{}, ShapeSpan(&zero, 1));
    }
};

/// A tensor that can also be written: over memory or a writer, in which each element has an address
/// of its own. Constness is shallow, as a span's is.
template <ElementType T>
class MutableTensor : public Tensor<T> {
public:
    using iterator = TensorIterator<T, true>;

    MutableTensor() = default;
    explicit MutableTensor(const Operand& operand) noexcept : Tensor<T>(operand) {}
    explicit MutableTensor(Operand&& operand) noexcept : Tensor<T>(std::move(operand)) {}

    MutableTensor(const MutableTensor&) = default;
    MutableTensor(MutableTensor&&) noexcept = default;
    ~MutableTensor() { this->leave_to_elements(); }
    MutableTensor& operator=(const MutableTensor& other) & {
        this->leave_to_elements();
        Tensor<T>::operator=(other);
        return *this;
    }
    MutableTensor& operator=(MutableTensor&& other) & noexcept {
        return *this = std::as_const(other);
    }
    template <typename X>
    void operator=(const X&) && = delete;

    /// The element at integer coordinates, to be read or assigned to. It may outlive this tensor, which
    /// then leaves it what it refers to. Throws `IndexError`; writing throws `ReadOnlyError` where the
    /// tensor turns out not to be writable, and `CastError` for numbers that do not fit.
    template <ElementIndex... I>
    [[gnu::always_inline]] Element<T> operator()(I... indexes) const {
        return element_at(std::array<index_t, sizeof...(I)>{to_index(indexes)...});
    }
    /// A view that writes through; see `TensorIndex`.
    template <IndexLike... I>
        requires(!(ElementIndex<I> && ...))
    MutableTensor operator()(const I&... indexes) const {
        return MutableTensor(select_operand(
            this->operand(), std::array<TensorIndex, sizeof...(I)>{TensorIndex(indexes)...}));
    }
    template <typename... I>
        requires IndexedElsewhere<MutableTensor, I...>
    auto operator()(const I&... indexes) const { return index_tensor(*this, indexes...); }
#ifdef __cpp_multidimensional_subscript
    template <typename... I>
        requires requires(const MutableTensor& t, const I&... indexes) { t(indexes...); }
    auto operator[](const I&... indexes) const { return (*this)(indexes...); }
#endif

    MutableTensor storage() const { return AnyTensor::storage().template as_mutable<T>(); }

    /// Writable iterators: `std::ranges::sort(t)` sorts in place. Writing through one throws
    /// `ReadOnlyError` where the tensor turns out not to be writable.
    iterator begin() const { return iterator(this->operand(), 0); }
    iterator end() const { return iterator(this->operand(), this->size()); }

private:
    template <std::size_t N>
    [[gnu::always_inline]] Element<T> element_at(const std::array<index_t, N>& coordinates) const {
        const index_t address = this->address_of(coordinates);
        const Leaf* const leaf = leaf_of(this->operand());
        if (leaf == nullptr) [[unlikely]]
            this->throw_read_only("element");
        // Plain strides were checked when the view was made; other views may name an element twice.
        const bool writable = leaf->writer() != nullptr &&
                              (this->dimensions().is_strided() || this->dimensions().is_unique());
        const MutableMemoryView memory = leaf->writable_memory();
        // Apart from others, so that nothing is left of it but a load or a store.
        if (writable && memory) [[likely]]
            return Element<T>::lent(
                {static_cast<std::byte*>(memory.data) + address * memory.stride_bytes});
        return Element<T>::lent(TensorCursor<T>::place_of(*leaf, address, writable));
    }
};

template <ElementType T>
Tensor<T> AnyTensor::as() const {
    if (dtype() != kDType<T>) throw_dtype_mismatch("as", kDType<T>, dtype());
    return Tensor<T>(operand_);
}

template <ElementType T>
MutableTensor<T> AnyTensor::as_mutable() const {
    if (dtype() != kDType<T>) throw_dtype_mismatch("as_mutable", kDType<T>, dtype());
    require_writable("as_mutable");
    return MutableTensor<T>(operand_);
}

template <ElementType T>
T AnyTensor::item() const {
    if (size() != 1) throw_not_one_element();
    return as<T>().read(0);
}

} // namespace purview

template <purview::ElementType T>
inline constexpr bool std::ranges::enable_view<purview::Tensor<T>> = true;
template <purview::ElementType T>
inline constexpr bool std::ranges::enable_view<purview::MutableTensor<T>> = true;
