#pragma once

#include <purview/base/refused.hpp>
#include <purview/dtype/compound.hpp>
#include <purview/dtype/element_access.hpp>
#include <purview/dtype/time_element.hpp>
#include <purview/reader/element_arithmetic.hpp>
#include <purview/reader/element_refs.hpp>
#include <purview/reader/memory_view.hpp>
#include <purview/reader/reader.hpp>
#include <purview/reader/writer.hpp>

#include <compare>
#include <concepts>
#include <iosfwd>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

[[noreturn]] PURVIEW_EXPORT void throw_element_is_read_only();
[[noreturn]] PURVIEW_EXPORT void throw_element_is_gone();
[[noreturn]] PURVIEW_EXPORT void throw_element_of_another_thread();

/// A reference to one element: what indexing a mutable tensor and dereferencing a writable iterator
/// return. It converts to `T` (which reads), and assigning to it writes, also through a const one.
/// Copies, whether constructed from another Element or bound by `auto`, refer to the same element.
///
/// It refers either to raw memory (a read is then a load and a write a store, neither of which
/// needs alignment) or to a reader, a writer and an index. With an owner it keeps the data alive.
/// An element given by indexing, and a copy of any element, is registered with its thread
/// (element_refs.hpp): if this thread would free what it refers to, the memory is kept until the
/// element is destroyed. It may be destroyed on any thread, but copied only on the thread it was
/// made on. An element given by a named iterator borrows, as the iterator does.
///
/// Writes of numbers are checked: `CastError` where the value does not fit `T`.
template <ElementType T>
class Element : public ElementArithmetic {
public:
    using value_type = T;

    /// The element at `address`, which is not null. Without an owner, the caller keeps the memory
    /// alive. O(1). With an owner it may throw `std::bad_alloc`.
    explicit Element(void* address, Owner owner = {})
        : address_(address), owner_(shared(std::move(owner))) {
        PURVIEW_ASSERT(address != nullptr);
    }

    /// Element `index` of a reader and a writer over the same data; 0 <= index < their size.
    /// Without a writer it can only be read. O(1). With an owner it may throw `std::bad_alloc`.
    Element(const Reader<T>* reader, Writer<T>* writer, index_t index, Owner owner = {})
        : reader_(reader), writer_(writer), index_(index), owner_(shared(std::move(owner))) {
        PURVIEW_ASSERT(reader != nullptr);
    }

    /// What an element refers to: an address, or else a reader, possibly a writer, and an index.
    struct Place {
        void* address = nullptr;
        const Reader<T>* reader = nullptr;
        Writer<T>* writer = nullptr;
        index_t index = 0;
        const Owner* owner = nullptr; ///< the element deletes it
    };

    /// An element that registers its place with this thread (see element_refs.hpp), all inlined. O(1). Throws `std::bad_alloc`.
    [[gnu::always_inline]] static Element registered(const Place& place) {
        return Element(place, place.owner == nullptr ? register_ref(place.address, place.reader)
                                                     : nullptr);
    }
    /// An element whose caller keeps alive what it refers to. O(1), does not throw.
    static Element borrowed(const Place& place) noexcept { return Element(place, nullptr); }

    /// Refers to the same element. Throws `Error` if the other one was registered by another thread.
    Element(const Element& other)
        : address_(other.address_),
          reader_(other.reader_),
          writer_(other.writer_),
          index_(other.index_),
          owner_(other.owner_ == nullptr ? nullptr : new Owner(*other.owner_)) {
        // Last, because a reference registered before a throw would not be unregistered.
        ref_ = other.register_again();
    }
    /// Always inlined, also where an exception passes: a call would force all elements into memory, out of registers.
    [[gnu::always_inline]] ~Element() {
        if (ref_ != nullptr) unregister_ref(ref_);
        if (owner_ != nullptr) [[unlikely]]
            release(owner_);
    }

    /// Reads the element. Throws what the reader throws; memory never does.
    [[gnu::always_inline]] operator T() const { return load(); }

    /// Writes the element. Throws what the writer throws, `ReadOnlyError` if there is none.
    [[gnu::always_inline]] const Element& operator=(T value) const {
        store(std::move(value));
        return *this;
    }
    /// Writes the value of the element that `other` refers to; never rebinds this one.
    const Element& operator=(const Element& other) const {
        store(other.load());
        return *this;
    }
    Element& operator=(const Element& other) {
        store(other.load());
        return *this;
    }

