#pragma once

#include <purview/dtype/element_access.hpp>
#include <purview/reader/memory_view.hpp>
#include <purview/reader/reader.hpp>
#include <purview/reader/writer.hpp>

#include <compare>
#include <concepts>
#include <iosfwd>
#include <type_traits>
#include <utility>

namespace purview {

[[noreturn]] PURVIEW_EXPORT void throw_element_is_read_only();

/// A place that one element is read from and written to: what indexing a mutable tensor and
/// dereferencing a writable iterator return. It converts to `T` (which reads), and assigning to it
/// writes, also through a const one; copies refer to the same place, constructed from another
/// Element or bound by `auto`.
///
/// It refers either to raw memory (then a read is a load and a write a store, and neither needs
/// alignment) or to a reader and a writer and an index. With an owner it keeps the data alive;
/// without, it borrows, as a reference does.
template <ElementType T>
class Element {
public:
    using value_type = T;

    /// The element at `address`, which is not null. O(1), does not throw.
    explicit Element(void* address, Owner owner = {}) noexcept
        : address_(address), owner_(std::move(owner)) {
        PURVIEW_ASSERT(address != nullptr);
    }

    /// Element `index` of a reader and a writer over the same data; 0 <= index < their size. Without a
    /// writer it can only be read. O(1), does not throw.
    Element(const Reader<T>* reader, Writer<T>* writer, index_t index, Owner owner = {}) noexcept
        : reader_(reader), writer_(writer), index_(index), owner_(std::move(owner)) {
        PURVIEW_ASSERT(reader != nullptr);
    }

    Element(const Element&) = default;
    Element(Element&&) noexcept = default;
    ~Element() = default;

    /// Reads the element. Throws what the reader throws; memory never does.
    operator T() const { return load(); }

    /// Writes the element. Throws what the writer throws, `ReadOnlyError` if there is none.
    const Element& operator=(T value) const {
        store(std::move(value));
        return *this;
    }
    /// Writes the value that `other` refers to; never makes this refer elsewhere.
    const Element& operator=(const Element& other) const {
        store(other.load());
        return *this;
    }
    Element& operator=(const Element& other) {
        store(other.load());
        return *this;
    }

    // clang-format off
    template <typename U> requires requires(T& t, const U& u) { t += u; }
    const Element& operator+=(const U& operand) const {
        return update([&](T& t) { if constexpr (kArithmetic<U>) t = static_cast<T>(t + operand); else t += operand; });
    }
    template <typename U> requires requires(T& t, const U& u) { t -= u; }
    const Element& operator-=(const U& operand) const {
        return update([&](T& t) { if constexpr (kArithmetic<U>) t = static_cast<T>(t - operand); else t -= operand; });
    }
    template <typename U> requires requires(T& t, const U& u) { t *= u; }
    const Element& operator*=(const U& operand) const {
        return update([&](T& t) { if constexpr (kArithmetic<U>) t = static_cast<T>(t * operand); else t *= operand; });
    }
    template <typename U> requires requires(T& t, const U& u) { t /= u; }
    const Element& operator/=(const U& operand) const {
        return update([&](T& t) { if constexpr (kArithmetic<U>) t = static_cast<T>(t / operand); else t /= operand; });
    }
    template <typename U> requires requires(T& t, const U& u) { t %= u; }
    const Element& operator%=(const U& operand) const {
        return update([&](T& t) { if constexpr (kArithmetic<U>) t = static_cast<T>(t % operand); else t %= operand; });
    }
    template <typename U> requires requires(T& t, const U& u) { t &= u; }
    const Element& operator&=(const U& operand) const {
        return update([&](T& t) { if constexpr (kArithmetic<U>) t = static_cast<T>(t & operand); else t &= operand; });
    }
    template <typename U> requires requires(T& t, const U& u) { t |= u; }
    const Element& operator|=(const U& operand) const {
        return update([&](T& t) { if constexpr (kArithmetic<U>) t = static_cast<T>(t | operand); else t |= operand; });
    }
    template <typename U> requires requires(T& t, const U& u) { t ^= u; }
    const Element& operator^=(const U& operand) const {
        return update([&](T& t) { if constexpr (kArithmetic<U>) t = static_cast<T>(t ^ operand); else t ^= operand; });
    }
    template <typename U> requires requires(T& t, const U& u) { t <<= u; }
    const Element& operator<<=(const U& operand) const {
        return update([&](T& t) { if constexpr (kArithmetic<U>) t = static_cast<T>(t << operand); else t <<= operand; });
    }
    template <typename U> requires requires(T& t, const U& u) { t >>= u; }
    const Element& operator>>=(const U& operand) const {
        return update([&](T& t) { if constexpr (kArithmetic<U>) t = static_cast<T>(t >> operand); else t >>= operand; });
    }
    const Element& operator++() const requires requires(T& t) { ++t; } {
        return update([](T& t) { ++t; });
    }
    const Element& operator--() const requires requires(T& t) { --t; } {
        return update([](T& t) { --t; });
    }
    T operator++(int) const requires requires(T& t) { ++t; } {
        T old = load();
        ++*this;
        return old;
    }
    T operator--(int) const requires requires(T& t) { --t; } {
        T old = load();
        --*this;
        return old;
    }
    // clang-format on

