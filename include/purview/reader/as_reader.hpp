#pragma once

#include <purview/base/range_concepts.hpp>
#include <purview/base/refused.hpp>
#include <purview/dtype/canonical.hpp>
#include <purview/reader/buffer.hpp>
#include <purview/reader/source.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// A range that can be read by index: random-access and sized. Its values are the elements. Tensors
/// are excluded, const or not: their iterators do not tell what the tensor reads, nor whether
/// several threads may.
template <typename R>
concept IndexableRange =
    !kIsTensor<std::remove_cvref_t<R>> && std::ranges::random_access_range<R> &&
    std::ranges::sized_range<R> && ElementType<std::ranges::range_value_t<R>>;

/// A range whose elements are contiguous in memory, so that they can be shared without copying.
template <typename R>
concept MemoryRange = IndexableRange<R> && std::ranges::contiguous_range<R>;

/// Whether a type is a view of a range, as `std::ranges::view` says; `purview/ranges.hpp` adds
/// range-v3's.
template <typename V>
inline constexpr bool kIsView = std::ranges::view<V>;

/// Whether a range refers to elements that it does not keep alive. Detected are: contiguous memory
/// that is equally writable through a const range and through a non-const one, or through neither
/// (`std::span`, `std::string_view`, `std::initializer_list`, any span type), since a const
/// container gives const elements; views whose iterators outlive them and give references;
/// references to containers (`ref_view`, std's and range-v3's); and adaptors with a `base()` over
/// any of them. What a function object captures cannot be detected.
template <typename R>
constexpr bool borrows_elements() {
    if constexpr (std::ranges::contiguous_range<R> && std::ranges::contiguous_range<const R>) {
        return std::same_as<std::ranges::range_reference_t<R>,
                            std::ranges::range_reference_t<const R>>;
    } else if constexpr (std::ranges::view<R> && std::ranges::borrowed_range<R> &&
                         !std::same_as<std::ranges::range_reference_t<R>,
                                       std::ranges::range_value_t<R>>) {
        return true;
    } else if constexpr (requires { std::declval<R>().base(); }) {
        // Called on an rvalue: an owned container is returned by value, a referenced one as an
        // lvalue.
        using Base = decltype(std::declval<R>().base());
        using BaseRange = std::remove_cvref_t<Base>;
        if constexpr (std::ranges::range<Base>)
            return borrows_elements<BaseRange>() ||
                   (std::is_lvalue_reference_v<Base> && !kIsView<BaseRange> &&
                    !requires { std::declval<BaseRange>().base(); });
        else
            return false;
    } else {
        return false;
    }
}

/// A range whose elements can be written through its iterators: they give references, or proxies.
template <typename R>
concept AssignableRange =
    (std::is_lvalue_reference_v<std::ranges::range_reference_t<R>> ||
     !std::same_as<std::ranges::range_reference_t<R>,
                   std::ranges::range_value_t<R>>)&&requires(std::ranges::iterator_t<R> it,
                                                             const std::ranges::range_value_t<R>&
                                                                 value) {
    *it = value;
};

/// The tensor whose elements a view, or a view of views, reads, as a reader (`as_reader` is found
/// by argument-dependent lookup). Null if there is no tensor below, or none that can be detected.
template <typename R>
std::shared_ptr<const AnyReader> tensor_below(const R& range) {
    if constexpr (kIsTensor<R>)
        return as_reader(range);
    else if constexpr (
        requires { range.base(); } && !requires { *range.base(); })
        return tensor_below(range.base());
    else
        return nullptr;
}

/// A reader that stores a range, or refers to it if `R` is a reference, and reads it through its
/// iterators: what `as_reader` returns for ranges that are not contiguous memory.
template <typename R, bool Writable>
class RangeStorage : public ReadBase<Canonical<std::ranges::range_value_t<R>>, Writable> {
public:
    using T = Canonical<std::ranges::range_value_t<R>>;

    template <typename... Arguments>
    explicit RangeStorage(std::in_place_t, Arguments&&... arguments)
        : range_(std::forward<Arguments>(arguments)...),
          first_(std::ranges::begin(range_)),
          size_(static_cast<index_t>(std::ranges::size(range_))),
          below_(tensor_below(range_)) {}
    // The stored iterator belongs to this very range, so it cannot be copied.
    RangeStorage(const RangeStorage&) = delete;
    RangeStorage& operator=(const RangeStorage&) = delete;

    index_t size() const noexcept final { return size_; }
    bool is_thread_safe() const noexcept final {
        return below_ == nullptr || below_->is_thread_safe();
    }
    std::vector<StorageId> storages() const final {
        return below_ == nullptr ? std::vector<StorageId>() : below_->storages();
    }
    const Backend* backend() const noexcept final {
        return below_ == nullptr ? nullptr : below_->backend();
    }

    T read(index_t i) const final {
        PURVIEW_ASSERT(i >= 0 && i < size_);
        return static_cast<T>(element(i));
    }
    void read_block(index_t begin, index_t step, std::span<T> out) const final {
        const auto count = static_cast<index_t>(out.size());
        for (index_t i = 0; i < count; ++i)
            out[static_cast<std::size_t>(i)] = static_cast<T>(element(begin + i * step));
    }
    void gather(std::span<const index_t> indexes, std::span<T> out) const final {
        for (std::size_t i = 0; i < indexes.size(); ++i)
            out[i] = static_cast<T>(element(indexes[i]));
    }

protected:
    decltype(auto) element(index_t i) const {
        return first_[static_cast<std::ranges::range_difference_t<R>>(i)];
    }

private:
    R range_;
    std::ranges::iterator_t<R> first_;
    index_t size_;
    std::shared_ptr<const AnyReader> below_; ///< null unless there is a tensor below
};

