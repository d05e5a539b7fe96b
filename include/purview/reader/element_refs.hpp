#pragma once

#include <purview/base/cold_result.hpp>
#include <purview/base/config.hpp>
#include <purview/base/index.hpp>
#include <purview/reader/memory_view.hpp>

#include <atomic>
#include <cstdint>

namespace purview::inline v0_1 {

class ThreadElementRefs;

/// A record that an `Element` refers to a place without sharing its ownership. A place is an
/// address in memory, or a reader. The thread that makes the element registers the record, until
/// the element unregisters it.
struct ElementRef {
    /// An integer and not a pointer, so that the compiler need not assume that storing a pointer
    /// changes this stack.
    std::uintptr_t place = 0;
    ThreadElementRefs* thread = nullptr;    ///< the records of the thread that registered it
    std::atomic<bool> unregistered = false; ///< set when another thread unregisters it
};

inline std::uintptr_t place_of(const void* place) noexcept {
    return reinterpret_cast<std::uintptr_t>(place);
}

/// The records of a thread, the last one below `top`. A stack, because most elements are destroyed
/// in the reverse of the order in which they were made.
struct ElementRefStack {
    ElementRef* top;
    ElementRef* end;
    ElementRef* bottom;
};

/// Accessed without a call, also from shared libraries: glibc reserves room for small variables of
/// this TLS model in libraries that are loaded later.
[[gnu::tls_model("initial-exec")]] PURVIEW_EXPORT extern constinit thread_local ElementRefStack
    element_ref_stack;

[[gnu::cold]] PURVIEW_EXPORT ColdResult<bool> make_room_for_ref() noexcept;
[[gnu::cold]] PURVIEW_EXPORT void unregister_below_top(ElementRef* ref) noexcept;

/// Records that the calling thread refers to `place`, which is not null: code that would free it on
/// this thread calls `keep_while_referenced` instead. A comparison and two stores; allocates memory
/// for the first record of a thread, and for more than 60 at once. Throws `std::bad_alloc`.
[[gnu::always_inline]] inline ElementRef* register_ref(const void* place) {
    if (element_ref_stack.top == element_ref_stack.end) [[unlikely]]
        make_room_for_ref().get();
    ElementRef* const ref = element_ref_stack.top;
    ref->place = place_of(place);
    element_ref_stack.top = ref + 1;
    return ref;
}

/// Ends what `register_ref` began. May be called on any thread.
inline void unregister_ref(ElementRef* ref) noexcept {
    if (element_ref_stack.top == ref + 1) [[likely]]
        element_ref_stack.top = ref;
    else
        unregister_below_top(ref);
}

/// Whether any record of the calling thread is registered at present.
inline bool has_element_refs() noexcept {
    return element_ref_stack.top != element_ref_stack.bottom;
}

/// Whether the calling thread is the one that registered it. Another thread must not register the
/// same place again: it would not learn when the place is freed.
PURVIEW_EXPORT bool is_registered_here(const ElementRef* ref) noexcept;

/// Whether an element of the calling thread refers to a place within these bytes.
PURVIEW_EXPORT bool is_referenced(const void* begin, index_t bytes) noexcept;

/// Keeps `owner` alive until no element of this thread refers to these bytes any more; releases it
/// at once if none does.
PURVIEW_EXPORT void keep_while_referenced(const void* begin, index_t bytes, Owner owner) noexcept;

/// Keeps bytes that lie in one allocation with an object, of which `part` points to some part,
/// until no element of this thread refers to them any more: the code that frees the allocation asks
/// `keeps_allocation`.
PURVIEW_EXPORT void keep_allocation_while_referenced(const void* begin, index_t bytes,
                                                     const void* part) noexcept;

/// Whether this thread keeps a part of the object (by `keep_allocation_while_referenced`). If so,
/// the caller must not free the allocation: it is `operator delete`d when the last record of it is
/// unregistered.
PURVIEW_EXPORT bool keeps_allocation(void* object, index_t object_bytes) noexcept;

/// The place of elements whose reader has been destroyed and could not be kept.
PURVIEW_EXPORT extern const char kDestroyedReader;

/// Marks the records that this thread has of an object under destruction (`kDestroyedReader`).
PURVIEW_EXPORT void mark_destroyed(const void* object) noexcept;

} // namespace purview
