#pragma once

#include <purview/base/config.hpp>
#include <purview/base/index.hpp>
#include <purview/reader/memory_view.hpp>

#include <atomic>
#include <cstdint>

namespace purview {

class LentPlaces;

/// Where an element is that somebody refers to without sharing ownership of it: an address in memory,
/// or a reader. A place is lent by the thread that refers to it, until it is given back.
struct LentPlace {
    std::uintptr_t place =
        0; ///< no pointer, so that storing one does not look like changing the stack
    LentPlaces* by = nullptr;             ///< those of the thread that lent it
    std::atomic<bool> given_back = false; ///< by another thread
};

inline std::uintptr_t place_of(const void* place) noexcept {
    return reinterpret_cast<std::uintptr_t>(place);
}

/// The places that a thread has lent, the last one below `top`: they stand on a stack, as those who refer
/// to them mostly do.
struct LentStack {
    LentPlace* top;
    LentPlace* end;
    LentPlace* bottom;
};

/// Found without a call, from shared libraries too: glibc has room for so small a variable in libraries
/// that are loaded later.
[[gnu::tls_model(
    "initial-exec")]] PURVIEW_EXPORT extern constinit thread_local LentStack lent_stack;

PURVIEW_EXPORT void make_room_to_lend();
PURVIEW_EXPORT void give_back_below_top(LentPlace* lent) noexcept;

/// Notes that the calling thread refers to `place`, which is not null: who would free it on this thread calls
/// `keep_while_lent`. A comparison and two stores; memory is allocated for the first of a thread, and for
/// more than 60 at once. Throws `std::bad_alloc`.
inline LentPlace* lend(const void* place) {
    if (lent_stack.top == lent_stack.end) [[unlikely]]
        make_room_to_lend();
    LentPlace* const lent = lent_stack.top;
    lent->place = place_of(place);
    lent_stack.top = lent + 1;
    return lent;
}

/// Ends what `lend` began, on any thread.
inline void give_back(LentPlace* lent) noexcept {
    if (lent_stack.top == lent + 1) [[likely]]
        lent_stack.top = lent;
    else
        give_back_below_top(lent);
}

/// Whether this thread lends anything at all.
inline bool anything_lent() noexcept { return lent_stack.top != lent_stack.bottom; }

/// Whether the calling thread is the one that lent it. A place must not be lent again by another: it
/// would not learn of its end.
PURVIEW_EXPORT bool is_lent_here(const LentPlace* lent) noexcept;

/// Whether this thread lends a place in these bytes.
PURVIEW_EXPORT bool is_lent(const void* begin, index_t bytes) noexcept;

/// Keeps `owner` until this thread no longer lends any of these bytes; lets it go if it lends none.
PURVIEW_EXPORT void keep_while_lent(const void* begin, index_t bytes, Owner owner) noexcept;

/// The same for bytes that lie in one allocation with the object of which `part` is one: whoever frees the
/// allocation asks `keeps_allocation`.
PURVIEW_EXPORT void keep_allocation_while_lent(const void* begin, index_t bytes,
                                               const void* part) noexcept;

/// Whether a part of the object was kept by this thread: then it is `operator delete`d in its time, and not
/// by the caller.
PURVIEW_EXPORT bool keeps_allocation(void* object, index_t object_bytes) noexcept;

/// What is left of a place that is gone, and could not be kept.
PURVIEW_EXPORT extern const char kGonePlace;

/// Marks what this thread lends of an object that is being destroyed as gone.
PURVIEW_EXPORT void mark_gone(const void* object) noexcept;

} // namespace purview
