#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// A pointer to an object that counts its own references, by `intrusive_ptr_add_ref(p)` and
/// `intrusive_ptr_release(p)`, which are found by argument-dependent lookup. Works as
/// `boost::intrusive_ptr`, whose header includes <functional> and so costs every includer 45 ms to
/// compile.
template <typename T>
class IntrusivePointer {
public:
    constexpr IntrusivePointer() noexcept = default;
    constexpr IntrusivePointer(std::nullptr_t) noexcept {}
    /// Shares `object`, which may be null. With `add_reference` false, takes over a reference that
    /// the caller holds.
    [[gnu::always_inline]] explicit IntrusivePointer(T* object, bool add_reference = true) noexcept
        : object_(object) {
        if (add_reference && object_ != nullptr) intrusive_ptr_add_ref(object_);
    }
    IntrusivePointer(const IntrusivePointer& other) noexcept : IntrusivePointer(other.object_) {}
    IntrusivePointer(IntrusivePointer&& other) noexcept
        : object_(std::exchange(other.object_, nullptr)) {}
    template <typename U>
        requires(!std::is_same_v<U, T> && std::is_convertible_v<U*, T*>)
    IntrusivePointer(IntrusivePointer<U> other)
    noexcept : object_(other.detach()) {}
    // Inlined where a program rarely comes, too: a call would keep the pointer in memory.
    [[gnu::always_inline]] ~IntrusivePointer() {
        if (object_ != nullptr) intrusive_ptr_release(object_);
    }
    IntrusivePointer& operator=(const IntrusivePointer& other) noexcept {
        IntrusivePointer(other).swap(*this);
        return *this;
    }
    [[gnu::always_inline]] IntrusivePointer& operator=(IntrusivePointer&& other) noexcept {
        IntrusivePointer(std::move(other)).swap(*this);
        return *this;
    }

    T* get() const noexcept { return object_; }
    T& operator*() const noexcept { return *object_; }
    T* operator->() const noexcept { return object_; }
    explicit operator bool() const noexcept { return object_ != nullptr; }

    /// Returns the object and leaves this pointer null. The caller takes over the reference.
    T* detach() noexcept { return std::exchange(object_, nullptr); }
    void reset() noexcept { IntrusivePointer().swap(*this); }
    void swap(IntrusivePointer& other) noexcept { std::swap(object_, other.object_); }

    friend bool operator==(const IntrusivePointer& a, const IntrusivePointer& b) noexcept {
        return a.object_ == b.object_;
    }
    friend bool operator==(const IntrusivePointer& a, std::nullptr_t) noexcept {
        return a.object_ == nullptr;
    }

private:
    T* object_ = nullptr;
};

} // namespace purview
