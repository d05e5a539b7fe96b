#pragma once

#include <utility>

namespace purview {

/// The running thread's own `T`, made when it is first asked for. Null once the thread has destroyed it
/// at its end: destructors of other `thread_local` and static objects may still come and ask, and have
/// to do without.
template <typename T>
T* of_this_thread() {
    constinit static thread_local T* mine = nullptr;
    constinit static thread_local bool gone = false;
    if (mine != nullptr) [[likely]]
        return mine;
    if (gone) return nullptr;
    struct Ending {
        ~Ending() {
            gone = true; // before what follows can ask again
            delete std::exchange(mine, nullptr);
        }
    };
    static thread_local const Ending ending;
    static_cast<void>(&ending);
    mine = new T();
    return mine;
}

} // namespace purview