    /// Takes the value out: what is left behind is valid but unspecified if it lies in memory, and
    /// unchanged otherwise. This is what swapping moves with.
    T take() const {
        if constexpr (!std::is_trivially_copyable_v<T>)
            if (reader_ == nullptr) return std::move(*static_cast<T*>(address_));
        return load();
    }

    /// Exchanges the values, not what is referred to.
    friend void swap(const Element& a, const Element& b) {
        T value = a.take();
        a.store(b.take());
        b.store(std::move(value));
    }
    /// Also for lvalues that are not const, which `std::swap` would otherwise fit better.
    friend void swap(Element& a, Element& b) { swap(std::as_const(a), std::as_const(b)); }
    friend void swap(const Element& a, T& b) {
        T value = a.take();
        a.store(std::move(b));
        b = std::move(value);
    }
    friend void swap(T& a, const Element& b) { swap(b, a); }

    // Numbers compare and print by their conversion; overloads for them would be ambiguous with the
    // built-in operators. The operators of class types are mostly templates, which do not convert.
    friend bool operator==(const Element& a, const Element& b) requires(!std::is_arithmetic_v<T>) {
        return a.load() == b.load();
    }
    friend bool operator==(const Element& a, const T& b) requires(!std::is_arithmetic_v<T>) {
        return a.load() == b;
    }
    friend auto operator<=>(const Element& a, const Element& b) requires(!std::is_arithmetic_v<T> &&
                                                                         std::totally_ordered<T>) {
        return order(a.load(), b.load());
    }
    friend auto operator<=>(const Element& a, const T& b) requires(!std::is_arithmetic_v<T> &&
                                                                   std::totally_ordered<T>) {
        return order(a.load(), b);
    }
    friend std::ostream& operator<<(std::ostream& out, const Element& element) requires(
        !std::is_arithmetic_v<T> && requires(const T& value) { out << value; }) {
        return out << element.load();
    }

private:
    /// Built-in compound assignments narrow back to `T`; saying so keeps users' builds warning-free.
    template <typename U>
    static constexpr bool kArithmetic = std::is_arithmetic_v<T>&& std::is_arithmetic_v<U>;

    T load() const {
        // Not by the address: that the reader is null is known where an element of memory is made.
        if (reader_ == nullptr) return load_element<T>(address_);
        return reader_->read(index_);
    }

    void store(T&& value) const {
        if (reader_ != nullptr) {
            if (writer_ == nullptr) throw_element_is_read_only();
            writer_->write(index_, value);
        } else if constexpr (std::is_trivially_copyable_v<T>)
            store_element<T>(address_, value);
        else
            *static_cast<T*>(address_) = std::move(value);
    }

    template <typename Change>
    const Element& update(Change change) const {
        T value = load();
        change(value);
        store(std::move(value));
        return *this;
    }

    static auto order(const T& a, const T& b) {
        if constexpr (std::three_way_comparable<T>)
            return a <=> b;
        else
            return a < b   ? std::weak_ordering::less
                   : b < a ? std::weak_ordering::greater
                           : std::weak_ordering::equivalent;
    }

    void* address_ = nullptr;
    const Reader<T>* reader_ = nullptr;
    Writer<T>* writer_ = nullptr;
    index_t index_ = 0;
    Owner owner_;
};

} // namespace purview

/// An Element and a value meet in a value: what lets algorithms of `std::ranges` use both.
template <purview::ElementType T, template <typename> typename QualifierT,
          template <typename> typename QualifierU>
struct std::basic_common_reference<purview::Element<T>, T, QualifierT, QualifierU> {
    using type = T;
};
template <purview::ElementType T, template <typename> typename QualifierT,
          template <typename> typename QualifierU>
struct std::basic_common_reference<T, purview::Element<T>, QualifierT, QualifierU> {
    using type = T;
};
