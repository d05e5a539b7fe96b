#pragma once

#include <purview/base/config.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <new>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// Memory for `count` elements of an `InlineVector`, which has `capacity` of them and no room for
/// more: `count` becomes as many as there is room for afterwards. Throws `std::length_error` for
/// more than 2³² - 1.
PURVIEW_EXPORT void* allocate_elements(std::size_t& count, std::size_t capacity, std::size_t size,
                                       std::size_t alignment);
PURVIEW_EXPORT void free_elements(void* elements, std::size_t alignment) noexcept;

/// A list like `std::vector`, which holds up to N elements inside, without an allocation. Moving an
/// element must not throw; so what throws while it adds elements leaves the list as it was.
/// Arguments may be elements of the list. Moving a list of up to N moves its elements.
template <typename T, std::size_t N>
class PURVIEW_OWNER InlineVector {
    static constexpr bool kPlain = std::is_trivially_copyable_v<T>;
    /// Whether copying all the inline memory is as cheap as asking how much of it is in use.
    static constexpr bool kCopiedWhole = kPlain && N * sizeof(T) <= 64;

public:
    using value_type = T;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using reference = T&;
    using const_reference = const T&;
    using iterator = T*;
    using const_iterator = const T*;

    InlineVector() noexcept {
        if constexpr (kCopiedWhole) std::memset(inside_, 0, sizeof(inside_));
    }
    /// Elements are value-initialised.
    explicit InlineVector(size_type count) : InlineVector() { resize(count); }
    InlineVector(size_type count, const T& value) : InlineVector() { resize(count, value); }
    InlineVector(std::initializer_list<T> values) : InlineVector(values.begin(), values.end()) {}
    template <typename I>
        requires(!std::is_convertible_v<I, size_type>)
    InlineVector(I first, I last) : InlineVector() { add(first, last); }
    InlineVector(const InlineVector& other) : InlineVector() {
        if constexpr (kCopiedWhole) {
            if (other.size_ <= N) { // what has memory of its own has room for more than N there
                std::memcpy(inside_, other.data_, sizeof(inside_));
                size_ = other.size_;
                return;
            }
        }
        add(other.begin(), other.end());
    }
    InlineVector(InlineVector&& other) noexcept { take(other); }
    InlineVector& operator=(const InlineVector& other) {
        if (this != &other) *this = InlineVector(other);
        return *this;
    }
    InlineVector& operator=(InlineVector&& other) noexcept {
        if (this != &other) {
            destroy(data_, size_);
            free_memory();
            take(other);
        }
        return *this;
    }
    InlineVector& operator=(std::initializer_list<T> values) {
        return *this = InlineVector(values);
    }
    ~InlineVector() {
        destroy(data_, size_);
        free_memory();
    }

    T* data() noexcept { return data_; }
    const T* data() const noexcept { return data_; }
    T* begin() noexcept { return data_; }
    const T* begin() const noexcept { return data_; }
    T* end() noexcept { return data_ + size_; }
    const T* end() const noexcept { return data_ + size_; }
    size_type size() const noexcept { return size_; }
    size_type capacity() const noexcept { return capacity_; }
    bool empty() const noexcept { return size_ == 0; }
    T& operator[](size_type i) noexcept { return data_[checked(i)]; }
    const T& operator[](size_type i) const noexcept { return data_[checked(i)]; }
    T& front() noexcept { return data_[checked(0)]; }
    const T& front() const noexcept { return data_[checked(0)]; }
    T& back() noexcept { return data_[checked(size_ - size_type{1})]; }
    const T& back() const noexcept { return data_[checked(size_ - size_type{1})]; }

    void reserve(size_type count) {
        if (count > capacity_) grow(count);
    }
    template <typename... Args>
    T& emplace_back(Args&&... args) {
        if (size_ == capacity_) [[unlikely]]
            return emplace_in_more_room(std::forward<Args>(args)...);
        T* const made = ::new (static_cast<void*>(data_ + size_)) T(std::forward<Args>(args)...);
        ++size_;
        return *made;
    }
    void push_back(const T& value) { emplace_back(value); }
    void push_back(T&& value) { emplace_back(std::move(value)); }
    void pop_back() noexcept {
        destroy(data_ + checked(size_ - size_type{1}), 1);
        --size_;
    }
    T* insert(const T* at, T value) { return insert_moved(at, &value, 1); }
    template <typename I>
        requires(!std::is_convertible_v<I, size_type>)
    T* insert(const T* at, I first, I last) {
        InlineVector added(first, last);
        return insert_moved(at, added.data_, added.size_);
    }
    T* insert(const T* at, size_type count, const T& value) {
        InlineVector added(count, value);
        return insert_moved(at, added.data_, added.size_);
    }
    T* erase(const T* at) noexcept { return erase(at, at + 1); }
    T* erase(const T* first, const T* last) noexcept {
        T* const to = data_ + (first - data_);
        destroy(to, static_cast<size_type>(last - first));
        relocate(data_ + (last - data_), static_cast<size_type>(end() - last), to);
        size_ -= static_cast<std::uint32_t>(last - first);
        return to;
    }
    void clear() noexcept {
        destroy(data_, size_);
        size_ = 0;
    }
    void resize(size_type count) { resize_with(count); }
    void resize(size_type count, const T& value) { resize_with(count, T(value)); }
    void assign(size_type count, const T& value) { *this = InlineVector(count, value); }
    template <typename I>
        requires(!std::is_convertible_v<I, size_type>)
    void assign(I first, I last) { *this = InlineVector(first, last); }