    /// Writes a number of another type. Throws `CastError` where it does not fit.
    template <ConvertedTo<T> U>
    const Element& operator=(U value) const {
        store(converted<T>(value));
        return *this;
    }
    /// Text is no number: refused in one sentence.
    template <std::same_as<char> C>
        requires(std::is_arithmetic_v<T>)
    PURVIEW_REFUSED("x(i) = text: the elements of x are numbers", operator=(const C*) const);
    /// An array is no element: refused in one sentence.
    template <typename X>
        requires(kIsTensor<X> && !std::is_convertible_v<const X&, T>)
    PURVIEW_REFUSED(
        "x(i) = array: x(i) is one element; a row is x(i, pv::all) or x.row(i)", operator=(const X&)
                                                                                     const);
    template <ElementType U>
        requires(!std::same_as<U, T> && std::is_convertible_v<U, T>)
    const Element& operator=(const Element<U>& other) const {
        store(converted<T>(static_cast<U>(other)));
        return *this;
    }

    /// For operands of types whose values T can all represent, these operators compute in T:
    /// integers wrap, as in arithmetic of tensors. For other types the exact result has to fit:
    /// `CastError` if not. Divisors have to fit; an integer zero throws `ArithmeticError`.
#define PURVIEW_UPDATE(OPERATOR, ...)                                  \
 template <typename U>                                                 \
  requires requires(T & t, const U& u) { t OPERATOR u; }               \
 const Element& operator OPERATOR(const U& operand) const {            \
  return update_by<U>([&](const auto& t) -> T { return __VA_ARGS__; }, \
                      [&](auto& t) { t OPERATOR operand; });           \
 }
    PURVIEW_UPDATE(+=, compound_result<CompoundOperation::add>(t, operand))
    PURVIEW_UPDATE(-=, compound_result<CompoundOperation::subtract>(t, operand))
    PURVIEW_UPDATE(*=, compound_result<CompoundOperation::multiply>(t, operand))
    PURVIEW_UPDATE(/=, divided_result<false>(t, operand))
    PURVIEW_UPDATE(%=, divided_result<true>(t, operand))
    PURVIEW_UPDATE(&=, bits<U>(t& operand))
    PURVIEW_UPDATE(|=, bits<U>(t | operand))
    PURVIEW_UPDATE(^=, bits<U>(t ^ operand))
    PURVIEW_UPDATE(<<=, static_cast<T>(t << operand))
    PURVIEW_UPDATE(>>=, static_cast<T>(t >> operand))
#undef PURVIEW_UPDATE
    const Element& operator++() const requires requires(T& t) { ++t; }
    {
        return update([](T& t) {
            if constexpr (BuiltinType<T>)
                t = wrapping_sum(t, T{1});
            else
                ++t;
        });
    }
    const Element& operator--() const requires requires(T& t) { --t; }
    {
        return update([](T& t) {
            if constexpr (BuiltinType<T>)
                t = wrapping_difference(t, T{1});
            else
                --t;
        });
    }
    T operator++(int) const requires requires(T& t) { ++t; }
    {
        T old = load();
        ++*this;
        return old;
    }
    T operator--(int) const requires requires(T& t) { --t; }
    {
        T old = load();
        --*this;
        return old;
    }

    /// Moves the value out. What is left behind is valid but unspecified if the element lies in
    /// memory, and unchanged otherwise. `swap` moves by it.
    T take() const {
        if constexpr (!std::is_trivially_copyable_v<T>)
            if (reader_ == nullptr) return std::move(*static_cast<T*>(address_));
        return load();
    }

    /// Exchanges the values of the elements, not what they refer to.
    friend void swap(const Element& a, const Element& b) {
        T value = a.take();
        a.store(b.take());
        b.store(std::move(value));
    }
    /// For non-const lvalues, for which `std::swap` would otherwise be the better match.
    friend void swap(Element& a, Element& b) { swap(std::as_const(a), std::as_const(b)); }
    friend void swap(const Element& a, T& b) {
        T value = a.take();
        a.store(std::move(b));
        b = std::move(value);
    }
    friend void swap(T& a, const Element& b) { swap(b, a); }

    // Only for types that are not arithmetic. Numbers are compared and printed through their
    // conversion; overloads for them would be ambiguous with the built-in operators. The operators
    // of class types are mostly templates, for whose arguments no conversion is considered.
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
        !std::is_arithmetic_v<T> && !TimeElement<T> && !CalendarElement<T> &&
        requires(const T& value) { out << value; }) {
        return out << element.load();
    }
    /// In ISO 8601, as tensors of times are printed, whether or not the standard library can print
    /// times.
    friend std::ostream& operator<<(std::ostream& out,
                                    const Element& element) requires(TimeElement<T> ||
                                                                     CalendarElement<T>) {
        print_text(out, time_text(element.load()));
        return out;
    }

