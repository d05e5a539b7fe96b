#include <purview/reader/lent_places.hpp>

#include <array>
#include <cstddef>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include <pthread.h>

namespace purview {

constinit thread_local LentStack lent_stack = {};
constinit const char kGonePlace = 0;

namespace {

/// Memory that would have been freed, but is still lent.
struct Kept {
    std::uintptr_t begin;
    std::uintptr_t end;
    Owner owner;
    std::uintptr_t part = 0;    ///< not null: a part of the object in whose allocation the bytes
                                ///< lie
    void* allocation = nullptr; ///< the allocation to delete with it
    Kept* next = nullptr;
};

std::uintptr_t after(const void* begin, index_t bytes) noexcept {
    return place_of(begin) + static_cast<std::uintptr_t>(bytes);
}

/// Frees the kept memory. This may run users' destructors, so the data structures must be
/// consistent.
void release(Kept* kept) noexcept {
    while (kept != nullptr) {
        Kept* const next = kept->next;
        ::operator delete(kept->allocation);
        delete kept;
        kept = next;
    }
}

} // namespace

/// The places that one thread has lent: a stack in chunks, the last of which is `lent_stack`. A
/// place that is given back while others are above it becomes a hole.
///
/// While something is kept, a barrier is pushed above all places that it may be kept for. None of
/// these is then on top of the stack, so that giving one back takes the slow path, which calls
/// `sweep`. Places lent later are above the barrier and cost as little as ever.
class LentPlaces {
public:
    /// Throws `std::bad_alloc`.
    void make_room() {
        if (lent_stack.top == lent_stack.end && !add_chunk()) throw std::bad_alloc();
    }

    void make_hole(LentPlace* lent) noexcept { lent->place = 0; }

    void keep(Kept* kept) noexcept {
        kept->next = std::exchange(kept_, kept);
        put_barrier();
    }

    bool keeps_allocation(void* object, index_t bytes) noexcept {
        for (Kept* kept = kept_; kept != nullptr; kept = kept->next)
            if (kept->part != 0 && kept->allocation == nullptr && kept->part >= place_of(object) &&
                kept->part < after(object, bytes)) {
                kept->allocation = object;
                return true;
            }
        return keeps_all_;
    }
    void keep_all_allocations() noexcept { keeps_all_ = true; }

    bool lends(std::uintptr_t begin, std::uintptr_t end) noexcept {
        bool found = false;
        for_each([&](const LentPlace& lent) {
            found |= lent.place >= begin && lent.place < end && lent.place != 0;
        });
        return found;
    }

    void mark_gone(const void* object) noexcept {
        for_each([&](LentPlace& lent) {
            if (lent.place == place_of(object)) lent.place = place_of(&kGonePlace);
        });
    }

    /// Removes the places that have been given back. Returns what need not be kept any more.
    [[nodiscard]] Kept* sweep() noexcept {
        for_each([&](LentPlace& lent) {
            if (lent.given_back.exchange(false, std::memory_order_acquire)) lent.place = 0;
        });
        Kept* released = nullptr;
        for (Kept** link = &kept_; *link != nullptr;) {
            Kept* const kept = *link;
            if (lends(kept->begin, kept->end)) {
                link = &kept->next;
            } else {
                *link = kept->next;
                kept->next = std::exchange(released, kept);
            }
        }
        while (!is_empty() && is_free(last_top()[-1])) take_off();
        if (kept_ != nullptr) put_barrier();
        return released;
    }

    /// Called when the thread ends. From then on other threads sweep, one at a time.
    void end() noexcept {
        top_at_end_ = lent_stack.top;
        lent_stack = {};
    }
    bool has_ended() const noexcept { return top_at_end_ != nullptr; }
    bool is_empty() noexcept {
        return chunks_ == nullptr || (chunks_->below == nullptr && last_top() == chunks_->bottom());
    }

    LentPlaces() = default;
    LentPlaces(const LentPlaces&) = delete;
    LentPlaces& operator=(const LentPlaces&) = delete;
    ~LentPlaces() {
        while (chunks_ != nullptr) delete std::exchange(chunks_, chunks_->below);
    }

private:
    struct Chunk {
        std::array<LentPlace, 62> places;
        Chunk* below = nullptr;

        /// The first place stays unused, so that a chunk's bottom differs from the end of a chunk
        /// that is adjacent in memory.
        LentPlace* bottom() noexcept { return places.data() + 1; }
        LentPlace* end() noexcept { return places.data() + places.size(); }
    };

    bool is_free(const LentPlace& lent) const noexcept {
        return lent.place == 0 || (lent.place == place_of(&kBarrier) && kept_ == nullptr);
    }

    LentPlace*& last_top() noexcept { return has_ended() ? top_at_end_ : lent_stack.top; }

    /// If there is no memory for a barrier, things may be kept for longer than necessary.
    void put_barrier() noexcept {
        if (has_ended() || (!is_empty() && last_top()[-1].place == place_of(&kBarrier))) return;
        if (lent_stack.top == lent_stack.end && !add_chunk()) return;
        (lent_stack.top++)->place = place_of(&kBarrier);
    }