    friend bool operator==(const InlineVector& a, const InlineVector& b) {
        if (a.size_ != b.size_) return false;
        for (size_type i = 0; i < a.size_; ++i)
            if (!(a.data_[i] == b.data_[i])) return false;
        return true;
    }

private:
    T* inside() noexcept { return reinterpret_cast<T*>(inside_); }
    bool is_inside() const noexcept { return static_cast<const void*>(data_) == inside_; }
    size_type checked(size_type i) const noexcept {
        PURVIEW_ASSERT(i < size_);
        return i;
    }
    static void destroy([[maybe_unused]] T* elements, [[maybe_unused]] size_type count) noexcept {
        if constexpr (!std::is_trivially_destructible_v<T>)
            while (count-- > 0) (elements++)->~T();
    }
    /// Moves elements to memory without elements, which may overlap theirs.
    static void relocate(T* from, size_type count, T* to) noexcept {
        static_assert(std::is_nothrow_move_constructible_v<T>);
        if constexpr (kPlain) {
            std::memmove(static_cast<void*>(to), from, count * sizeof(T));
        } else if (from != to) {
            for (size_type i = 0; i < count; ++i) {
                const size_type next = from < to ? count - 1 - i : i;
                ::new (static_cast<void*>(to + next)) T(std::move(from[next]));
                from[next].~T();
            }
        }
    }
    void free_memory() noexcept {
        if (!is_inside()) free_elements(data_, alignof(T));
    }
    /// Takes the elements of another list into this one, which has none and no memory of its own.
    void take(InlineVector& other) noexcept {
        if (other.is_inside()) {
            data_ = inside();
            capacity_ = N;
            if constexpr (kCopiedWhole)
                std::memcpy(inside_, other.inside_, sizeof(inside_));
            else
                relocate(other.data_, other.size_, data_);
        } else {
            data_ = std::exchange(other.data_, other.inside());
            capacity_ = std::exchange(other.capacity_, std::uint32_t{N});
            if constexpr (kCopiedWhole) std::memset(inside_, 0, sizeof(inside_));
        }
        size_ = std::exchange(other.size_, 0U);
    }
    /// Of a list without elements.
    template <typename I>
    void add(I first, I last) {
        if constexpr (kPlain && (std::is_same_v<I, const T*> || std::is_same_v<I, T*>)) {
            const auto count = static_cast<size_type>(last - first);
            reserve(count);
            if (count > 0) std::memcpy(static_cast<void*>(data_), first, count * sizeof(T));
            size_ = static_cast<std::uint32_t>(count);
        } else {
            if constexpr (requires { last - first; }) reserve(static_cast<size_type>(last - first));
            for (; first != last; ++first) emplace_back(*first);
        }
    }
    template <typename... V>
    void resize_with(size_type count, const V&... value) {
        const size_type before = size_;
        reserve(count);
        if constexpr (kPlain) {
            while (size_ < count) data_[size_++] = T(value...);
        } else {
            try {
                while (size_ < count) emplace_back(value...);
            } catch (...) {
                erase(data_ + before, end());
                throw;
            }
        }
        if (size_ > count) erase(data_ + count, end());
    }
    template <typename... Args>
    [[gnu::noinline]] T& emplace_in_more_room(Args&&... args) {
        T made(std::forward<Args>(args)...); // before what the arguments may refer to moves away
        grow(size_ + size_type{1});
        return *::new (static_cast<void*>(data_ + size_++)) T(std::move(made));
    }
    [[gnu::noinline]] void grow(size_type count) {
        T* const room = static_cast<T*>(allocate_elements(count, capacity_, sizeof(T), alignof(T)));
        relocate(data_, size_, room);
        free_memory();
        data_ = room;
        capacity_ = static_cast<std::uint32_t>(count);
    }
    T* insert_moved(const T* at, T* values, size_type count) {
        const auto before = static_cast<size_type>(at - data_);
        reserve(size_ + count);
        T* const place = data_ + before;
        relocate(place, size_ - before, place + count);
        for (size_type i = 0; i < count; ++i)
            ::new (static_cast<void*>(place + i)) T(std::move(values[i]));
        size_ += static_cast<std::uint32_t>(count);
        return place;
    }

    T* data_ = inside();
    std::uint32_t size_ = 0;
    std::uint32_t capacity_ = N;
    alignas(T) std::byte inside_[N * sizeof(T)];
};

} // namespace purview