private:
    [[gnu::always_inline]] Element(const Place& place, ElementRef* ref) noexcept
        : address_(place.address),
          reader_(place.reader),
          writer_(place.writer),
          index_(place.index),
          ref_(ref),
          owner_(place.owner) {}

    [[gnu::always_inline]] static ElementRef* register_ref(const void* address,
                                                           const AnyReader* reader) {
        return purview::register_ref(reader == nullptr ? address : reader);
    }

    static const Owner* shared(Owner&& owner) {
        return owner == nullptr ? nullptr : new Owner(std::move(owner));
    }
    [[gnu::cold, gnu::noinline]] static void release(const Owner* owner) noexcept { delete owner; }

    ElementRef* register_again() const {
        if (owner_ != nullptr) return nullptr;
        if (ref_ == nullptr) return register_ref(address_, reader_);
        if (!is_registered_here(ref_)) throw_element_of_another_thread();
        return register_ref(reinterpret_cast<const void*>(ref_->place), nullptr);
    }

    /// Unregisters the place during a plain load or store, which cannot free anything. Where
    /// everything is inlined, as in `x(i) = 5`, the compiler then sees that the registration has no
    /// effect and removes it.
    class UnregisteredScope {
    public:
        explicit UnregisteredScope(ElementRef* ref) noexcept
            : ref_(ref != nullptr && element_ref_stack.top == ref + 1 ? ref : nullptr) {
            if (ref_ != nullptr) element_ref_stack.top = ref_;
        }
        UnregisteredScope(const UnregisteredScope&) = delete;
        UnregisteredScope& operator=(const UnregisteredScope&) = delete;
        ~UnregisteredScope() {
            if (ref_ != nullptr) element_ref_stack.top = ref_ + 1;
        }

    private:
        ElementRef* ref_;
    };

    template <typename U>
    static constexpr bool kNumbers = BuiltinType<T>&& std::is_arithmetic_v<U>;

    template <typename U, typename V>
    static T bits(V value) {
        if constexpr (std::same_as<U, T>)
            return static_cast<T>(value);
        else
            return converted<T>(value);
    }

    [[gnu::always_inline]] T load() const {
        // Tests `reader_` and not the address: where an element of memory is made, the compiler
        // knows that the reader is null.
        if (reader_ != nullptr) return read_from(*reader_, index_, ref_).get();
        if constexpr (std::is_trivially_copyable_v<T>) {
            const UnregisteredScope unregistered(ref_);
            return load_element<T>(address_);
        } else {
            return load_element<T>(address_);
        }
    }

    [[gnu::always_inline]] void store(T&& value) const {
        if (reader_ != nullptr) {
            write_to(writer_, index_, value, ref_).get();
        } else if constexpr (std::is_trivially_copyable_v<T>) {
            const UnregisteredScope unregistered(ref_);
            store_as_its_type(value);
        } else {
            *static_cast<T*>(address_) = std::move(value);
        }
    }

    // Not inlined, and not given `this`: that would force an element of memory out of registers.
    [[gnu::cold, gnu::noinline]] static ColdResult<T>
    read_from(const Reader<T>& reader, index_t index, const ElementRef* ref) noexcept {
        return cold_result([&] {
            check_is_there(ref);
            return reader.read(index);
        });
    }
    [[gnu::cold, gnu::noinline]] static ColdResult<bool>
    write_to(Writer<T>* writer, index_t index, const T& value, const ElementRef* ref) noexcept {
        return cold_result([&] {
            check_is_there(ref);
            if (writer == nullptr) throw_element_is_read_only();
            writer->write(index, value);
            return true;
        });
    }
    static void check_is_there(const ElementRef* ref) {
        if (ref != nullptr && ref->place == place_of(&kDestroyedReader)) [[unlikely]]
            throw_element_is_gone();
    }

    /// A store that the compiler knows to change nothing but a `T`, so that it need not reload
    /// `element_ref_stack`. Not for integers that have another type of the same width (`long` and
    /// `long long`).
    void store_as_its_type(const T& value) const {
        if constexpr (std::is_floating_point_v<T> ||
                      (std::is_integral_v<T> && (sizeof(T) == 2 || sizeof(T) == 4))) {
            using Unaligned [[gnu::aligned(1)]] = T;
            *static_cast<Unaligned*>(address_) = value;
        } else {
            store_element<T>(address_, value);
        }
    }

    template <typename Change>
    [[gnu::always_inline]] const Element& update(Change change) const {
        T value = load();
        change(value);
        store(std::move(value));
        return *this;
    }

    /// By `of_numbers`, which gives the new value, if both are numbers, else by `change`.
    template <typename U, typename OfNumbers, typename Change>
    [[gnu::always_inline]] const Element& update_by(OfNumbers of_numbers, Change change) const {
        if constexpr (kNumbers<U>)
            return update([&](T& t) { t = of_numbers(t); });
        else
            return update(change);
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
    ElementRef* ref_ = nullptr;
    const Owner* owner_ = nullptr; ///< held by pointer, so that elements without an owner stay
                                   ///< small
};

} // namespace purview

/// The common reference of an Element and a value is a value: with this, algorithms of
/// `std::ranges` accept both.
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