    void take_off() noexcept {
        LentPlace*& top = last_top();
        --top;
        if (top != chunks_->bottom() || chunks_->below == nullptr) return;
        delete std::exchange(chunks_, chunks_->below);
        top = chunks_->end();
        if (!has_ended()) lent_stack.end = top;
    }

    bool add_chunk() noexcept {
        auto* const chunk = new (std::nothrow) Chunk;
        if (chunk == nullptr) return false;
        for (LentPlace& lent : chunk->places) lent.by = this;
        LentPlace* const lowest = chunks_ == nullptr ? chunk->bottom() : lent_stack.bottom;
        chunk->below = std::exchange(chunks_, chunk);
        lent_stack = {chunk->bottom(), chunk->end(), lowest};
        return true;
    }

    template <typename F>
    void for_each(F f) noexcept {
        LentPlace* end = chunks_ == nullptr ? nullptr : last_top();
        for (Chunk* chunk = chunks_; chunk != nullptr; chunk = chunk->below) {
            for (LentPlace* lent = chunk->bottom(); lent != end; ++lent) f(*lent);
            if (chunk->below != nullptr) end = chunk->below->end();
        }
    }

    static constexpr char kBarrier = 0;

    Chunk* chunks_ = nullptr; ///< the last chunk first
    LentPlace* top_at_end_ = nullptr;
    Kept* kept_ = nullptr;
    bool keeps_all_ = false;
};

namespace {

constinit thread_local LentPlaces* mine = nullptr;

/// Guards the places of threads that have ended, when they are given back.
std::mutex& ended_threads() noexcept {
    static std::mutex& mutex = *new std::mutex; // never destroyed, as elements may be static
    return mutex;
}

void end_my_places() noexcept {
    LentPlaces* const places = std::exchange(mine, nullptr);
    if (places == nullptr) return;
    Kept* released = nullptr;
    {
        const std::scoped_lock lock(ended_threads());
        places->end();
        released = places->sweep();
        // Otherwise the thread that gives the last place back deletes it.
        if (places->is_empty()) delete places;
    }
    release(released);
}

constinit thread_local bool variables_are_gone = false;

struct EndOfThread {
    ~EndOfThread() {
        variables_are_gone = true;
        end_my_places();
    }
};

/// Destructors of other thread-local variables may lend places after that of `EndOfThread` has run;
/// destructors of POSIX thread keys run later. (For the main thread they do not run: its places
/// stay.)
void end_places_after_variables() noexcept {
    static const auto key = [] {
        pthread_key_t made{};
        const bool failed = pthread_key_create(&made, [](void*) { end_my_places(); }) != 0;
        return failed ? std::nullopt : std::optional(made);
    }();
    if (key) static_cast<void>(pthread_setspecific(*key, mine));
}

LentPlaces& my_places() {
    if (mine == nullptr) {
        mine = new LentPlaces;
        if (variables_are_gone) {
            end_places_after_variables();
        } else {
            thread_local const EndOfThread at_end;
            static_cast<void>(at_end);
        }
    }
    return *mine;
}

void keep(const void* begin, index_t bytes, Owner&& owner, const void* part) noexcept {
    auto* const kept = new (std::nothrow) Kept{
        place_of(begin), after(begin, bytes), std::move(owner), place_of(part), nullptr, nullptr};
    if (kept != nullptr) {
        mine->keep(kept);
    } else {
        // Out of memory: the owner is never released.
        if (part != nullptr) mine->keep_all_allocations();
        alignas(Owner) std::byte for_good[sizeof(Owner)];
        ::new (static_cast<void*>(for_good)) Owner(std::move(owner));
    }
}

} // namespace

void make_room_to_lend() {
    LentPlaces& places = my_places();
    release(places.sweep());
    places.make_room();
}

void give_back_below_top(LentPlace* lent) noexcept {
    if (lent->by == mine) {
        mine->make_hole(lent);
        release(mine->sweep());
        return;
    }
    Kept* released = nullptr;
    {
        const std::scoped_lock lock(ended_threads());
        LentPlaces* const by = lent->by;
        lent->given_back.store(true, std::memory_order_release);
        if (by->has_ended()) {
            released = by->sweep();
            if (by->is_empty()) delete by;
        }
    }
    release(released);
}

bool is_lent_here(const LentPlace* lent) noexcept { return lent->by == mine; }

bool is_lent(const void* begin, index_t bytes) noexcept {
    return mine != nullptr && mine->lends(place_of(begin), after(begin, bytes));
}

void keep_while_lent(const void* begin, index_t bytes, Owner owner) noexcept {
    if (is_lent(begin, bytes)) keep(begin, bytes, std::move(owner), nullptr);
}

void keep_allocation_while_lent(const void* begin, index_t bytes, const void* part) noexcept {
    if (is_lent(begin, bytes)) keep(begin, bytes, Owner(), part);
}

bool keeps_allocation(void* object, index_t object_bytes) noexcept {
    return mine != nullptr && mine->keeps_allocation(object, object_bytes);
}

void mark_gone(const void* object) noexcept {
    if (mine != nullptr) mine->mark_gone(object);
}

} // namespace purview
