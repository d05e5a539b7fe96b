#include <purview/reader/element_refs.hpp>

#include <array>
#include <cstddef>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include <pthread.h>

namespace purview::inline v0_1 {

constinit thread_local ElementRefStack element_ref_stack = {};
constinit const char kDestroyedReader = 0;

namespace {

/// Memory that would have been freed, but is still referred to.
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

/// The records of one thread: a stack in chunks, the last of which is `element_ref_stack`. A record
/// that is unregistered while others are above it becomes a hole.
///
/// While something is kept, a barrier is pushed above all records that it may be kept for. None of
/// these is then on top of the stack, so that unregistering one takes the slow path, which calls
/// `sweep`. Records registered later are above the barrier and cost as little as ever.
class ThreadElementRefs {
public:
    /// Throws `std::bad_alloc`.
    void make_room() {
        if (element_ref_stack.top == element_ref_stack.end && !add_chunk()) throw std::bad_alloc();
    }

    void make_hole(ElementRef* ref) noexcept { ref->place = 0; }

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

    bool refers_to(std::uintptr_t begin, std::uintptr_t end) noexcept {
        bool found = false;
        for_each([&](const ElementRef& ref) {
            found |= ref.place >= begin && ref.place < end && ref.place != 0;
        });
        return found;
    }

    void mark_destroyed(const void* object) noexcept {
        for_each([&](ElementRef& ref) {
            if (ref.place == place_of(object)) ref.place = place_of(&kDestroyedReader);
        });
    }

    /// Removes the records that have been unregistered. Returns what need not be kept any more.
    [[nodiscard]] Kept* sweep() noexcept {
        for_each([&](ElementRef& ref) {
            if (ref.unregistered.exchange(false, std::memory_order_acquire)) ref.place = 0;
        });
        Kept* released = nullptr;
        for (Kept** link = &kept_; *link != nullptr;) {
            Kept* const kept = *link;
            if (refers_to(kept->begin, kept->end)) {
                link = &kept->next;
            } else {
                *link = kept->next;
                kept->next = std::exchange(released, kept);
            }
        }
        while (!is_empty() && is_free(last_top()[-1])) pop();
        if (kept_ != nullptr) put_barrier();
        return released;
    }

    /// Called when the thread ends. From then on other threads sweep, one at a time.
    void end() noexcept {
        top_at_end_ = element_ref_stack.top;
        element_ref_stack = {};
    }
    bool has_ended() const noexcept { return top_at_end_ != nullptr; }
    bool is_empty() noexcept {
        return chunks_ == nullptr || (chunks_->below == nullptr && last_top() == chunks_->bottom());
    }

    ThreadElementRefs() = default;
    ThreadElementRefs(const ThreadElementRefs&) = delete;
    ThreadElementRefs& operator=(const ThreadElementRefs&) = delete;
    ~ThreadElementRefs() {
        while (chunks_ != nullptr) delete std::exchange(chunks_, chunks_->below);
    }

private:
    struct Chunk {
        std::array<ElementRef, 62> refs;
        Chunk* below = nullptr;

        /// The first record stays unused, so that a chunk's bottom differs from the end of a chunk
        /// that is adjacent in memory.
        ElementRef* bottom() noexcept { return refs.data() + 1; }
        ElementRef* end() noexcept { return refs.data() + refs.size(); }
    };

    bool is_free(const ElementRef& ref) const noexcept {
        return ref.place == 0 || (ref.place == place_of(&kBarrier) && kept_ == nullptr);
    }

    ElementRef*& last_top() noexcept { return has_ended() ? top_at_end_ : element_ref_stack.top; }

    /// If there is no memory for a barrier, memory may be kept for longer than necessary.
    void put_barrier() noexcept {
        if (has_ended() || (!is_empty() && last_top()[-1].place == place_of(&kBarrier))) return;
        if (element_ref_stack.top == element_ref_stack.end && !add_chunk()) return;
        (element_ref_stack.top++)->place = place_of(&kBarrier);
    }

    void pop() noexcept {
        ElementRef*& top = last_top();
        --top;
        if (top != chunks_->bottom() || chunks_->below == nullptr) return;
        delete std::exchange(chunks_, chunks_->below);
        top = chunks_->end();
        if (!has_ended()) element_ref_stack.end = top;
    }