/// A `RangeStorage` of a range whose elements can be assigned: writes go to them.
template <typename R>
class WritableRangeStorage final : public RangeStorage<R, true> {
public:
    using T = typename RangeStorage<R, true>::T;
    using RangeStorage<R, true>::RangeStorage;

    using Writer<T>::write;
    void write(index_t i, const T& value) override {
        PURVIEW_ASSERT(i >= 0 && i < this->size());
        this->element(i) = static_cast<std::ranges::range_value_t<R>>(value);
    }
};

/// `size` elements at `data` as a buffer, writable if they are not const; integers are read as
/// their `Canonical` types.
template <typename P>
auto buffer_of(P* data, index_t size, Owner owner) {
    using T = Canonical<P>;
    if constexpr (std::is_const_v<P>)
        return std::make_shared<const ConstBuffer<T>>(reinterpret_cast<const T*>(data), size,
                                                      index_t{sizeof(T)}, std::move(owner));
    else
        return std::make_shared<Buffer<T>>(reinterpret_cast<T*>(data), size, index_t{sizeof(T)},
                                           std::move(owner));
}

/// The elements of a contiguous range as a buffer, writable if they are not const.
template <MemoryRange R>
auto buffer_over(R& range, Owner owner) {
    const auto size = static_cast<index_t>(std::ranges::size(range));
    return buffer_of(std::ranges::data(range), size, std::move(owner));
}

/// Ranges that are no tensors (those are readers already); such that are moved in, or views.
template <typename R>
concept NoHandle = IndexableRange<R> && !requires {
    typename std::remove_cvref_t<R>::HandleKind;
};
template <typename R>
concept OwnedRange = kIsView<std::remove_cvref_t<R>> || !std::is_lvalue_reference_v<R>;

/// Any random-access range with a size as a reader that owns what it reads. O(1), apart from the
/// move:
/// - a container over contiguous memory that is moved in (`std::vector`, `std::array`,
/// `std::string`): zero-copy, a `BufferPtr`, so writable;
/// - another container that is moved in (`std::deque`, `std::vector<bool>`): stored, writable too;
/// - a view of computed or owned elements (`views::iota`, a transformed `owning_view`; range-v3's
/// too): stored, and read through; its functions must be safe to call from several threads.
/// Rejected at compile time are lvalue containers, and views of memory that they do not own
/// (`std::span`, `std::string_view`, `ref_view`, and adaptors over them): move or copy them, or use
/// `borrow_reader`.
template <typename R>
    requires(NoHandle<R>&& OwnedRange<R> && !borrows_elements<std::remove_cvref_t<R>>())
auto as_reader(R&& range) {
    using Held = std::remove_cvref_t<R>;
    if constexpr (MemoryRange<Held>) {
        auto owner = std::make_shared<Held>(std::forward<R>(range));
        Held& kept = *owner;
        return buffer_over(kept, std::move(owner));
    } else if constexpr (!kIsView<Held> && AssignableRange<Held>) {
        return std::make_shared<WritableRangeStorage<Held>>(std::in_place, std::forward<R>(range));
    } else {
        return std::make_shared<RangeStorage<Held, false>>(std::in_place, std::forward<R>(range));
    }
}

template <typename R>
    requires(NoHandle<R> && !OwnedRange<R>)
PURVIEW_REFUSED("as_reader: the range is an lvalue, and would have to outlive its readers: move it "
                "in, pass a copy, or use borrow_reader",
                as_reader(R&&));
template <typename R>
    requires(NoHandle<R>&& OwnedRange<R>&& borrows_elements<std::remove_cvref_t<R>>())
PURVIEW_REFUSED("as_reader: the view does not own its elements, which would have to outlive its "
                "readers: move or copy them into a container, or use borrow_reader",
                as_reader(R&&));

/// Lvalues, and views: what is not gone when a call returns.
template <typename R>
concept OutlivesReaders = kIsView<std::remove_cvref_t<R>> || std::is_lvalue_reference_v<R> ||
    borrows_elements<std::remove_cvref_t<R>>();

/// The elements of a range as a reader that does not own them: the caller promises that they stay
/// where they are as long as anything reads them. Contiguous memory gives a `BufferPtr` or
/// `ConstBufferPtr`. Takes containers as lvalues only, views as lvalues or rvalues. O(1),
/// zero-copy.
template <typename R>
    requires(IndexableRange<R>&& OutlivesReaders<R>)
auto borrow_reader(R&& range) {
    using Held = std::remove_reference_t<R>;
    if constexpr (MemoryRange<Held>) {
        return buffer_over(range, borrowed(std::ranges::data(range)));
    } else if constexpr (kIsView<std::remove_cv_t<Held>> || !std::is_lvalue_reference_v<R>) {
        return std::make_shared<RangeStorage<std::remove_cv_t<Held>, false>>(
            std::in_place, std::forward<R>(range));
    } else if constexpr (AssignableRange<Held>) {
        return std::make_shared<WritableRangeStorage<Held&>>(std::in_place, range);
    } else {
        return std::make_shared<RangeStorage<Held&, false>>(std::in_place, range);
    }
}
template <typename R>
    requires(IndexableRange<R> && !OutlivesReaders<R>)
PURVIEW_REFUSED("borrow_reader: the container is a temporary, and would be gone at once: use "
                "as_reader, which keeps it",
                borrow_reader(R&&));

/// `n` elements at a pointer as a buffer that does not own them: the caller promises that they stay
/// where they are as long as anything reads them. Throws `ShapeError` when `n` is negative, or when
/// the pointer is null and `n` is not 0.
template <typename T>
    requires ElementType<std::remove_const_t<T>>
auto borrow_reader(T* data, index_t n) { return buffer_of(data, n, borrowed(data)); }

} // namespace purview
