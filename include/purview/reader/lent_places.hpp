#pragma once

#include <purview/base/config.hpp>
#include <purview/base/index.hpp>
#include <purview/reader/memory_view.hpp>

#include <atomic>
#include <cstdint>

namespace purview {

class LentPlaces;

/// A record that an `Element` refers to a place without sharing its ownership. A place is an
/// address in memory, or a reader. It is lent by the thread that made the element, until it is
/// given back.
struct LentPlace {
    /// An integer and not a pointer, so that the compiler need not assume that storing a pointer
    /// changes this stack.
    std::uintptr_t place = 0;
    LentPlaces* by = nullptr;             ///< the places of the thread that lent it
    std::atomic<bool> given_back = false; ///< set when another thread gives it back
};

inline std::uintptr_t place_of(const void* place) noexcept {
    return reinterpret_cast<std::uintptr_t>(place);
}

/// The places that a thread has lent, the last one below `top`. A stack, because most elements are
/// destroyed in the reverse of the order in which they were made.
struct LentStack {
    LentPlace* top;
    LentPlace* end;
    LentPlace* bottom;
};

/// Accessed without a call, also from shared libraries: glibc reserves room for small variables of
/// this TLS model in libraries that are loaded later.
[[gnu::tls_model(
    "initial-exec")]] PURVIEW_EXPORT extern constinit thread_local LentStack lent_stack;

PURVIEW_EXPORT void make_room_to_lend();
PURVIEW_EXPORT void give_back_below_top(LentPlace* lent) noexcept;

/// Records that the calling thread refers to `place`, which is not null: code that would free it on
/// this thread calls `keep_while_lent` instead. A comparison and two stores; allocates memory for
/// the first place of a thread, and for more than 60 at once. Throws `std::bad_alloc`.
inline LentPlace* lend(const void* place) {
    if (lent_stack.top == lent_stack.end) [[unlikely]]
        make_room_to_lend();
    LentPlace* const lent = lent_stack.top;
    lent->place = place_of(place);
    lent_stack.top = lent + 1;
    return lent;
}

/// Ends what `lend` began. May be called on any thread.
inline void give_back(LentPlace* lent) noexcept {
    if (lent_stack.top == lent + 1) [[likely]]
        lent_stack.top = lent;
    else
        give_back_below_top(lent);
}

/// Whether the calling thread lends any place at present.
inline bool anything_lent() noexcept { return lent_stack.top != lent_stack.bottom; }

/// Whether the calling thread is the one that lent it. Another thread must not lend the same place
/// again: it would not learn when the place is freed.
PURVIEW_EXPORT bool is_lent_here(const LentPlace* lent) noexcept;

/// Whether the calling thread lends a place within these bytes.
PURVIEW_EXPORT bool is_lent(const void* begin, index_t bytes) noexcept;

/// Keeps `owner` alive until this thread lends none of these bytes any more; releases it at once if
/// it lends none.
PURVIEW_EXPORT void keep_while_lent(const void* begin, index_t bytes, Owner owner) noexcept;

/// The same for bytes that lie in one allocation with an object, of which `part` points to some
/// part: the code that frees the allocation asks `keeps_allocation`.
PURVIEW_EXPORT void keep_allocation_while_lent(const void* begin, index_t bytes,
                                               const void* part) noexcept;

/// Whether this thread keeps a part of the object (by `keep_allocation_while_lent`). If so, the
/// caller must not free the allocation: it is `operator delete`d when the last place is given back.
PURVIEW_EXPORT bool keeps_allocation(void* object, index_t object_bytes) noexcept;

/// The place of elements whose reader has been destroyed and could not be kept.
PURVIEW_EXPORT extern const char kGonePlace;

/// Marks the places of an object under destruction that this thread lends as gone (`kGonePlace`).
PURVIEW_EXPORT void mark_gone(const void* object) noexcept;

} // namespace purview
