#pragma once

#include <utility>

namespace purview::inline v0_1 {

/// The calling thread's own `T`, made at the first call. Null once it was destroyed at the end of
/// the thread: destructors of other `thread_local` and static objects may still call this, and have
/// to do without it.
template <typename T>
T* of_this_thread() {
    constinit static thread_local T* mine = nullptr;
    constinit static thread_local bool gone = false;
    if (mine != nullptr) [[likely]]
        return mine;
    if (gone) return nullptr;
    struct Ending {
        ~Ending() {
            gone = true; // before the destructor of T, which may call this function
            delete std::exchange(mine, nullptr);
        }
    };
    static thread_local const Ending ending;
    static_cast<void>(&ending);
    mine = new T();
    return mine;
}

} // namespace purview