    bool add_chunk() noexcept {
        auto* const chunk = new (std::nothrow) Chunk;
        if (chunk == nullptr) return false;
        for (ElementRef& ref : chunk->refs) ref.thread = this;
        ElementRef* const lowest = chunks_ == nullptr ? chunk->bottom() : element_ref_stack.bottom;
        chunk->below = std::exchange(chunks_, chunk);
        element_ref_stack = {chunk->bottom(), chunk->end(), lowest};
        return true;
    }

    template <typename F>
    void for_each(F f) noexcept {
        ElementRef* end = chunks_ == nullptr ? nullptr : last_top();
        for (Chunk* chunk = chunks_; chunk != nullptr; chunk = chunk->below) {
            for (ElementRef* ref = chunk->bottom(); ref != end; ++ref) f(*ref);
            if (chunk->below != nullptr) end = chunk->below->end();
        }
    }

    static constexpr char kBarrier = 0;

    Chunk* chunks_ = nullptr; ///< the last chunk first
    ElementRef* top_at_end_ = nullptr;
    Kept* kept_ = nullptr;
    bool keeps_all_ = false;
};

namespace {

constinit thread_local ThreadElementRefs* mine = nullptr;

/// Guards the records of threads that have ended, when they are unregistered.
std::mutex& ended_threads() noexcept {
    static std::mutex& mutex = *new std::mutex; // never destroyed, as elements may be static
    return mutex;
}

void end_my_refs() noexcept {
    ThreadElementRefs* const refs = std::exchange(mine, nullptr);
    if (refs == nullptr) return;
    Kept* released = nullptr;
    {
        const std::scoped_lock lock(ended_threads());
        refs->end();
        released = refs->sweep();
        // Otherwise the thread that unregisters the last one deletes it.
        if (refs->is_empty()) delete refs;
    }
    release(released);
}

constinit thread_local bool variables_are_gone = false;

struct EndOfThread {
    ~EndOfThread() {
        variables_are_gone = true;
        end_my_refs();
    }
};

/// Destructors of other thread-local variables may register references after that of `EndOfThread`
/// has run; destructors of POSIX thread keys run later. (For the main thread they do not run: its
/// records stay.)
void end_refs_after_variables() noexcept {
    static const auto key = [] {
        pthread_key_t made{};
        const bool failed = pthread_key_create(&made, [](void*) { end_my_refs(); }) != 0;
        return failed ? std::nullopt : std::optional(made);
    }();
    if (key) static_cast<void>(pthread_setspecific(*key, mine));
}

ThreadElementRefs& my_refs() {
    if (mine == nullptr) {
        mine = new ThreadElementRefs;
        if (variables_are_gone) {
            end_refs_after_variables();
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

ColdResult<bool> make_room_for_ref() noexcept {
    return cold_result([] {
        ThreadElementRefs& refs = my_refs();
        release(refs.sweep());
        refs.make_room();
        return true;
    });
}

void unregister_below_top(ElementRef* ref) noexcept {
    if (ref->thread == mine) {
        mine->make_hole(ref);
        release(mine->sweep());
        return;
    }
    Kept* released = nullptr;
    {
        const std::scoped_lock lock(ended_threads());
        ThreadElementRefs* const thread = ref->thread;
        ref->unregistered.store(true, std::memory_order_release);
        if (thread->has_ended()) {
            released = thread->sweep();
            if (thread->is_empty()) delete thread;
        }
    }
    release(released);
}

bool is_registered_here(const ElementRef* ref) noexcept { return ref->thread == mine; }

bool is_referenced(const void* begin, index_t bytes) noexcept {
    return mine != nullptr && mine->refers_to(place_of(begin), after(begin, bytes));
}

void keep_while_referenced(const void* begin, index_t bytes, Owner owner) noexcept {
    if (is_referenced(begin, bytes)) keep(begin, bytes, std::move(owner), nullptr);
}

void keep_allocation_while_referenced(const void* begin, index_t bytes, const void* part) noexcept {
    if (is_referenced(begin, bytes)) keep(begin, bytes, Owner(), part);
}

bool keeps_allocation(void* object, index_t object_bytes) noexcept {
    return mine != nullptr && mine->keeps_allocation(object, object_bytes);
}

void mark_destroyed(const void* object) noexcept {
    if (mine != nullptr) mine->mark_destroyed(object);
}

} // namespace purview
