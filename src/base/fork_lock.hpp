#pragma once

#include <mutex>
#include <new>

#include <pthread.h>

namespace purview::inline v0_1 {

/// Makes each later `fork` wait until nobody holds the mutex, so that the child process does not
/// inherit it locked by a thread that the child does not have. To be called once for each mutex. The
/// child calls `in_child` before it lets go of the mutex.
template <std::mutex& (*mutex)(), void (*in_child)() noexcept = nullptr>
void lock_while_forking() {
    const int error = ::pthread_atfork([] { mutex().lock(); }, [] { mutex().unlock(); },
                                       [] {
                                           if constexpr (in_child != nullptr) in_child();
                                           mutex().unlock();
                                       });
    if (error != 0) throw std::bad_alloc(); // ENOMEM, the only error that pthread_atfork has
}

} // namespace purview
